//! Distances from a voxel to the end of its run along x.

use crate::distance::sites::BitRows;
use cuda_std::View;

/// Mask of an object whose voxels do not touch the border of the grid.
#[derive(Clone, Copy)]
pub(super) struct Solid<'a> {
    pub words: View<'a, u32>,
    pub bits: BitRows,
}

impl Solid<'_> {
    /// Returns `true` if a voxel belongs to the object.
    #[inline(always)]
    pub fn contains(&self, [x, y, z]: [u32; 3]) -> bool {
        self.words.read(self.bits.word_index(x, y, z)) >> (x % 32) & 1 == 1
    }

    /// Returns the number of steps along +x from a voxel of the object to the first background
    /// voxel.
    #[inline(always)]
    pub fn steps_forward(&self, [x, y, z]: [u32; 3]) -> u32 {
        let mut word = self.bits.word_index(x, y, z);
        // the shift fills with zeros, so a run that reaches the top bit may continue in the next
        // word
        let mut ones = (self.words.read(word) >> (x % 32)).trailing_ones();
        let mut steps = ones;
        let mut max_ones = 32 - x % 32;
        while ones == max_ones {
            word += 1;
            max_ones = 32;
            ones = self.words.read(word).trailing_ones();
            steps += ones;
        }
        steps
    }

    /// Returns the number of steps along −x from a voxel of the object to the first background
    /// voxel.
    #[inline(always)]
    pub fn steps_back(&self, [x, y, z]: [u32; 3]) -> u32 {
        let mut word = self.bits.word_index(x, y, z);
        let mut ones = (self.words.read(word) << (31 - x % 32)).leading_ones();
        let mut steps = ones;
        let mut max_ones = x % 32 + 1;
        while ones == max_ones {
            word -= 1;
            max_ones = 32;
            ones = self.words.read(word).leading_ones();
            steps += ones;
        }
        steps
    }
}
