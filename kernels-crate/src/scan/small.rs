//! A scan of a list that is too short for speed to matter, by a kernel that a driver compiles
//! quickly.

use super::three_pass::Segments;
use crate::block;
use cuda_std::{ViewMut, kernel, thread};

/// Neighbouring elements that a thread takes at a time.
pub const SMALL: usize = 4;

/// Elements that a scan can pick.
pub const PICKED: usize = 4;

/// Sums the segments of a short list, or scans it: exclusive sums, in place, in two launches.
///
/// A block takes whole segments, [`SMALL`] for each thread at a time. In the first launch (`scan`
/// 0) it adds up each segment's elements and writes the sum to `sums`. In the second (`scan` 1) it
/// adds up the sums of the segments before its own, and goes on through the segment, replacing each
/// element by what comes before it. Both launches, and both halves of the second, are rounds of one
/// loop, so that the code holds a single scan of a block. Each element is read twice and written
/// once; every block reads the sums before its segments. A list of one segment needs no first
/// launch.
///
/// Four of the scanned elements, those with the numbers `at`, also go to `picked`, so that one
/// small transfer brings them to the host; none do if it is empty.
///
/// # Safety
/// `data` has `segments.count` elements, `sums` one for each segment, `picked` four or none; the
/// grids of both launches are any.
#[kernel]
pub unsafe fn sum_small(
    data: ViewMut<u64>,
    segments: Segments,
    sums: ViewMut<u64>,
    scan: u32,
    at: [u64; PICKED],
    picked: ViewMut<u64>,
) {
    let wanted = at;
    let rank = thread::thread_idx_x() as u64;
    let threads = thread::block_dim_x() as u64;
    let mut segment = thread::block_idx_x() as u64;
    while segment < segments.segments() {
        let (first, end) = segments.bounds(segment);
        let before = if scan != 0 { segment } else { 0 };
        let mut carry = 0u64;
        // the sums before the segment first, then the segment
        let (mut in_sums, mut start) = (before > 0, if before > 0 { 0 } else { first });
        while in_sums || start < end {
            let from = if in_sums { sums } else { data };
            let from_end = if in_sums { before } else { end };
            let at = start + rank * SMALL as u64;
            let mut values = [0u64; SMALL];
            let mut sum = 0u64;
            let mut item = 0;
            while item < SMALL {
                if at + (item as u64) < from_end {
                    values[item] = from.read(at as usize + item);
                }
                sum = sum.wrapping_add(values[item]);
                item += 1;
            }
            let sums_of_block = block::exclusive_sum(sum);
            let mut running = carry.wrapping_add(sums_of_block.before);
            let mut item = 0;
            while item < SMALL {
                if scan != 0 && !in_sums && at + (item as u64) < from_end {
                    let number = at + item as u64;
                    data.write(number as usize, running);
                    pick(&wanted, number, running, picked);
                }
                running = running.wrapping_add(values[item]);
                item += 1;
            }
            carry = carry.wrapping_add(sums_of_block.total);
            start += threads * SMALL as u64;
            if in_sums && start >= before {
                (in_sums, start) = (false, first);
            }
        }
        if scan == 0 && rank == 0 {
            sums.write(segment as usize, carry);
        }
        segment += thread::grid_dim_x() as u64;
    }
}

/// Writes the value to those of the `picked` elements that are to have it, if there are any.
#[inline(always)]
fn pick(wanted: &[u64; PICKED], number: u64, value: u64, picked: ViewMut<u64>) {
    let mut to = 0;
    while to < PICKED && !picked.is_empty() {
        if wanted[to] == number {
            picked.write(to, value);
        }
        to += 1;
    }
}
