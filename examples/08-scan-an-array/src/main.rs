//! Exclusive scans, also called prefix sums: the sum of all elements before each element.
//!
//! They give the offsets of consecutively stored parts of different lengths.

use ferrovox::{
    device::Device,
    scan::{self, Max, MultiDeviceParams, Scanner, Sum},
};
use std::error::Error;

const COUNT: usize = 3_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    // lengths of the parts in bytes; their sums need 64 bits
    let lengths: Vec<u8> = (0..COUNT as u64).map(|i| (i * i % 251) as u8).collect();

    // 1. Sequential loop: a part begins where the previous one ends.
    let mut end = 0u64;
    let expected: Vec<u64> = lengths
        .iter()
        .map(|&length| {
            let start = end;
            end += u64::from(length);
            start
        })
        .collect();

    // 2. On one device, from buffer to buffer: each element is read once and written once. The
    //    total stays on the device until it is downloaded.
    let device = Device::best();
    let stream = device.stream()?;
    let input = stream.upload(&lengths)?;
    let mut starts = stream.alloc::<u64>(COUNT)?;
    let mut scanner = Scanner::new(&stream)?;
    let total = scanner.exclusive(Sum, &input, &mut starts)?.download()?;
    assert_eq!(total, end);
    assert_eq!(stream.download(&starts)?, expected);
    println!("{device}: {COUNT} parts, {total} bytes in all, as the loop says");

    // 3. Other operators: the maximum so far, including the element itself. A scanner can be reused
    //    for any number of scans.
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

    // 4. On several devices, from host memory to host memory: all devices, and the CPU a second
    //    time, so that there are at least two.
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
