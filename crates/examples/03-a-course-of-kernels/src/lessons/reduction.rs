//! Lesson 2: a sum.

use course_kernels::reduction::sum;
use simt::LaunchShape;

use super::noise;
use crate::machine::{Machine, Outcome};

const BLOCKS: u32 = 8;

pub fn run(machine: &Machine) -> Outcome<String> {
    // integers, whose sums are exact in any order
    let values: Vec<f32> = noise(20_000).map(|number| (number % 16) as f32).collect();
    let on_device = machine.upload(&values)?;
    let mut sums = machine.upload(&[0.0; BLOCKS as usize])?;
    // SAFETY: `sums` is not used otherwise; each block writes one.
    unsafe {
        machine.launch::<sum>(
            LaunchShape::new(BLOCKS, 128),
            (on_device.view(), sums.view_mut()),
        )?
    };
    let total: f32 = sums.download()?.iter().sum();

    let mut expected = 0.0;
    for value in &values {
        expected += value;
    }
    if total != expected {
        return Err(format!("the sum is {total}, not {expected}").into());
    }
    Ok(format!("{} values add up to {total}", values.len()))
}
