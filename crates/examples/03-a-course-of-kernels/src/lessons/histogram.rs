//! Lesson 1: a histogram.

use course_kernels::histogram::count;
use simt::LaunchShape;

use super::noise;
use crate::machine::{Machine, Outcome};

const BINS: usize = 100;

pub fn run(machine: &Machine) -> Outcome<String> {
    let values: Vec<u32> = noise(10_000).map(|number| number % BINS as u32).collect();
    let on_device = machine.upload(&values)?;
    let mut counts = machine.upload(&[0; BINS])?;
    let shape = LaunchShape {
        grid: 4.into(),
        block: 64.into(),
        dynamic_shared_bytes: 4 * BINS as u32,
    };
    // SAFETY: `counts` is not used otherwise, and the kernel adds to it atomically; each block has
    // the required shared memory.
    unsafe { machine.launch::<count>(shape, (on_device.view(), counts.view_mut()))? };

    let mut expected = [0; BINS];
    for value in &values {
        expected[*value as usize] += 1;
    }
    let counts = counts.download()?;
    if counts != expected {
        return Err(format!("the counts are {counts:?}, not {expected:?}").into());
    }
    Ok(format!("{} values in {BINS} bins", values.len()))
}
