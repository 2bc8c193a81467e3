//! The surface of a solid, as whole voxels.

use super::bits::BitRows;
use crate::rows::Items;
use cuda_std::{View, ViewMut, kernel};

/// Keeps the voxels of a solid that have a neighbour across a face that is in the grid and not in
/// the solid.
///
/// A thread takes single words, neighbouring threads neighbouring words: it reads the word and up
/// to six around it, and writes one. Nothing is shared in the block.
///
/// # Safety
/// `solid` and `surface` hold `bits.words()` elements, `items` counts these.
#[kernel]
pub unsafe fn keep_surface(solid: View<u32>, bits: BitRows, items: Items, surface: ViewMut<u32>) {
    items.for_each(|word| {
        let here = solid.read(word);
        let mut kept = 0;
        if here != 0 {
            let [in_row, y, z] = bits.place(word as u64);
            let last = in_row + 1 == bits.per_row;
            // beyond the grid is no neighbour: such bits count as the solid's own
            let before = if in_row > 0 {
                solid.read(word - 1) >> 31
            } else {
                1
            };
            let after = if last { 1 } else { solid.read(word + 1) & 1 };
            let along_row = here | !bits.voxels_of(in_row);
            let mut around = (along_row << 1 | before) & (along_row >> 1 | after << 31);
            let other = |exists: bool, at: usize| if exists { solid.read(at) } else { u32::MAX };
            let row = bits.per_row as usize;
            let plane = bits.per_plane() as usize;
            around &= other(y > 0, word.wrapping_sub(row));
            around &= other(y + 1 < bits.grid.ny, word + row);
            around &= other(z > 0, word.wrapping_sub(plane));
            around &= other(z + 1 < bits.grid.nz, word + plane);
            kept = here & !around;
        }
        surface.write(word, kept);
    });
}
