//! Lesson 6: a sort.

use course_kernels::bitonic::{BLOCK, exchange, sort_within};
use simt::LaunchShape;

use super::noise;
use crate::machine::{Machine, Outcome};

pub fn run(machine: &Machine) -> Outcome<String> {
    let values: Vec<u32> = noise(1500).collect();
    // a power of two, and whole blocks; padding values sort to the end
    let within = 2 * BLOCK as u32;
    let padded = (values.len() as u32).next_power_of_two().max(within);
    let mut input = values.clone();
    input.resize(padded as usize, u32::MAX);
    let mut data = machine.upload(&input)?;
    let shape = LaunchShape::new(padded / within, BLOCK as u32);

    // SAFETY (of all launches): `data` is not used otherwise, and each thread has its own pair.
    unsafe { machine.launch::<sort_within>(shape, (data.view_mut(), 2, within))? };
    let mut span = 2 * within;
    while span <= padded {
        let mut distance = span / 2;
        while distance >= within {
            // SAFETY: as above.
            unsafe { machine.launch::<exchange>(shape, (data.view_mut(), span, distance))? };
            distance /= 2;
        }
        // SAFETY: as above.
        unsafe { machine.launch::<sort_within>(shape, (data.view_mut(), span, span))? };
        span *= 2;
    }

    let mut expected = values;
    expected.sort_unstable();
    if data.download()?[..expected.len()] != expected {
        return Err("the values are not in order".into());
    }
    Ok(format!("{} values", expected.len()))
}
