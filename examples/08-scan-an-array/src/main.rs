//! Scans, also called prefix sums: for each element what the elements before it add up to.
//!
//! They say where each of many parts of different lengths goes if they are stored one after the
//! other.

use ferrovox::{
    device::Device,
    scan::{self, Max, MultiDeviceParams, Scanner, Sum},
};
use std::error::Error;

const COUNT: usize = 3_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    // the lengths of the parts, in bytes; their sums need 64 bits
    let lengths: Vec<u8> = (0..COUNT as u64).map(|i| (i * i % 251) as u8).collect();

    // 1. The loop: a part goes where the one before it ends.
    let mut end = 0u64;
    let expected: Vec<u64> = lengths
        .iter()
        .map(|&length| {
            let start = end;
            end += u64::from(length);
            start
        })
        .collect();

    // 2. On one device: buffer to buffer, each element read once and written once. The total stays
    //    there until it is asked for.
    let device = Device::best();
    let stream = device.stream()?;
    let input = stream.upload(&lengths)?;
    let mut starts = stream.alloc::<u64>(COUNT)?;
    let mut scanner = Scanner::new(&stream)?;
    let total = scanner.exclusive(Sum, &input, &mut starts)?.download()?;
    assert_eq!(total, end);
    assert_eq!(stream.download(&starts)?, expected);
    println!("{device}: {COUNT} parts, {total} bytes in all, as the loop says");

    // 3. Other operators: the greatest element so far, itself included. A scanner is for any number
    //    of scans.
    let heights: Vec<f32> = (0..COUNT)
        .map(|i| (i as f32 * 0.37).sin() * i as f32)
        .collect();
    let mut data = stream.upload(&heights)?;
    let greatest = scanner.inclusive_in_place(Max, &mut data)?.download()?;
    let highest = heights.iter().scan(f32::NEG_INFINITY, |so_far, &height| {
        *so_far = so_far.max(height);
        Some(*so_far)
    });
    assert!(highest.eq(stream.download(&data)?));
    println!("{device}: the greatest of {COUNT} is {greatest}");

    // 4. On several devices, from host memory to host memory: all there are, and the CPU once more,
    //    so that there are two at least.
    let mut devices = Device::all();
    devices.push(Device::cpu());
    let mut starts = vec![0u64; COUNT];
    let params = MultiDeviceParams::default();
    let total = scan::multi_device(&devices, Sum, &lengths, &mut starts, &params)?;
    assert_eq!(total, end);
    assert_eq!(starts, expected);
    let names: Vec<String> = devices.iter().map(Device::id).collect();
    let chunks = params.chunks(COUNT, devices.len()).len();
    println!("{}: the same, in {chunks} chunks", names.join(" and "));
    Ok(())
}
