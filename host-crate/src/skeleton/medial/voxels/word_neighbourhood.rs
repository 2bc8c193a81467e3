//! Neighbourhoods of the 64 voxels of a word at once, and surface voxels.

use super::{
    neighbour_bits::{CENTRE, FACES, NEIGHBOURS, OFFSETS, SHARED_WITH_PREDECESSORS, bits},
    object::{Object, collect_in_order},
    row_words::Word,
};

/// Surface voxel with its position and the 27-bit mask of the component's voxels around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceVoxel {
    pub voxel: u32,
    pub position: [i32; 3],
    pub neighbour_mask: u32,
}

/// For each neighbour bit, the set of a word's voxels that have this neighbour.
#[derive(Clone, Copy)]
pub struct WordNeighbourhood([u64; 27]);

impl WordNeighbourhood {
    /// Returns the voxels that have all neighbours of a mask.
    #[inline(always)]
    pub fn with_all(&self, mask: u32) -> u64 {
        let words = self.0.iter().enumerate();
        words.fold(u64::MAX, |common, (bit, word)| match mask >> bit & 1 {
            1 => common & word,
            _ => common,
        })
    }

    /// Returns the 27-bit neighbour mask of the voxel at a bit.
    #[inline(always)]
    pub fn neighbour_mask(&self, bit: u32) -> u32 {
        let words = self.0.iter().enumerate();
        words.fold(0, |neighbour_mask, (at, word)| {
            neighbour_mask | ((word >> bit & 1) as u32) << at
        })
    }

    /// Returns the voxels that have any neighbour of a mask.
    #[inline(always)]
    fn with_any(&self, mask: u32) -> u64 {
        bits(mask).fold(0, |any, bit| any | self.0[bit])
    }

    /// Returns the contribution of the word's voxels to the Euler number of the union of closed
    /// cubes: the signed count of their cells that no preceding voxel shares.
    pub fn euler_number(&self) -> i64 {
        let own = self.0[CENTRE.trailing_zeros() as usize];
        if own & !self.with_all(NEIGHBOURS) == 0 {
            // full neighbourhoods contribute equally many cells of even and odd dimension
            return 0;
        }
        let cell = |cell: usize| {
            let new = own & !self.with_any(SHARED_WITH_PREDECESSORS[cell]);
            let [x, y, z] = OFFSETS[cell];
            let count = i64::from(new.count_ones());
            // the number of non-zero offset components is 3 minus the dimension of the cell
            match (x & 1) + (y & 1) + (z & 1) {
                0 | 2 => -count,
                _ => count,
            }
        };
        (0..27).map(cell).sum()
    }
}

impl Object {
    /// Returns the neighbourhoods of a word's voxels.
    pub fn neighbourhood(&self, word: usize) -> WordNeighbourhood {
        let voxels = self.words()[word].bits;
        let mut neighbours = [0; 27];
        for direction in 0..9 {
            let bits = |word: Option<&Word>| word.map_or(0, |word| word.bits);
            let own = self.adjacent_word(word, direction).bits;
            let [mut last, mut next] = [0; 2];
            // adjacent words are needed for the voxels at either end only
            if voxels & 1 == 1 {
                last = bits(self.word_at_offset(word, direction, -1));
            }
            if voxels >> 63 == 1 {
                next = bits(self.word_at_offset(word, direction, 1));
            }
            neighbours[3 * direction] = own << 1 | last >> 63;
            neighbours[3 * direction + 1] = own;
            neighbours[3 * direction + 2] = own >> 1 | next << 63;
        }
        WordNeighbourhood(neighbours)
    }

    /// Returns the voxels that have a face neighbour in the background, in order.
    pub fn surface_voxels(&self) -> Vec<SurfaceVoxel> {
        collect_in_order(self.words().len(), |word| {
            let neighbours = self.neighbourhood(word);
            let [x, y, z] = self.word_position(word);
            let own = self.words()[word];
            set_bits(own.bits & !neighbours.with_all(FACES)).map(move |bit| SurfaceVoxel {
                voxel: own.voxel_index(bit),
                position: [x + bit as i32, y, z],
                neighbour_mask: neighbours.neighbour_mask(bit),
            })
        })
    }
}

/// Returns the positions of the set bits, in ascending order.
pub fn set_bits(mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (bits != 0).then(|| {
            let bit = bits.trailing_zeros();
            bits &= bits - 1;
            bit
        })
    })
}
