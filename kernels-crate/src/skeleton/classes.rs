//! Classes of voxels by how deep in the solid they are, 32 at a time.
//!
//! A voxel of the solid is of the surface if one of its neighbours, 26 or the six across faces, is
//! not of it, of the boundary if it is not of the surface and one of its 26 neighbours is, and else
//! of the interior. What is left of a solid without its surface is its erosion; what is left of
//! that without the boundary is the next erosion, by 3 x 3 x 3 voxels in both cases: where there is
//! an exterior neighbour at an edge or a corner there is one of the surface too. Everything beyond
//! the grid is outside.

use crate::{distance::sites::BitRows, rows::Items};
use cuda_std::{View, ViewMut, kernel};

/// The voxels of the word at `(in_row, y, z)` that are in the solid together with their neighbours
/// along x.
#[inline(always)]
fn along_row(solid: View<u32>, bits: BitRows, in_row: u32, word: usize) -> u32 {
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

/// The voxels of a word whose 26 neighbours are all in the solid, and they too.
#[inline(always)]
fn eroded(solid: View<u32>, bits: BitRows, word: usize) -> u32 {
    let [in_row, y, z] = bits.place(word as u64);
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
                let other = word + dz * plane + dy * row - plane - row;
                kept &= along_row(solid, bits, in_row, other);
            }
            dy += 1;
        }
        dz += 1;
    }
    kept
}

/// The voxels of a word whose six neighbours across faces are all in the solid, and they too.
#[inline(always)]
fn eroded_by_faces(solid: View<u32>, bits: BitRows, word: usize) -> u32 {
    let [in_row, y, z] = bits.place(word as u64);
    let at_border = y == 0 || z == 0 || y + 1 == bits.grid.ny || z + 1 == bits.grid.nz;
    if at_border {
        return 0;
    }
    let kept = along_row(solid, bits, in_row, word);
    if kept == 0 {
        return 0;
    }
    let row = bits.per_row as usize;
    let plane = bits.per_plane() as usize;
    let across_y = solid.read(word - row) & solid.read(word + row);
    let across_z = solid.read(word - plane) & solid.read(word + plane);
    kept & across_y & across_z
}

/// Writes the voxels of a solid that are not of its surface: that none of their neighbours is
/// outside, of six if `faces` is not 0, else of 26.
///
/// A thread takes single words, neighbouring threads neighbouring words: it reads the word and up
/// to 26 around it, and writes one. Nothing is shared in the block.
///
/// # Safety
/// `solid` and `inner` hold `bits.words()` elements, which `items` counts.
#[kernel]
pub unsafe fn erode(
    solid: View<u32>,
    bits: BitRows,
    items: Items,
    faces: u32,
    inner: ViewMut<u32>,
) {
    items.for_each(|word| {
        let kept = if faces != 0 {
            eroded_by_faces(solid, bits, word)
        } else {
            eroded(solid, bits, word)
        };
        inner.write(word, kept);
    });
}

/// Writes a solid's surface, boundary and interior, from it and its erosion.
///
/// As [`erode`], with three words written instead of one.
///
/// # Safety
/// All five hold `bits.words()` elements, which `items` counts.
#[kernel]
pub unsafe fn separate_classes(
    solid: View<u32>,
    inner: View<u32>,
    bits: BitRows,
    items: Items,
    surface: ViewMut<u32>,
    boundary: ViewMut<u32>,
    interior: ViewMut<u32>,
) {
    items.for_each(|word| {
        let deep = eroded(inner, bits, word);
        let kept = inner.read(word);
        surface.write(word, solid.read(word) & !kept);
        boundary.write(word, kept & !deep);
        interior.write(word, deep);
    });
}

/// Writes the voxels that are in one mask or the other.
///
/// A thread takes single words: it reads two and writes one. Nothing is shared in the block.
///
/// # Safety
/// All three hold `items.count` elements.
#[kernel]
pub unsafe fn join_masks(a: View<u32>, b: View<u32>, items: Items, both: ViewMut<u32>) {
    items.for_each(|word| both.write(word, a.read(word) | b.read(word)));
}
