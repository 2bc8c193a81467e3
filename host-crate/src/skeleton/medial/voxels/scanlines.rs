//! Scanlines of voxels along the axes of a frame.

use super::{
    object::Object,
    row_words::{WIDTH, Word},
    word_neighbourhood::set_bits,
};
use std::ops::Range;

impl Object {
    /// Returns the runs of a row in the voxel set that `bits` gives for each word, as half-open
    /// ranges of x.
    pub fn row_runs(
        &self,
        row: usize,
        bits: impl Fn(usize) -> u64,
    ) -> impl Iterator<Item = [i32; 2]> {
        let words = self.row_words(row);
        let mut words = words
            .map(move |word| Word {
                bits: bits(word),
                ..self.words()[word]
            })
            .peekable();
        let mut bits_left = 0;
        let mut x = 0;
        std::iter::from_fn(move || {
            while bits_left == 0 {
                let word = words.next()?;
                (bits_left, x) = (word.bits, WIDTH * word.block);
            }
            let skip = bits_left.trailing_zeros();
            let start = x + skip as i32;
            bits_left >>= skip;
            x = start;
            loop {
                let length = (!bits_left).trailing_zeros();
                bits_left = bits_left.checked_shr(length).unwrap_or(0);
                x += length as i32;
                // a run that reaches the end of a word can continue in the next one
                if x % WIDTH != 0 {
                    return Some([start, x]);
                }
                match words.next_if(|word| word.bits & 1 == 1 && WIDTH * word.block == x) {
                    Some(word) => bits_left = word.bits,
                    None => {
                        bits_left = 0;
                        return Some([start, x]);
                    }
                }
            }
        })
    }

    /// Returns the first and the last voxel of each row, in ascending order. Because squared
    /// lengths are convex, one of the two is the voxel of the row that is farthest from any given
    /// position.
    pub fn row_endpoints(&self) -> impl Iterator<Item = u32> {
        (0..self.row_count()).flat_map(|row| {
            let voxels = self.row_voxels(row);
            [voxels.start as u32, voxels.end as u32 - 1]
        })
    }

    /// Returns the runs of voxels along x as ranges of voxel indices, in order.
    pub fn x_runs(&self) -> impl Iterator<Item = Range<usize>> {
        (0..self.row_count()).flat_map(|row| self.row_x_runs(row))
    }

    /// Returns the runs of voxels of a row as ranges of voxel indices, in order.
    pub fn row_x_runs(&self, row: usize) -> impl Iterator<Item = Range<usize>> {
        let mut next = self.row_voxels(row).start;
        self.row_runs(row, |word| self.words()[word].bits)
            .map(move |[start, end]| {
                let first = next;
                next += (end - start) as usize;
                first..next
            })
    }

    /// Calls `visit` for each maximal range of x in which a row and the row in a direction from it
    /// both have voxels, with the first voxel in each row and the number of voxels.
    pub fn row_overlaps(
        &self,
        row: usize,
        direction: usize,
        mut visit: impl FnMut(usize, usize, usize),
    ) {
        for word in self.row_words(row) {
            let own = &self.words()[word];
            let adjacent = self.adjacent_word(word, direction);
            let mut both = own.bits & adjacent.bits;
            while both != 0 {
                let start = both.trailing_zeros();
                let length = (!(both >> start)).trailing_zeros();
                visit(
                    own.voxel_index(start) as usize,
                    adjacent.voxel_index(start) as usize,
                    length as usize,
                );
                both &= u64::MAX.checked_shl(start + length).unwrap_or(0);
            }
        }
    }

    /// Returns the voxels of some words without a neighbour at a bit that is a face along y or z,
    /// in ascending order.
    pub fn line_starts(&self, words: Range<usize>, bit: usize) -> impl Iterator<Item = usize> {
        words.flat_map(move |word| {
            let own = self.words()[word];
            let adjacent = self.adjacent_word(word, bit / 3).bits;
            set_bits(own.bits & !adjacent).map(move |bit| own.voxel_index(bit) as usize)
        })
    }

    /// Returns a voxel and the consecutive voxels at a bit that is a face along y or z.
    pub fn line_from(&self, voxel: usize, bit: usize) -> impl Iterator<Item = usize> {
        let (word, bit_index) = self.locate(voxel);
        let mut next = Some(word);
        std::iter::from_fn(move || {
            let own = next?;
            let next_word = self.adjacent_word_index(own, bit / 3);
            next = self.has_voxel(next_word, bit_index).then_some(next_word);
            Some(self.words()[own].voxel_index(bit_index) as usize)
        })
    }
}
