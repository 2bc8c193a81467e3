//! How many steps lead out of an object along an axis.

use crate::distance::sites::BitRows;
use cuda_std::View;

/// The bits of an object, in a grid whose first and last samples along each axis are not of it.
#[derive(Clone, Copy)]
pub(super) struct Solid<'a> {
    pub words: View<'a, u32>,
    pub bits: BitRows,
}

impl Solid<'_> {
    /// Whether a voxel is of the object.
    #[inline(always)]
    pub fn has(&self, [x, y, z]: [u32; 3]) -> bool {
        self.words.read(self.bits.word_of(x, y, z)) >> (x % 32) & 1 == 1
    }

    /// Steps forwards along x from a voxel of the object to the first that is not.
    #[inline(always)]
    pub fn ahead_along_x(&self, [x, y, z]: [u32; 3]) -> u32 {
        let mut at = self.bits.word_of(x, y, z);
        // zeros come in from above: a run that ends there may go on in the next word
        let mut ones = (self.words.read(at) >> (x % 32)).trailing_ones();
        let mut steps = ones;
        let mut most = 32 - x % 32;
        while ones == most {
            at += 1;
            most = 32;
            ones = self.words.read(at).trailing_ones();
            steps += ones;
        }
        steps
    }

    /// Steps backwards along x.
    #[inline(always)]
    pub fn back_along_x(&self, [x, y, z]: [u32; 3]) -> u32 {
        let mut at = self.bits.word_of(x, y, z);
        let mut ones = (self.words.read(at) << (31 - x % 32)).leading_ones();
        let mut steps = ones;
        let mut most = x % 32 + 1;
        while ones == most {
            at -= 1;
            most = 32;
            ones = self.words.read(at).leading_ones();
            steps += ones;
        }
        steps
    }
}
