//! The occupied cells, without the others.

use crate::{rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Writes the numbers of the occupied cells, in order: stage 4 of the document.
///
/// A thread takes single cells. It reads the cell's flag and, where it is set, the flag's scanned value, which is the
/// place of the cell's number in `compacted`. Nothing is shared in the block.
///
/// # Safety
/// `occupied` and `offsets` hold `items.count` elements, `offsets` is the exclusive scan of `occupied`, and `compacted`
/// holds as many elements as flags are set.
#[kernel(I = [u32, u64])]
pub unsafe fn compact_cells<I: Count>(
    occupied: View<u8>,
    offsets: View<I>,
    items: Items,
    compacted: ViewMut<u64>,
) {
    items.for_each(|cell| {
        if occupied.read(cell) != 0 {
            compacted.write(offsets.read(cell).widen() as usize, cell as u64);
        }
    });
}
