//! Layout of one bit per voxel in 32-bit words.

use cuda_std::View;

use crate::{
    arith::{div_ceil, div_ceil_u32, div_rem},
    grid::Grid,
};

/// Number of words in a tile, the unit of work that a block counts or emits.
pub const TILE: u32 = 256;

/// Layout of a bit mask with one bit per voxel: each word holds 32 voxels along x, the first in the
/// lowest bit. Every row starts at a new word; padding bits at the end of a row are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitRows {
    /// Voxel grid.
    pub grid: Grid,
    /// Number of words per row.
    pub per_row: u32,
}

impl BitRows {
    /// Creates the layout for `grid`.
    pub const fn new(grid: Grid) -> Self {
        Self {
            grid,
            per_row: div_ceil_u32(grid.nx, 32),
        }
    }

    /// Returns the number of words per plane.
    #[inline(always)]
    pub const fn per_plane(self) -> u64 {
        self.per_row as u64 * self.grid.ny as u64
    }

    /// Returns the total number of words.
    #[inline(always)]
    pub const fn words(self) -> u64 {
        self.per_plane() * self.grid.nz as u64
    }

    /// Returns the index of the word that contains voxel `x` of row (`y`, `z`).
    #[inline(always)]
    pub const fn word_index(self, x: u32, y: u32, z: u32) -> usize {
        ((z as u64 * self.grid.ny as u64 + y as u64) * self.per_row as u64 + (x >> 5) as u64)
            as usize
    }

    /// Returns the bits of row (`y`, `z`) from voxel `x` on, starting at the lowest bit. At least
    /// 32 bits are valid; bits past the end of the row are 0. `x` must lie in the grid.
    #[inline(always)]
    pub fn bits_from(self, words: View<u32>, x: u32, y: u32, z: u32) -> u64 {
        let at = self.word_index(x, y, z);
        let low = words.read(at) as u64;
        let high = if (x >> 5) + 1 < self.per_row {
            words.read(at + 1) as u64
        } else {
            0
        };
        (high << 32 | low) >> (x & 31)
    }

    /// Returns the position of a word: its index within the row, the y of the row, and the z of the
    /// plane.
    #[inline(always)]
    pub const fn word_position(self, word: u64) -> [u32; 3] {
        let (row, in_row) = div_rem(word, self.per_row as u64);
        let (z, y) = div_rem(row, self.grid.ny as u64);
        [in_row as u32, y as u32, z as u32]
    }

    /// Returns a mask of the bits that correspond to voxels in the word at index `in_row` of a row.
    #[inline(always)]
    pub const fn voxel_mask(self, in_row: u32) -> u32 {
        let remaining = self.grid.nx - in_row * 32;
        if remaining >= 32 {
            u32::MAX
        } else {
            (1 << remaining) - 1
        }
    }

    /// Returns the number of tiles per plane.
    #[inline(always)]
    pub const fn tiles_per_plane(self) -> u64 {
        div_ceil(self.per_plane(), TILE as u64)
    }

    /// Returns the number of tiles if all words are divided without regard to planes.
    #[inline(always)]
    pub const fn tiles(self) -> u64 {
        div_ceil(self.words(), TILE as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_positions_and_indices_agree() {
        for (nx, ny, nz) in [(1, 1, 1), (31, 3, 2), (32, 2, 3), (33, 5, 4), (97, 1, 7)] {
            let bits = BitRows::new(Grid { nx, ny, nz });
            let mut voxels = 0;
            for word in 0..bits.words() {
                let [in_row, y, z] = bits.word_position(word);
                assert_eq!(bits.word_index(in_row * 32, y, z) as u64, word);
                voxels += u64::from(bits.voxel_mask(in_row).count_ones());
            }
            assert_eq!(voxels, bits.grid.samples());
        }
    }
}
