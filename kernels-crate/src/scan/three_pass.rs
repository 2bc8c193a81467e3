//! The classic three-kernel scan: reduce, scan of the sums, scan.

use crate::{arith::div_ceil, block, sample::Count};
use cuda_std::{View, ViewMut, kernel, thread};

/// Consecutive elements per thread and iteration.
pub const THREE_PASS_ITEMS: usize = 16;

/// Partition of `count` elements into segments of `length`; the last may be shorter.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments {
    /// Number of elements.
    pub count: u64,
    /// Elements per segment, at least 1.
    pub length: u64,
}

impl Segments {
    /// Returns the number of segments.
    #[inline(always)]
    pub const fn segments(self) -> u64 {
        div_ceil(self.count, self.length)
    }

    /// Returns the first and one past the last element of a segment.
    #[inline(always)]
    pub(super) fn bounds(self, segment: u64) -> (u64, u64) {
        let start = segment * self.length;
        let remaining = self.count - start;
        (
            start,
            start
                + if remaining < self.length {
                    remaining
                } else {
                    self.length
                },
        )
    }

    /// Calls `visit(segment, start, end)` for each segment of the calling block.
    #[inline(always)]
    fn for_each(self, mut visit: impl FnMut(u64, u64, u64)) {
        let mut segment = thread::block_idx_x() as u64;
        while segment < self.segments() {
            let (start, end) = self.bounds(segment);
            visit(segment, start, end);
            segment += thread::grid_dim_x() as u64;
        }
    }
}

/// Computes the sum of each segment: first pass.
///
/// **Mapping:** one block per segment; a thread reads every block-size-th element and accumulates
/// it, then the block reduces the partial sums. **Traffic:** one read per element, one 64-bit write
/// per segment.
///
/// # Safety
/// `input` holds `segments.count` elements, `segment_sums` one per segment and one more.
#[kernel(T = [u8, u16, u32, u64], baseline)]
pub unsafe fn reduce_segments<T: Count>(
    input: View<T>,
    segments: Segments,
    segment_sums: ViewMut<u64>,
) {
    segments.for_each(|segment, start, end| {
        let mut sum = 0u64;
        let mut at = start + thread::thread_idx_x() as u64;
        while at < end {
            sum = input.read(at as usize).widen().wrapping_add(sum);
            at += thread::block_dim_x() as u64;
        }
        let sum = block::exclusive_sum(sum);
        if thread::thread_idx_x() == 0 {
            segment_sums.write(segment as usize, sum.total);
        }
    });
}

/// Replaces the sums of `count` segments by their exclusive prefix sums, and the element after them
/// by the total: second pass.
///
/// **Mapping:** the first block processes one block width of sums at a time; all other blocks are
/// idle.
///
/// # Safety
/// `segment_sums` holds `count + 1` elements.
#[kernel(baseline)]
pub unsafe fn scan_segment_sums(count: u64, segment_sums: ViewMut<u64>) {
    if thread::block_idx_x() != 0 {
        return;
    }
    let mut carry = 0u64;
    let mut start = 0;
    while start < count {
        let at = start + thread::thread_idx_x() as u64;
        let value = if at < count {
            segment_sums.read(at as usize)
        } else {
            0
        };
        let sum = block::exclusive_sum(value);
        if at < count {
            segment_sums.write(at as usize, carry.wrapping_add(sum.before));
        }
        carry = carry.wrapping_add(sum.total);
        start += thread::block_dim_x() as u64;
    }
    if thread::thread_idx_x() == 0 {
        segment_sums.write(count as usize, carry);
    }
}

/// Scans each segment, starting from its offset: third pass.
///
/// **Mapping:** one block per segment, [`THREE_PASS_ITEMS`] consecutive elements per thread and
/// iteration. **Traffic** per element: one read, one write of `initial` plus the sum of all
/// elements before it and, if `inclusive` is not 0, of the element itself. Sums wrap around.
///
/// # Safety
/// `input` and `output` hold `segments.count` elements, `offsets` one per segment. `input` and
/// `output` may be the same memory.
#[kernel(T = [u8, u16, u32, u64], I = [u32, u64], baseline)]
pub unsafe fn scan_segments<T: Count, I: Count>(
    input: View<T>,
    segments: Segments,
    offsets: View<u64>,
    initial: u64,
    inclusive: u32,
    output: ViewMut<I>,
) {
    segments.for_each(|segment, start, end| {
        let mut carry = initial.wrapping_add(offsets.read(segment as usize));
        let tile = thread::block_dim_x() as u64 * THREE_PASS_ITEMS as u64;
        let mut tile_start = start;
        while tile_start < end {
            let first = tile_start + thread::thread_idx_x() as u64 * THREE_PASS_ITEMS as u64;
            let mut wide = [0u64; THREE_PASS_ITEMS];
            let mut sum = 0u64;
            let mut item = 0;
            while item < THREE_PASS_ITEMS {
                let at = first + item as u64;
                if at < end {
                    wide[item] = input.read(at as usize).widen();
                }
                sum = sum.wrapping_add(wide[item]);
                item += 1;
            }
            let block_sum = block::exclusive_sum(sum);
            let mut running = carry.wrapping_add(block_sum.before);
            let mut item = 0;
            while item < THREE_PASS_ITEMS {
                let at = first + item as u64;
                let through = running.wrapping_add(wide[item]);
                if at < end {
                    let value = if inclusive != 0 { through } else { running };
                    output.write(at as usize, I::narrow(value));
                }
                running = through;
                item += 1;
            }
            carry = carry.wrapping_add(block_sum.total);
            tile_start += tile;
        }
    });
}

/// Writes `initial` plus the total that follows the `count` scanned sums.
///
/// **Mapping:** a single thread.
///
/// # Safety
/// `segment_sums` holds `count + 1` elements, `total` one.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn write_total<I: Count>(
    initial: u64,
    count: u64,
    segment_sums: View<u64>,
    total: ViewMut<I>,
) {
    if thread::block_idx_x() == 0 && thread::thread_idx_x() == 0 {
        let sum = initial.wrapping_add(segment_sums.read(count as usize));
        total.write(0, I::narrow(sum));
    }
}
