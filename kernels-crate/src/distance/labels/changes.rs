//! Detection of label changes.

use super::super::sites::BitRows;
use crate::{
    bits::{GROUP, ballot, for_each_group},
    rows::Items,
    sample::Sample,
};
use cuda_std::{View, ViewMut, kernel};

/// Inputs and outputs shared by all threads.
#[derive(Clone, Copy)]
struct Job<'a, T> {
    labels: View<'a, T>,
    bits: BitRows,
    changes: ViewMut<'a, u32>,
}

/// Position of a word, advanced word by word.
#[derive(Clone, Copy)]
struct WordCursor {
    /// Linear index of the word.
    word: u64,
    /// Index of the word within its row.
    in_row: u32,
    y: u32,
    z: u32,
    /// Index of the first voxel of the row.
    row: usize,
}

impl WordCursor {
    #[inline(always)]
    fn new(bits: BitRows, word: u64) -> Self {
        let [in_row, y, z] = bits.word_position(word);
        Self {
            word,
            in_row,
            y,
            z,
            row: bits.grid.sample(0, y, z),
        }
    }

    #[inline(always)]
    fn advance(&mut self, bits: BitRows) {
        self.word += 1;
        self.in_row += 1;
        if self.in_row == bits.per_row {
            self.in_row = 0;
            self.row += bits.grid.nx as usize;
            self.y += 1;
            if self.y == bits.grid.ny {
                (self.y, self.z) = (0, self.z + 1);
            }
        }
    }
}

/// Marks, for each voxel and each of the three axes, whether its label differs from that of the
/// previous voxel along the axis. The first voxel of a line has no predecessor, and its bit is 0.
///
/// **Mapping:** each full warp marks [`GROUP`] words per axis at a time. Lanes read the labels of
/// single voxels and of their predecessors and vote; each lane keeps and writes one word per axis.
/// Threads without a full warp mark their words alone. **Global memory:** reads four labels per
/// voxel, mostly from cache, and writes three bits. Shared memory is not used.
///
/// # Safety
/// `labels` holds `bits.grid.samples()` elements, `changes` holds three times `bits.words()`:
/// changes along x, then y, then z.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn mark_label_changes<T: Sample>(labels: View<T>, bits: BitRows, changes: ViewMut<u32>) {
    let job = Job {
        labels,
        bits,
        changes,
    };
    for_each_group(
        bits.words().div_ceil(GROUP as u64),
        |group, lane| match lane {
            Some(lane) => job.mark_group_by_warp(group, lane),
            None => job.mark_group_by_thread(group),
        },
    );
}

impl<T: Sample> Job<'_, T> {
    /// Writes one word per axis.
    #[inline(always)]
    fn write(&self, word: u64, [x, y, z]: [u32; 3]) {
        let (at, words) = (word as usize, self.bits.words() as usize);
        self.changes.write(at, x);
        self.changes.write(words + at, y);
        self.changes.write(2 * words + at, z);
    }

    #[inline(always)]
    fn label(&self, voxel: usize) -> f32 {
        self.labels.read(voxel).value()
    }

    /// Returns whether the label of voxel `x` of a row differs from those of its predecessors along
    /// x, y and z.
    #[inline(always)]
    fn differs(&self, at: &WordCursor, x: u32) -> [bool; 3] {
        let (row, plane) = (self.bits.grid.nx as usize, self.plane());
        let voxel = at.row + x as usize;
        let here = self.label(voxel);
        [
            x > 0 && self.label(voxel - 1) != here,
            at.y > 0 && self.label(voxel - row) != here,
            at.z > 0 && self.label(voxel - plane) != here,
        ]
    }

    #[inline(always)]
    fn plane(&self) -> usize {
        self.bits.grid.nx as usize * self.bits.grid.ny as usize
    }

    /// Returns `count`, hidden from the optimiser so that a loop with this bound is not unrolled.
    #[inline(always)]
    fn opaque_count(&self, count: u32) -> u32 {
        if self.bits.per_row == 0 { 0 } else { count }
    }

    /// Marks the words of one group with a warp.
    #[inline(always)]
    fn mark_group_by_warp(&self, group: u64, lane: u32) {
        let bits = self.bits;
        let first = group * GROUP as u64;
        let mut at = WordCursor::new(bits, first);
        let mut own_words = [0; 3];
        let mut word_index = 0;
        while word_index < self.opaque_count(GROUP) {
            let x = at.in_row * 32 + lane;
            let mut differs = [false; 3];
            if at.word < bits.words() && x < bits.grid.nx {
                differs = self.differs(&at, x);
            }
            let votes = [ballot(differs[0]), ballot(differs[1]), ballot(differs[2])];
            if lane == word_index {
                own_words = votes;
            }
            at.advance(bits);
            word_index += 1;
        }
        if first + (lane as u64) < bits.words() {
            self.write(first + lane as u64, own_words);
        }
    }

    /// Marks the words of one group with a single thread.
    #[inline(always)]
    fn mark_group_by_thread(&self, group: u64) {
        let bits = self.bits;
        let mut at = WordCursor::new(bits, group * GROUP as u64);
        let end = at.word + GROUP as u64;
        while at.word < end && at.word < bits.words() {
            let first = at.in_row * 32;
            let remaining = bits.grid.nx - first;
            #[cfg(not(target_arch = "nvptx64"))]
            if remaining >= 32 {
                self.write(at.word, self.mark_full_word(&at));
                at.advance(bits);
                continue;
            }
            let count = if remaining < 32 { remaining } else { 32 };
            let mut words = [0; 3];
            let mut bit = 0;
            while bit < self.opaque_count(count) {
                let [x, y, z] = self.differs(&at, first + bit);
                words[0] |= (x as u32) << bit;
                words[1] |= (y as u32) << bit;
                words[2] |= (z as u32) << bit;
                bit += 1;
            }
            self.write(at.word, words);
            at.advance(bits);
        }
    }

    /// Marks 32 voxels without branches, so that a CPU compiler can vectorise it.
    #[cuda_std::inline_closures]
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    fn mark_full_word(&self, at: &WordCursor) -> [u32; 3] {
        use super::super::sites::pack_flags;

        let first = at.row + at.in_row as usize * 32;
        let labels = |first: usize| self.labels.read_vector::<32>(first).map(T::value);
        let here = labels(first);
        let differing = |before: [f32; 32]| pack_flags(|bit| before[bit] != here[bit]);
        let along_x = if at.in_row > 0 {
            differing(labels(first - 1))
        } else {
            pack_flags(|bit| bit > 0 && here[bit.max(1) - 1] != here[bit])
        };
        let mut words = [along_x, 0, 0];
        if at.y > 0 {
            words[1] = differing(labels(first - self.bits.grid.nx as usize));
        }
        if at.z > 0 {
            words[2] = differing(labels(first - self.plane()));
        }
        words
    }
}

/// Keeps the voxels that have a face neighbour with another label.
///
/// **Mapping:** one word per thread, neighbouring threads on neighbouring words. **Global memory:**
/// six reads and one write. Shared memory is not used.
///
/// # Safety
/// `changes` is the result of [`mark_label_changes`], `edges` holds `bits.words()` elements, which
/// is also the count of `items`.
#[kernel]
pub unsafe fn keep_label_edges(
    changes: View<u32>,
    bits: BitRows,
    items: Items,
    edges: ViewMut<u32>,
) {
    let words = bits.words() as usize;
    let (row, plane) = (bits.per_row as usize, bits.per_plane() as usize);
    items.for_each(|word| {
        let [in_row, y, z] = bits.word_position(word as u64);
        let after = |exists: bool, at: usize| if exists { changes.read(at) } else { 0 };
        let along_x = changes.read(word);
        let next = after(in_row + 1 < bits.per_row, word + 1);
        let mut edge_bits = along_x | along_x >> 1 | next << 31;
        edge_bits |= changes.read(words + word) | after(y + 1 < bits.grid.ny, words + word + row);
        let along_z = 2 * words + word;
        edge_bits |= changes.read(along_z) | after(z + 1 < bits.grid.nz, along_z + plane);
        edges.write(word, edge_bits);
    });
}
