//! Neighbours of a voxel, from the words of the nine rows around it.

use super::{
    neighbour_bits::LOWER_IN_ROW,
    object::Object,
    row_words::{WIDTH, Word},
};

impl Object {
    /// Returns the bits of the three voxels at x - 1, x and x + 1 in a direction from bit x of a
    /// word, and the index of the first of these voxels.
    #[inline(always)]
    fn row_bits(&self, word: usize, bit: u32, direction: usize) -> (u32, u32) {
        let &Word { bits, first, .. } = self.adjacent_word(word, direction);
        if bit == 0 {
            let row_bits = (bits << 1) as u32 & 7;
            return match self.word_at_offset(word, direction, -1) {
                Some(last) if last.bits >> 63 == 1 => {
                    (row_bits | 1, last.first + last.bits.count_ones() - 1)
                }
                _ => (row_bits, first),
            };
        }
        let row_bits = (bits >> (bit - 1)) as u32 & 7;
        let index = self.adjacent_word(word, direction).voxel_index(bit - 1);
        if bit == 63 {
            return match self.word_at_offset(word, direction, 1) {
                Some(next) if next.bits & 1 == 1 => {
                    (row_bits | 4, if row_bits == 0 { next.first } else { index })
                }
                _ => (row_bits, index),
            };
        }
        (row_bits, index)
    }

    /// Returns the 27-bit mask of the component's voxels around a voxel, including itself.
    #[inline]
    pub fn neighbour_mask(&self, voxel: usize) -> u32 {
        let (word, bit) = self.locate(voxel);
        let mut neighbour_mask = 0;
        for direction in 0..9 {
            let row_bits = match bit {
                1..63 => (self.adjacent_word(word, direction).bits >> (bit - 1)) as u32 & 7,
                _ => self.row_bits(word, bit, direction).0,
            };
            neighbour_mask |= row_bits << (3 * direction);
        }
        neighbour_mask
    }

    /// Returns the neighbour of a voxel at a neighbour bit, if it belongs to the component.
    #[inline]
    pub fn neighbour_at(&self, voxel: usize, bit: usize) -> Option<usize> {
        let (word, position) = self.locate(voxel);
        let (row_bits, first) = self.row_bits(word, position, bit / 3);
        let before = count_lower(row_bits << (bit - bit % 3), bit);
        (row_bits >> (bit % 3) & 1 == 1).then_some((first + before) as usize)
    }

    /// Returns the neighbour of a voxel at a neighbour bit, which must belong to the component.
    #[inline]
    pub fn neighbour(&self, voxel: usize, bit: usize) -> usize {
        self.neighbour_at(voxel, bit).unwrap_or(voxel)
    }

    /// Returns the word and the bit of a voxel's neighbour in the direction of a neighbour bit. The
    /// voxel is given by its word and its bit; the neighbour must belong to the component.
    #[inline(always)]
    pub fn step(&self, word: usize, bit: u32, neighbour_bit: usize) -> (usize, u32) {
        let direction = neighbour_bit / 3;
        let x = bit as i32 + (neighbour_bit % 3) as i32 - 1;
        if (0..WIDTH).contains(&x) {
            (self.adjacent_word_index(word, direction), x as u32)
        } else {
            let word_at_offset = self.word_index_at_offset(word, direction, x.signum());
            (word_at_offset.unwrap_or(word), (x & (WIDTH - 1)) as u32)
        }
    }

    /// Returns the neighbours of a voxel that belong to the component and to a mask.
    #[inline(always)]
    pub fn neighbours(&self, voxel: usize, mask: u32) -> Neighbours {
        let (word, bit) = self.locate(voxel);
        self.word_neighbours(word, bit, mask)
    }

    /// Returns the neighbours, in a mask, of the voxel at a bit of a word.
    #[inline(always)]
    pub fn word_neighbours(&self, word: usize, bit: u32, mask: u32) -> Neighbours {
        let mut found = Neighbours {
            neighbour_mask: 0,
            pending: 0,
            firsts: [0; 9],
        };
        for direction in (0..9).filter(|direction| mask >> (3 * direction) & 7 != 0) {
            let (row_bits, first) = match bit {
                // branch-free, because the presence of a voxel is hard to predict
                1..63 => {
                    let adjacent = self.adjacent_word(word, direction);
                    let row_bits = (adjacent.bits >> (bit - 1)) as u32 & 7;
                    (row_bits, adjacent.voxel_index(bit - 1))
                }
                _ => self.row_bits(word, bit, direction),
            };
            found.neighbour_mask |= row_bits << (3 * direction);
            found.firsts[direction] = first;
        }
        found.pending = found.neighbour_mask & mask;
        found
    }
}

/// Iterator over the neighbours of a voxel: their bits, lowest first, and their indices.
#[derive(Clone, Copy)]
pub struct Neighbours {
    neighbour_mask: u32,
    pending: u32,
    /// Index of the first of the component's three voxels in each direction.
    firsts: [u32; 9],
}

impl Neighbours {
    /// Returns the bits of the neighbours that are left.
    #[inline(always)]
    pub fn mask(&self) -> u32 {
        self.pending
    }

    /// Keeps the neighbours for which a condition holds. `are_selected(first)` returns it for the
    /// voxels `first`, `first + 1` and `first + 2`; those that are no neighbours are ignored, and
    /// `first` can be the number of voxels. There are no branches, because the conditions are hard
    /// to predict.
    #[inline(always)]
    pub fn select(mut self, are_selected: impl Fn(usize) -> [bool; 3]) -> Self {
        let mut selected = 0;
        for (direction, &first) in self.firsts.iter().enumerate() {
            let [a, b, c] = are_selected(first as usize).map(u32::from);
            let conditions = a | b << 1 | c << 2;
            let row_bits = self.neighbour_mask >> (3 * direction) & 7;
            selected |= DEPOSITED[(8 * row_bits + conditions) as usize] << (3 * direction);
        }
        self.pending &= selected;
        self
    }

    /// Returns the index of the neighbour at a bit that is set.
    #[inline(always)]
    pub fn at(&self, bit: usize) -> usize {
        (self.firsts[bit / 3] + count_lower(self.neighbour_mask, bit)) as usize
    }
}

impl Iterator for Neighbours {
    type Item = (usize, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, usize)> {
        if self.pending == 0 {
            return None;
        }
        let bit = self.pending.trailing_zeros() as usize;
        self.pending &= self.pending - 1;
        Some((bit, self.at(bit)))
    }
}

/// For three row bits and three conditions, at `8 * row bits + conditions`, the row bits whose
/// condition holds; the conditions are in the order of the set row bits.
const DEPOSITED: [u32; 64] = {
    let mut deposited = [0; 64];
    let mut index = 0;
    while index < 64 {
        let (row_bits, mut conditions) = (index as u32 / 8, index as u32 % 8);
        let mut bit = 0;
        while bit < 3 {
            if row_bits >> bit & 1 == 1 {
                deposited[index] |= (conditions & 1) << bit;
                conditions >>= 1;
            }
            bit += 1;
        }
        index += 1;
    }
    deposited
};

/// Returns the number of set bits of the same row below a bit.
#[inline(always)]
fn count_lower(neighbour_mask: u32, bit: usize) -> u32 {
    // population count of a two-bit number
    ((neighbour_mask & LOWER_IN_ROW[bit]) >> (bit - bit % 3)).div_ceil(2)
}
