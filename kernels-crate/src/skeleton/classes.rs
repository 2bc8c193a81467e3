//! Voxel classification of a solid: surface, boundary and interior, 32 voxels per word.
//!
//! - A *surface* voxel has a background neighbour: among its 26 neighbours, or among the six face
//!   neighbours, as selected.
//! - A *boundary* voxel is not on the surface, but one of its 26 neighbours is.
//! - All other voxels of the solid are *interior*.
//!
//! The solid without its surface is its erosion, and that without the boundary is the erosion of
//! the erosion. The second erosion uses the 3 × 3 × 3 structuring element in both cases. Voxels
//! outside the grid are background.

use crate::{distance::sites::BitRows, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// Returns the bits of the word at `(in_row, y, z)` whose voxel and both x-neighbours are in the
/// solid.
#[inline(always)]
fn erode_along_x(solid: View<u32>, bits: BitRows, in_row: u32, word: usize) -> u32 {
    let here = solid.read(word);
    if here == 0 {
        return 0;
    }
    let before = if in_row > 0 {
        solid.read(word - 1) >> 31
    } else {
        0
    };
    let after = if in_row + 1 < bits.per_row {
        solid.read(word + 1) << 31
    } else {
        0
    };
    here & (here << 1 | before) & (here >> 1 | after)
}

/// Returns the bits of a word whose voxel and all 26 neighbours are in the solid.
#[inline(always)]
fn erode_26(solid: View<u32>, bits: BitRows, word: usize) -> u32 {
    let [in_row, y, z] = bits.word_position(word as u64);
    let at_border = y == 0 || z == 0 || y + 1 == bits.grid.ny || z + 1 == bits.grid.nz;
    if at_border || solid.read(word) == 0 {
        return 0;
    }
    let row = bits.per_row as usize;
    let plane = bits.per_plane() as usize;
    let mut kept = u32::MAX;
    let mut dz = 0;
    while dz < 3 {
        let mut dy = 0;
        while dy < 3 {
            if kept != 0 {
                let neighbour_row = word + dz * plane + dy * row - plane - row;
                kept &= erode_along_x(solid, bits, in_row, neighbour_row);
            }
            dy += 1;
        }
        dz += 1;
    }
    kept
}

/// Returns the bits of a word whose voxel and all six face neighbours are in the solid.
#[inline(always)]
fn erode_6(solid: View<u32>, bits: BitRows, word: usize) -> u32 {
    let [in_row, y, z] = bits.word_position(word as u64);
    let at_border = y == 0 || z == 0 || y + 1 == bits.grid.ny || z + 1 == bits.grid.nz;
    if at_border {
        return 0;
    }
    let kept = erode_along_x(solid, bits, in_row, word);
    if kept == 0 {
        return 0;
    }
    let row = bits.per_row as usize;
    let plane = bits.per_plane() as usize;
    let across_y = solid.read(word - row) & solid.read(word + row);
    let across_z = solid.read(word - plane) & solid.read(word + plane);
    kept & across_y & across_z
}

/// Erodes a solid by one voxel, with the six face neighbours if `faces` is not 0, otherwise with
/// all 26 neighbours.
///
/// **Mapping:** one word of 32 voxels per thread; consecutive threads take consecutive words.
/// **Memory:** reads up to 27 words and writes one; no shared memory.
///
/// # Safety
/// `solid` and `inner` must hold `bits.words()` elements, which must equal `items.count`.
#[kernel(baseline)]
pub unsafe fn erode(
    solid: View<u32>,
    bits: BitRows,
    items: Items,
    faces: u32,
    inner: ViewMut<u32>,
) {
    items.for_each(|word| {
        let kept = if faces != 0 {
            erode_6(solid, bits, word)
        } else {
            erode_26(solid, bits, word)
        };
        inner.write(word, kept);
    });
}

/// Classifies the voxels of a solid as surface, boundary or interior, from the solid and its
/// erosion.
///
/// **Mapping:** as for [`erode`]. **Memory:** reads up to 28 words and writes three; no shared
/// memory.
///
/// # Safety
/// All five masks must hold `bits.words()` elements, which must equal `items.count`.
#[kernel(baseline)]
pub unsafe fn classify_voxels(
    solid: View<u32>,
    inner: View<u32>,
    bits: BitRows,
    items: Items,
    surface: ViewMut<u32>,
    boundary: ViewMut<u32>,
    interior: ViewMut<u32>,
) {
    items.for_each(|word| {
        let deep = erode_26(inner, bits, word);
        let kept = inner.read(word);
        surface.write(word, solid.read(word) & !kept);
        boundary.write(word, kept & !deep);
        interior.write(word, deep);
    });
}

/// Writes the union of two masks.
///
/// **Mapping:** one word per thread. **Memory:** reads two words and writes one; no shared memory.
///
/// # Safety
/// All three masks must hold `items.count` elements.
#[kernel(baseline)]
pub unsafe fn union_masks(a: View<u32>, b: View<u32>, items: Items, both: ViewMut<u32>) {
    items.for_each(|word| both.write(word, a.read(word) | b.read(word)));
}
