//! Voxels of a component as rows of 64-bit words, with their indices and neighbours.

use super::{
    frame::Frame,
    row_index::RowIndex,
    row_words::{PositionedWord, WIDTH, Word, frame_words, nth_set_bit},
    runs::Run,
};
use crate::{
    memory::{ExtendOrUnwind, with_capacity_or_unwind, zeroed_or_unwind},
    monitor::Cancelled,
    parallel,
    skeleton::medial::progress::{ComponentProgress, Stage},
};
use std::ops::Range;

/// Minimum number of rows or words per parallel task.
pub const MIN_PARALLEL_ITEMS: usize = 1 << 11;

/// Voxels of a component, indexed in the order of its frame: x fastest, then y, then z.
///
/// Memory is about two bytes per voxel for a solid, and at most about 70 bytes per voxel if each
/// voxel is alone in its row. Queries take constant time, except for binary searches in rows with
/// gaps.
pub struct Object {
    /// Non-empty words in voxel order, followed by an empty one.
    words: Vec<Word>,
    /// Row of each word.
    word_rows: Vec<u32>,
    /// Index of the rows of words by y and z.
    rows: RowIndex,
    /// For each word, the words at the same x in the eight adjacent rows.
    adjacent: Vec<AdjacentWords>,
    /// Word of every 64th voxel, followed by the last word.
    starts: Vec<u32>,
    /// Number of voxels.
    len: usize,
    /// Extent of the bounding box, in voxels.
    dims: [i32; 3],
}

/// Indices of the words in the eight rows around a word; absent words refer to the empty word.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct AdjacentWords([u32; 8]);

/// Direction of the own row among the nine directions `3 (dz + 1) + dy + 1`.
pub const OWN_ROW: usize = 4;

impl Object {
    /// Builds the object from the runs of one component.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn new(
        runs: &[Run],
        frame: &Frame,
        progress: &ComponentProgress<'_>,
    ) -> Result<Self, Cancelled> {
        let slabs = frame_words(runs, frame);
        progress.check()?;
        let positioned = || slabs.iter().flatten();
        let rows = RowIndex::from_positions(positioned().map(|word| [word.y, word.z]));
        let mut object = Self {
            words: with_capacity_or_unwind(positioned().count() + 1),
            word_rows: with_capacity_or_unwind(positioned().count()),
            adjacent: Vec::new(),
            rows,
            starts: Vec::new(),
            len: 0,
            dims: frame.dims().map(|along| along as i32),
        };
        for &PositionedWord { bits, block, .. } in positioned() {
            let word = object.words.len() as u32;
            let first = object.len as u32;
            object.words.push_or_unwind(Word { bits, first, block });
            object.len += bits.count_ones() as usize;
            while object.starts.len() * 64 < object.len {
                object.starts.push_or_unwind(word);
            }
        }
        object.starts.push_or_unwind(object.words.len() as u32 - 1);
        object.words.push_or_unwind(Word {
            bits: 0,
            first: object.len as u32,
            block: -1,
        });
        for row in 0..object.rows.len() {
            let words = object.rows.members(row).len();
            object
                .word_rows
                .extend_or_unwind(std::iter::repeat_n(row as u32, words));
        }
        object.adjacent = collect_in_order(object.rows.len(), |row| object.adjacent_words(row));
        progress.finish_stage(Stage::Voxels)?;
        Ok(object)
    }

    /// Returns the adjacent words of each word of a row.
    fn adjacent_words(&self, row: usize) -> impl Iterator<Item = AdjacentWords> {
        let [y, z] = self.rows.position(row);
        let mut rows = [None; 8];
        for dz in [-1, 0, 1] {
            for other in self.rows.between(z + dz, y - 1, y + 1) {
                let dy = self.rows.position(other)[0] - y;
                let direction = (3 * (dz + 1) + dy + 1) as usize;
                if direction != OWN_ROW {
                    rows[direction - usize::from(direction > OWN_ROW)] = Some(other);
                }
            }
        }
        let none = self.words().len();
        self.row_words(row).map(move |word| {
            let block = self.words[word].block;
            let word_at = |row: Option<usize>| self.find_word(row?, block);
            AdjacentWords(rows.map(|row| word_at(row).unwrap_or(none) as u32))
        })
    }

    /// Returns the row in a direction from another, if it contains voxels.
    pub fn adjacent_row(&self, row: usize, direction: usize) -> Option<usize> {
        let [y, z] = self.rows.position(row);
        self.row_at([y + direction as i32 % 3 - 1, z + direction as i32 / 3 - 1])
    }

    /// Returns the row at a y and a z, if it contains voxels.
    pub fn row_at(&self, [y, z]: [i32; 2]) -> Option<usize> {
        self.rows.between(z, y, y).next()
    }

    /// Returns the number of voxels.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the non-empty words.
    pub fn words(&self) -> &[Word] {
        &self.words[..self.words.len() - 1]
    }

    /// Returns the word of a voxel and its bit in the word.
    #[inline(always)]
    pub fn locate(&self, voxel: usize) -> (usize, u32) {
        let [from, to] = [0, 1].map(|next| self.starts[voxel / 64 + next] as usize);
        // interpolates, because consecutive words have similar numbers of voxels
        let words = &self.words[from..=to];
        let mut at = voxel % 64 * (to - from) / 64;
        while words[at].first as usize > voxel {
            at -= 1;
        }
        while at + 1 < words.len() && words[at + 1].first as usize <= voxel {
            at += 1;
        }
        let word = words[at];
        (from + at, nth_set_bit(word.bits, voxel as u32 - word.first))
    }

    /// Returns the position of a voxel in the frame.
    #[inline]
    pub fn position(&self, voxel: usize) -> [i32; 3] {
        let (word, bit) = self.locate(voxel);
        let [x, y, z] = self.word_position(word);
        [x + bit as i32, y, z]
    }

    /// Returns the position of a word's lowest bit, which need not be a voxel of the component.
    pub fn word_position(&self, word: usize) -> [i32; 3] {
        let [y, z] = self.rows.position(self.word_rows[word] as usize);
        [WIDTH * self.words[word].block, y, z]
    }

    /// Returns the row of a word.
    pub fn word_row(&self, word: usize) -> usize {
        self.word_rows[word] as usize
    }

    /// Returns the word in a direction from another at the same x; it is empty if absent.
    #[inline(always)]
    pub fn adjacent_word(&self, word: usize, direction: usize) -> &Word {
        &self.words[self.adjacent_word_index(word, direction)]
    }

    /// Returns the index of the word in a direction from another at the same x.
    #[inline(always)]
    pub fn adjacent_word_index(&self, word: usize, direction: usize) -> usize {
        match direction {
            OWN_ROW => word,
            _ => self.adjacent[word].0[direction - usize::from(direction > OWN_ROW)] as usize,
        }
    }

    /// Returns `true` if the bit of a word is set.
    #[inline(always)]
    pub fn has_voxel(&self, word: usize, bit: u32) -> bool {
        self.words[word].bits >> bit & 1 == 1
    }

    /// Returns the word in a direction from another, `step` words further along x, if it is not
    /// empty.
    pub fn word_at_offset(&self, word: usize, direction: usize, step: i32) -> Option<&Word> {
        let found = self.word_index_at_offset(word, direction, step)?;
        Some(&self.words[found])
    }

    /// Returns the index of the word in a direction from another, `step` words further along x, if
    /// it is not empty.
    #[cold]
    pub fn word_index_at_offset(&self, word: usize, direction: usize, step: i32) -> Option<usize> {
        let row = self.adjacent_row(self.word_row(word), direction)?;
        self.find_word(row, self.words[word].block + step)
    }

    /// Returns the index of the word of a row at a block, if it is not empty.
    fn find_word(&self, row: usize, block: i32) -> Option<usize> {
        let range = self.rows.members(row);
        let words = &self.words[range.clone()];
        let first = words.first()?.block;
        // most rows have no gaps
        let guess = block.wrapping_sub(first) as usize;
        let found = match words.get(guess) {
            Some(word) if word.block == block => guess,
            _ if words[words.len() - 1].block - first == words.len() as i32 - 1 => return None,
            _ => words.binary_search_by_key(&block, |word| word.block).ok()?,
        };
        Some(range.start + found)
    }

    /// Returns the voxel at a position of the frame, if it belongs to the component.
    pub fn voxel_at(&self, [x, y, z]: [i32; 3]) -> Option<usize> {
        let row = self.row_at([y, z])?;
        let word = self.words[self.find_word(row, x.div_euclid(WIDTH))?];
        let bit = x.rem_euclid(WIDTH) as u32;
        (word.bits >> bit & 1 == 1).then(|| word.voxel_index(bit) as usize)
    }

    /// Returns the number of rows that contain voxels.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Returns the y and z of a row.
    pub fn row_position(&self, row: usize) -> [i32; 2] {
        self.rows.position(row)
    }

    /// Returns the words of a row.
    #[inline]
    pub fn row_words(&self, row: usize) -> Range<usize> {
        self.rows.members(row)
    }

    /// Returns the voxels of a row.
    pub fn row_voxels(&self, row: usize) -> Range<usize> {
        let words = self.rows.members(row);
        self.first_voxel(words.start)..self.first_voxel(words.end)
    }

    /// Returns the first voxel of a word, or the number of voxels for the index after the last
    /// word.
    pub fn first_voxel(&self, word: usize) -> usize {
        self.words[word].first as usize
    }

    /// Returns the rows of a plane whose y is from `low` to `high`.
    pub fn rows_between(&self, z: i32, [low, high]: [i32; 2]) -> Range<usize> {
        self.rows.between(z, low, high)
    }

    /// Returns the rows of a plane.
    pub fn plane_rows(&self, z: i32) -> Range<usize> {
        self.rows.plane_rows(z)
    }

    /// Returns the extent of the bounding box, in voxels.
    pub fn dims(&self) -> [i32; 3] {
        self.dims
    }

    /// Returns the bits of the bounding box padded by one voxel, in the layout of a mask.
    pub fn padded_words(&self) -> Vec<u32> {
        let [nx, ny, nz] = self.dims().map(|along| along as usize + 2);
        let per_row = nx.div_ceil(32);
        let mut words = zeroed_or_unwind::<u32>(per_row * ny * nz);
        for (at, word) in self.words().iter().enumerate() {
            let [x, y, z] = self.word_position(at).map(|along| along as usize);
            let first = ((z + 1) * ny + y + 1) * per_row + x / 32;
            // padding by one voxel along x
            let bits = u128::from(word.bits) << 1;
            for part in 0..3 {
                let bits = (bits >> (32 * part)) as u32;
                if bits != 0 {
                    words[first + part] |= bits;
                }
            }
        }
        words
    }

    /// Returns the number of planes.
    pub fn plane_count(&self) -> i32 {
        self.rows.plane_count()
    }

    /// Returns the words of a row that overlap the range of x from `low` to `high`, each with the
    /// bits of this range.
    #[inline]
    pub fn masked_words(
        &self,
        row: usize,
        low: i32,
        high: i32,
    ) -> impl Iterator<Item = (usize, u64)> {
        let range = self.rows.members(row);
        let words = &self.words[range.clone()];
        let blocks = [low, high].map(|x| x.div_euclid(WIDTH));
        let position = |block: i32| {
            let [first, last] = [words[0].block, words[words.len() - 1].block];
            if block <= first {
                0
            } else if last - first == words.len() as i32 - 1 {
                words.len().min((block - first) as usize)
            } else {
                words.partition_point(|word| word.block < block)
            }
        };
        let part = if low <= high {
            position(blocks[0])..position(blocks[1].saturating_add(1))
        } else {
            0..0
        };
        part.map(move |at| {
            let block = words[at].block;
            let mut bits = u64::MAX;
            if block == blocks[0] {
                bits &= u64::MAX << low.rem_euclid(WIDTH);
            }
            if block == blocks[1] {
                bits &= u64::MAX >> (WIDTH - 1 - high.rem_euclid(WIDTH));
            }
            (range.start + at, bits)
        })
    }
}

/// Concatenates the items of `make(index)` for all indices below `count` in index order, in
/// parallel if there are many.
pub fn collect_in_order<T: Send, I: Iterator<Item = T>>(
    count: usize,
    make: impl Fn(usize) -> I + Sync + Send,
) -> Vec<T> {
    parallel::collect(count, MIN_PARALLEL_ITEMS, |numbers, list| {
        list.extend_or_unwind(numbers.flat_map(&make));
    })
}
