//! Scans from host memory to host memory on several devices.

use crate::Outcome;
use ferrovox::{
    device::Device,
    scan::{self, AcrossMethod, AcrossParams, Sum},
};
use std::time::Instant;

/// Elements of the document's table: 128³ and ten times as many.
const TABLE: [usize; 2] = [128 * 128 * 128, 10 * 128 * 128 * 128];
/// Elements of a chunk.
const CHUNKS: [usize; 3] = [1 << 20, 1 << 22, 1 << 24];

/// Times sums of `u32` on the first device, the first two, and so on; of the table's sizes and of powers of two.
pub fn measure(devices: &[Device], log2s: &[u32], runs: usize) -> Outcome<()> {
    let first = devices.first().ok_or("no device is named")?;
    let sizes = log2s.iter().map(|&log2| 1usize << log2);
    for count in TABLE.into_iter().chain(sizes) {
        println!("  {count} u32, host to host, pinned");
        let mut input = first.pinned::<u32>(count)?;
        for (i, value) in input.iter_mut().enumerate() {
            *value = (i as u32).wrapping_mul(2_654_435_761) >> 28;
        }
        let mut output = first.pinned::<u32>(count)?;
        for used in 1..=devices.len() {
            let devices = &devices[..used];
            for (method, chunks) in [
                (AcrossMethod::FoldedOffsets, &CHUNKS[..]),
                (AcrossMethod::AddedOffsets, &CHUNKS[..1]),
            ] {
                for &chunk in chunks {
                    let params = AcrossParams {
                        method,
                        chunk,
                        ..Default::default()
                    };
                    let mut times = Vec::new();
                    for _ in 0..=runs {
                        let start = Instant::now();
                        scan::across(devices, Sum, &input, &mut output, &params)?;
                        times.push(start.elapsed().as_secs_f64() * 1e3);
                    }
                    // the first run compiles and allocates
                    times.remove(0);
                    times.sort_by(f64::total_cmp);
                    crate::verify(&input, &output)?;
                    let median = times.get(times.len() / 2).copied().unwrap_or(f64::NAN);
                    let least = times.first().copied().unwrap_or(f64::NAN);
                    println!(
                        "    {used} devices  {method:?}  chunk {chunk:>9}  {median:>9.3} ms  (least {least:>9.3})"
                    );
                }
            }
        }
    }
    Ok(())
}
