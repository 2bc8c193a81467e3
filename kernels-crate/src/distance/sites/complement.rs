//! Complement of a mask.

use super::bits::BitRows;
use crate::rows::Items;
use cuda_std::{View, ViewMut, kernel};

/// Computes the mask of the voxels that are not in a mask.
///
/// **Mapping:** one word per thread, neighbouring threads on neighbouring words. **Global memory:**
/// reads and writes one word. Shared memory is not used.
///
/// # Safety
/// `mask` and `complement` hold `bits.words()` elements, which is also the count of `items`.
#[kernel]
pub unsafe fn complement_bits(
    mask: View<u32>,
    bits: BitRows,
    items: Items,
    complement: ViewMut<u32>,
) {
    items.for_each(|word| {
        let [in_row, ..] = bits.word_position(word as u64);
        complement.write(word, bits.voxel_mask(in_row) & !mask.read(word));
    });
}
