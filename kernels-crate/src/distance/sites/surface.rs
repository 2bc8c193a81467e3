//! Surface voxels of a solid.

use super::bits::BitRows;
use crate::rows::Items;
use cuda_std::{View, ViewMut, kernel};

/// Keeps the voxels of a solid that have at least one face neighbour inside the grid and outside
/// the solid.
///
/// **Mapping:** one word per thread, neighbouring threads on neighbouring words. **Global memory:**
/// reads the word and up to six surrounding words, and writes one word. Shared memory is not used.
///
/// # Safety
/// `solid` and `surface` hold `bits.words()` elements, which is also the count of `items`.
#[kernel]
pub unsafe fn keep_surface(solid: View<u32>, bits: BitRows, items: Items, surface: ViewMut<u32>) {
    items.for_each(|word| {
        let here = solid.read(word);
        let mut surface_bits = 0;
        if here != 0 {
            let [in_row, y, z] = bits.word_position(word as u64);
            let last = in_row + 1 == bits.per_row;
            // Positions outside the grid count as part of the solid, so that the grid border is not
            // a surface.
            let before = if in_row > 0 {
                solid.read(word - 1) >> 31
            } else {
                1
            };
            let after = if last { 1 } else { solid.read(word + 1) & 1 };
            let along_row = here | !bits.voxel_mask(in_row);
            let mut around = (along_row << 1 | before) & (along_row >> 1 | after << 31);
            let other = |exists: bool, at: usize| if exists { solid.read(at) } else { u32::MAX };
            let row = bits.per_row as usize;
            let plane = bits.per_plane() as usize;
            around &= other(y > 0, word.wrapping_sub(row));
            around &= other(y + 1 < bits.grid.ny, word + row);
            around &= other(z > 0, word.wrapping_sub(plane));
            around &= other(z + 1 < bits.grid.nz, word + plane);
            surface_bits = here & !around;
        }
        surface.write(word, surface_bits);
    });
}
