//! Lines of voxels along the axes of a frame.

use super::{
    object::Object,
    row_words::{WIDTH, Word},
    word_neighbourhood::ones,
};
use std::ops::Range;

impl Object {
    /// The runs of a row among the bits that its words have: x from the first voxel to behind the
    /// last.
    pub fn runs_of(
        &self,
        row: usize,
        bits: impl Fn(usize) -> u64,
    ) -> impl Iterator<Item = [i32; 2]> {
        let words = self.words_of(row);
        let mut words = words
            .map(move |word| Word {
                bits: bits(word),
                ..self.words()[word]
            })
            .peekable();
        let mut rest = 0;
        let mut at = 0;
        std::iter::from_fn(move || {
            while rest == 0 {
                let word = words.next()?;
                (rest, at) = (word.bits, WIDTH * word.block);
            }
            let skip = rest.trailing_zeros();
            let start = at + skip as i32;
            rest >>= skip;
            at = start;
            loop {
                let length = (!rest).trailing_zeros();
                rest = rest.checked_shr(length).unwrap_or(0);
                at += length as i32;
                // up to the end of a word it may go on in the next
                if at % WIDTH != 0 {
                    return Some([start, at]);
                }
                match words.next_if(|word| word.bits & 1 == 1 && WIDTH * word.block == at) {
                    Some(word) => rest = word.bits,
                    None => {
                        rest = 0;
                        return Some([start, at]);
                    }
                }
            }
        })
    }

    /// The first and the last voxel of each row, ascending. One of them is farther from any place
    /// than the others of the row, since squared lengths are convex.
    pub fn ends_of_rows(&self) -> impl Iterator<Item = u32> {
        (0..self.rows()).flat_map(|row| {
            let voxels = self.voxels_of(row);
            [voxels.start as u32, voxels.end as u32 - 1]
        })
    }

    /// The runs of voxels along x, in order, by their numbers.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        (0..self.rows()).flat_map(move |row| {
            let mut next = self.voxels_of(row).start;
            self.runs_of(row, |word| self.words()[word].bits)
                .map(move |[start, end]| {
                    let first = next;
                    next += (end - start) as usize;
                    first..next
                })
        })
    }

    /// Where a row and the one at a way from it have voxels at the same x: the first of each, and
    /// how many follow each other.
    pub fn pairs(&self, row: usize, way: usize, mut visit: impl FnMut(usize, usize, usize)) {
        for word in self.words_of(row) {
            let here = &self.words()[word];
            let there = self.word_beside(word, way);
            let mut both = here.bits & there.bits;
            while both != 0 {
                let start = both.trailing_zeros();
                let length = (!(both >> start)).trailing_zeros();
                visit(
                    here.number(start) as usize,
                    there.number(start) as usize,
                    length as usize,
                );
                both &= u64::MAX.checked_shl(start + length).unwrap_or(0);
            }
        }
    }

    /// The voxels without a neighbour at a bit across a face along y or z, ascending.
    pub fn ends(&self, bit: usize) -> impl Iterator<Item = usize> {
        (0..self.words().len()).flat_map(move |word| {
            let here = self.words()[word];
            let beside = self.word_beside(word, bit / 3).bits;
            ones(here.bits & !beside).map(move |bit| here.number(bit) as usize)
        })
    }

    /// A voxel, and those that follow it at a bit across a face along y or z.
    pub fn line(&self, voxel: usize, bit: usize) -> impl Iterator<Item = usize> {
        let (word, place) = self.word_of(voxel);
        let mut next = Some(word);
        std::iter::from_fn(move || {
            let here = next?;
            let other = self.number_beside(here, bit / 3);
            next = self.has(other, place).then_some(other);
            Some(self.words()[here].number(place) as usize)
        })
    }
}
