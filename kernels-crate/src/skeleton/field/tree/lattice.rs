//! Where voxels are among bricks.

use super::BRICK;
use crate::distance::sites::BitRows;
use cuda_std::View;

/// The lattice that bricks are cut from. Along each axis a voxel is `2^k` steps of it from the
/// next, so that bricks of as many steps along each axis are about cubes, whatever the form of
/// voxels; with 0 for all axes the lattice is the voxels. Places that are no voxels have nothing.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lattice {
    /// How the bits of a mask lie.
    pub bits: BitRows,
    /// `k` for each axis, 3 at most: a brick has a voxel along each axis.
    pub steps: [u32; 3],
}

impl Lattice {
    /// The places of a brick in row (y, z) that are voxels of the mask, as eight bits; none beyond
    /// the grid.
    #[inline(always)]
    pub fn row_of_brick(self, words: View<u32>, brick: u32, y: u32, z: u32) -> u32 {
        let [along_x, along_y, along_z] = self.steps;
        let between = y & ((1 << along_y) - 1) | z & ((1 << along_z) - 1);
        let (y, z) = (y >> along_y, z >> along_z);
        if between != 0 || y >= self.bits.grid.ny || z >= self.bits.grid.nz {
            return 0;
        }
        let x = (brick * BRICK) >> along_x;
        let here = words.read(self.bits.word_of(x, y, z)) >> (x % 32);
        match along_x {
            0 => here & 0xff,
            1 => here & 1 | (here & 2) << 1 | (here & 4) << 2 | (here & 8) << 3,
            2 => here & 1 | (here & 2) << 3,
            _ => here & 1,
        }
    }

    /// The number of a voxel of the mask, from its place in the lattice; `before` says how many
    /// come before each word.
    #[inline(always)]
    pub fn number_of(self, words: View<u32>, before: View<u64>, at: [u32; 3]) -> u64 {
        let [x, y, z] = [
            at[0] >> self.steps[0],
            at[1] >> self.steps[1],
            at[2] >> self.steps[2],
        ];
        let word = self.bits.word_of(x, y, z);
        let lower = words.read(word) & ((1 << (x % 32)) - 1);
        before.read(word) + lower.count_ones() as u64
    }

    /// The brick of a voxel.
    #[inline(always)]
    pub fn brick_of(self, [x, y, z]: [u32; 3]) -> [u32; 3] {
        [
            (x << self.steps[0]) / BRICK,
            (y << self.steps[1]) / BRICK,
            (z << self.steps[2]) / BRICK,
        ]
    }
}
