//! The neighbours of a voxel, from the bits of the rows around it.

use super::{
    neighbour_bits::{AROUND, BELOW},
    object::Object,
    row_words::Word,
};

impl Object {
    /// Which of the three voxels about a bit of a word are of the component at a way from there,
    /// and the number of the first of them.
    #[inline(always)]
    fn three(&self, word: usize, bit: u32, way: usize) -> (u32, u32) {
        let &Word { bits, first, .. } = self.word_beside(word, way);
        if bit == 0 {
            let here = (bits << 1) as u32 & 7;
            return match self.word_across(word, way, -1) {
                Some(last) if last.bits >> 63 == 1 => {
                    (here | 1, last.first + last.bits.count_ones() - 1)
                }
                _ => (here, first),
            };
        }
        let here = (bits >> (bit - 1)) as u32 & 7;
        let number = self.word_beside(word, way).number(bit - 1);
        if bit == 63 {
            return match self.word_across(word, way, 1) {
                Some(next) if next.bits & 1 == 1 => {
                    (here | 4, if here == 0 { next.first } else { number })
                }
                _ => (here, number),
            };
        }
        (here, number)
    }

    /// For a voxel those of the 27 around it that are of the component, itself among them.
    #[inline]
    pub fn around(&self, voxel: usize) -> u32 {
        let (word, bit) = self.word_of(voxel);
        let mut around = 0;
        for way in 0..9 {
            let three = match bit {
                1..63 => (self.word_beside(word, way).bits >> (bit - 1)) as u32 & 7,
                _ => self.three(word, bit, way).0,
            };
            around |= three << (3 * way);
        }
        around
    }

    /// The neighbour of a voxel at a bit, if it is of the component.
    #[inline]
    pub fn beyond(&self, voxel: usize, bit: usize) -> Option<usize> {
        let (word, place) = self.word_of(voxel);
        let (three, first) = self.three(word, place, bit / 3);
        let before = before(three << (bit - bit % 3), bit);
        (three >> (bit % 3) & 1 == 1).then_some((first + before) as usize)
    }

    /// The neighbour of a voxel at a bit, which is of the component.
    #[inline]
    pub fn neighbour(&self, voxel: usize, bit: usize) -> usize {
        self.beyond(voxel, bit).unwrap_or(voxel)
    }

    /// The neighbours of a voxel that are of the component and of a mask: their bits and their
    /// numbers.
    #[inline(always)]
    pub fn neighbours(&self, voxel: usize, mask: u32) -> Neighbours {
        let (word, bit) = self.word_of(voxel);
        let mut found = Neighbours {
            around: 0,
            rest: 0,
            firsts: [0; 9],
        };
        for way in (0..9).filter(|way| mask >> (3 * way) & 7 != 0) {
            let (three, first) = match bit {
                // without a branch: whether there is a voxel is hard to foresee
                1..63 => {
                    let beside = self.word_beside(word, way);
                    let three = (beside.bits >> (bit - 1)) as u32 & 7;
                    (three, beside.number(bit - 1))
                }
                _ => self.three(word, bit, way),
            };
            found.around |= three << (3 * way);
            found.firsts[way] = first;
        }
        found.rest = found.around & mask;
        found
    }
}

/// Neighbours of a voxel: their bits, lowest first, and their numbers.
#[derive(Clone, Copy)]
pub struct Neighbours {
    around: u32,
    rest: u32,
    /// For each way the first of the component's three voxels there.
    firsts: [u32; 9],
}

impl Neighbours {
    /// The number of the neighbour at a bit, which is one of them.
    #[inline(always)]
    pub fn at(&self, bit: usize) -> usize {
        (self.firsts[bit / 3] + before(self.around, bit)) as usize
    }
}

impl Iterator for Neighbours {
    type Item = (usize, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, usize)> {
        if self.rest == 0 {
            return None;
        }
        let bit = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        Some((bit, self.at(bit)))
    }
}

/// How many of the bits of a row are set before one.
#[inline(always)]
fn before(around: u32, bit: usize) -> u32 {
    // none, one of two, or both
    ((around & BELOW[bit]) >> (bit - bit % 3)).div_ceil(2)
}

/// For the voxels at the bits of a word: which of those around, without themselves, are among the
/// bits that words have. The words at the same x are asked once.
#[inline(always)]
pub fn around_of<'a>(
    object: &'a Object,
    word: usize,
    bits: impl Fn(usize) -> u64 + 'a,
) -> impl Fn(u32) -> u32 + 'a {
    let beside: [u64; 9] = std::array::from_fn(|way| bits(object.number_beside(word, way)));
    let across =
        move |way: usize, step: i32| object.number_across(word, way, step).map_or(0, &bits);
    move |bit| {
        let mut around = 0;
        for (way, &here) in beside.iter().enumerate() {
            let three = match bit {
                0 => here << 1 | across(way, -1) >> 63,
                63 => here >> 62 | across(way, 1) << 2,
                _ => here >> (bit - 1),
            };
            around |= (three as u32 & 7) << (3 * way);
        }
        around & AROUND
    }
}
