//! The numbers of what is flagged, without the others.

use crate::{rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Writes the numbers of the flagged items, in order: of the occupied cells in stage 4 of the
/// topology page (2011), of the active edges in stage 6.
///
/// A thread takes single items. It reads the item's flag and, where it is set, the flag's scanned
/// value, which is the place of the item's number in `compacted`. Nothing is shared in the block.
///
/// # Safety
/// `flags` and `offsets` hold `items.count` elements, `offsets` is the exclusive scan of `flags`,
/// and `compacted` holds as many elements as flags are set.
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
