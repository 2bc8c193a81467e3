//! How the bits of voxels lie in words.

use cuda_std::View;

use crate::{
    arith::{div_rem, quotient_up, quotient_up_u32},
    grid::Grid,
};

/// Words of a tile: what a block counts, and emits, together.
pub const TILE: u32 = 256;

/// One bit for each voxel of a grid: 32 voxels along x in a word, the first in the lowest bit. Rows
/// begin with a word of their own, and bits after the end of a row are 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitRows {
    /// The voxels.
    pub grid: Grid,
    /// Words in a row.
    pub per_row: u32,
}

impl BitRows {
    /// The words of a grid.
    pub const fn new(grid: Grid) -> Self {
        Self {
            grid,
            per_row: quotient_up_u32(grid.nx, 32),
        }
    }

    /// Words in a plane.
    #[inline(always)]
    pub const fn per_plane(self) -> u64 {
        self.per_row as u64 * self.grid.ny as u64
    }

    /// All words.
    #[inline(always)]
    pub const fn words(self) -> u64 {
        self.per_plane() * self.grid.nz as u64
    }

    /// The word that has voxel `x` of row (y, z).
    #[inline(always)]
    pub const fn word_of(self, x: u32, y: u32, z: u32) -> usize {
        ((z as u64 * self.grid.ny as u64 + y as u64) * self.per_row as u64 + (x >> 5) as u64)
            as usize
    }

    /// The bits of row (y, z) from voxel `x` on, which is in the grid: 32 at least, those behind
    /// the row are 0.
    #[inline(always)]
    pub fn bits_from(self, words: View<u32>, x: u32, y: u32, z: u32) -> u64 {
        let at = self.word_of(x, y, z);
        let low = words.read(at) as u64;
        let high = if (x >> 5) + 1 < self.per_row {
            words.read(at + 1) as u64
        } else {
            0
        };
        (high << 32 | low) >> (x & 31)
    }

    /// The place of a word in its row, the row in its plane, and the plane.
    #[inline(always)]
    pub const fn place(self, word: u64) -> [u32; 3] {
        let (row, in_row) = div_rem(word, self.per_row as u64);
        let (z, y) = div_rem(row, self.grid.ny as u64);
        [in_row as u32, y as u32, z as u32]
    }

    /// The bits of the word at `in_row` of a row that stand for voxels.
    #[inline(always)]
    pub const fn voxels_of(self, in_row: u32) -> u32 {
        let rest = self.grid.nx - in_row * 32;
        if rest >= 32 {
            u32::MAX
        } else {
            (1 << rest) - 1
        }
    }

    /// Tiles in a plane.
    #[inline(always)]
    pub const fn tiles_per_plane(self) -> u64 {
        quotient_up(self.per_plane(), TILE as u64)
    }

    /// Tiles of all words, cut without regard to planes.
    #[inline(always)]
    pub const fn tiles(self) -> u64 {
        quotient_up(self.words(), TILE as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_words_agree() {
        for (nx, ny, nz) in [(1, 1, 1), (31, 3, 2), (32, 2, 3), (33, 5, 4), (97, 1, 7)] {
            let bits = BitRows::new(Grid { nx, ny, nz });
            let mut voxels = 0;
            for word in 0..bits.words() {
                let [in_row, y, z] = bits.place(word);
                assert_eq!(bits.word_of(in_row * 32, y, z) as u64, word);
                voxels += u64::from(bits.voxels_of(in_row).count_ones());
            }
            assert_eq!(voxels, bits.grid.samples());
        }
    }
}
