//! Scan of short lists, by a kernel that drivers compile quickly.

use super::three_pass::Segments;
use crate::block;
use cuda_std::{ViewMut, kernel, thread};

/// Consecutive elements per thread and iteration.
pub const SMALL_ITEMS: usize = 4;

/// Number of scanned elements that can be copied to a separate buffer.
pub const GATHERED_LEN: usize = 4;

/// Computes the exclusive prefix sums of a short list in place, in two launches.
///
/// **Mapping:** one block per segment, [`SMALL_ITEMS`] consecutive elements per thread and
/// iteration. The first launch (`scan` = 0) writes the sum of each segment to `segment_sums`. The
/// second (`scan` = 1) adds up the sums of the preceding segments, then replaces each element of
/// the segment by its exclusive prefix. Both launches, and both halves of the second, are
/// iterations of one loop, so that the code contains a single block scan. A list of one segment
/// does not need the first launch. **Traffic** per element: two reads, one write; every block reads
/// the sums of all segments before its own.
///
/// The four scanned elements with the indices `at` are also written to `gathered`, unless it is
/// empty, so that one small transfer brings them to the host.
///
/// # Safety
/// `data` has `segments.count` elements, `segment_sums` one per segment, `gathered` four or none.
/// The grids of both launches may have any size.
#[kernel(baseline)]
pub unsafe fn scan_small(
    data: ViewMut<u64>,
    segments: Segments,
    segment_sums: ViewMut<u64>,
    scan: u32,
    at: [u64; GATHERED_LEN],
    gathered: ViewMut<u64>,
) {
    let requested = at;
    let rank = thread::thread_idx_x() as u64;
    let threads = thread::block_dim_x() as u64;
    let mut segment = thread::block_idx_x() as u64;
    while segment < segments.segments() {
        let (first, end) = segments.bounds(segment);
        let before = if scan != 0 { segment } else { 0 };
        let mut carry = 0u64;
        // the sums of the preceding segments first, then the segment
        let (mut in_sums, mut start) = (before > 0, if before > 0 { 0 } else { first });
        while in_sums || start < end {
            let from = if in_sums { segment_sums } else { data };
            let from_end = if in_sums { before } else { end };
            let at = start + rank * SMALL_ITEMS as u64;
            let mut values = [0u64; SMALL_ITEMS];
            let mut sum = 0u64;
            let mut item = 0;
            while item < SMALL_ITEMS {
                if at + (item as u64) < from_end {
                    values[item] = from.read(at as usize + item);
                }
                sum = sum.wrapping_add(values[item]);
                item += 1;
            }
            let block_sum = block::exclusive_sum(sum);
            let mut running = carry.wrapping_add(block_sum.before);
            let mut item = 0;
            while item < SMALL_ITEMS {
                if scan != 0 && !in_sums && at + (item as u64) < from_end {
                    let index = at + item as u64;
                    data.write(index as usize, running);
                    copy_gathered(&requested, index, running, gathered);
                }
                running = running.wrapping_add(values[item]);
                item += 1;
            }
            carry = carry.wrapping_add(block_sum.total);
            start += threads * SMALL_ITEMS as u64;
            if in_sums && start >= before {
                (in_sums, start) = (false, first);
            }
        }
        if scan == 0 && rank == 0 {
            segment_sums.write(segment as usize, carry);
        }
        segment += thread::grid_dim_x() as u64;
    }
}

/// Writes `value` to the elements of `gathered` whose requested index is `index`.
#[inline(always)]
fn copy_gathered(requested: &[u64; GATHERED_LEN], index: u64, value: u64, gathered: ViewMut<u64>) {
    let mut slot = 0;
    while slot < GATHERED_LEN && !gathered.is_empty() {
        if requested[slot] == index {
            gathered.write(slot, value);
        }
        slot += 1;
    }
}
