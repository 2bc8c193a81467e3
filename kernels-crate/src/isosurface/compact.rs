//! Stream compaction: the indices of the flagged items.

use crate::{rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Writes the indices of the flagged items in ascending order: the occupied cells (stage 4 of the
/// staged method), then the active edges (stage 6).
///
/// **Mapping:** one item per thread; no shared memory. **Traffic** per item: its flag read; if the
/// flag is set, its scanned offset read and its index written to that offset in `compacted`.
///
/// # Safety
/// `flags` and `offsets` hold `items.count` elements, `offsets` is the exclusive scan of `flags`,
/// and `compacted` holds one element per set flag.
#[kernel(I = [u32, u64])]
pub unsafe fn compact_flagged<I: Count>(
    flags: View<u8>,
    offsets: View<I>,
    items: Items,
    compacted: ViewMut<u64>,
) {
    items.for_each(|item| {
        if flags.read(item) != 0 {
            compacted.write(offsets.read(item).widen() as usize, item as u64);
        }
    });
}
