//! Position of the voxels in the lattice of bricks.

use super::BRICK;
use crate::distance::sites::BitRows;
use cuda_std::View;

/// Lattice from which bricks are cut. Along each axis, neighbouring voxels are `2^k` lattice points
/// apart, with `k` chosen such that bricks are approximately cubes in world space. For cubic voxels
/// `k` is 0 and the lattice points are the voxels. Lattice points between voxels are empty.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lattice {
    /// Layout of the mask's bits.
    pub bits: BitRows,
    /// Exponent `k` for each axis, at most 3, so that a brick contains a voxel along each axis.
    pub steps: [u32; 3],
}

impl Lattice {
    /// Returns the lattice points of a brick in row (y, z) that are voxels of the mask, as eight
    /// bits; 0 outside the grid.
    #[inline(always)]
    pub fn row_of_brick(self, words: View<u32>, brick: u32, y: u32, z: u32) -> u32 {
        let [along_x, along_y, along_z] = self.steps;
        let between = y & ((1 << along_y) - 1) | z & ((1 << along_z) - 1);
        let (y, z) = (y >> along_y, z >> along_z);
        if between != 0 || y >= self.bits.grid.ny || z >= self.bits.grid.nz {
            return 0;
        }
        let x = (brick * BRICK) >> along_x;
        let row_bits = words.read(self.bits.word_index(x, y, z)) >> (x % 32);
        match along_x {
            0 => row_bits & 0xff,
            1 => row_bits & 1 | (row_bits & 2) << 1 | (row_bits & 4) << 2 | (row_bits & 8) << 3,
            2 => row_bits & 1 | (row_bits & 2) << 3,
            _ => row_bits & 1,
        }
    }

    /// Returns the rank of a mask voxel from its lattice coordinates, given the number of mask
    /// voxels before each word.
    #[inline(always)]
    pub fn mask_rank(self, words: View<u32>, before: View<u64>, at: [u32; 3]) -> u64 {
        let [x, y, z] = [
            at[0] >> self.steps[0],
            at[1] >> self.steps[1],
            at[2] >> self.steps[2],
        ];
        let word = self.bits.word_index(x, y, z);
        let lower = words.read(word) & ((1 << (x % 32)) - 1);
        before.read(word) + lower.count_ones() as u64
    }

    /// Returns the brick that contains a voxel.
    #[inline(always)]
    pub fn containing_brick(self, [x, y, z]: [u32; 3]) -> [u32; 3] {
        [
            (x << self.steps[0]) / BRICK,
            (y << self.steps[1]) / BRICK,
            (z << self.steps[2]) / BRICK,
        ]
    }
}
