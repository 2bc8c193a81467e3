//! Where labels change.

use super::super::sites::BitRows;
use crate::{
    bits::{GROUP, ballot, for_each_group},
    rows::Items,
    sample::Sample,
};
use cuda_std::{View, ViewMut, kernel};

/// What the kernel's teams work on.
#[derive(Clone, Copy)]
struct Job<'a, T> {
    labels: View<'a, T>,
    bits: BitRows,
    changes: ViewMut<'a, u32>,
}

/// The place of a word, from which it goes on to the next.
#[derive(Clone, Copy)]
struct WordAt {
    word: u64,
    in_row: u32,
    y: u32,
    z: u32,
    /// The first voxel of the row.
    row: usize,
}

impl WordAt {
    #[inline(always)]
    fn new(bits: BitRows, word: u64) -> Self {
        let [in_row, y, z] = bits.place(word);
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

/// For each voxel, and each of the three axes, whether its label is another than that of the voxel
/// before it along the axis. The first voxel of a line has none before it, and its bit is 0.
///
/// A warp whose lanes all exist makes [`GROUP`] words of each axis at a time: its lanes take single
/// voxels, read their labels and those before, which other lanes or warps have read or will, and
/// vote; each lane keeps and writes one word of each. A thread without such a warp makes its words
/// alone. Nothing is shared in the block.
///
/// # Safety
/// `labels` hold `bits.grid.samples()` elements, `changes` three times `bits.words()`: those along
/// x, then those along y, then those along z.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn mark_label_changes<T: Sample>(labels: View<T>, bits: BitRows, changes: ViewMut<u32>) {
    let job = Job {
        labels,
        bits,
        changes,
    };
    for_each_group(
        bits.words().div_ceil(GROUP as u64),
        |group, lane| match lane {
            Some(lane) => job.group(group, lane),
            None => job.group_alone(group),
        },
    );
}

impl<T: Sample> Job<'_, T> {
    /// Writes a word of each axis.
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

    /// Whether the label of a voxel of a row is another than those before it.
    #[inline(always)]
    fn differs(&self, at: &WordAt, x: u32) -> [bool; 3] {
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

    /// `count`, in a way that keeps the compiler from unrolling a loop of so many rounds.
    #[inline(always)]
    fn rolled(&self, count: u32) -> u32 {
        if self.bits.per_row == 0 { 0 } else { count }
    }

    /// The words of one group, by a warp.
    #[inline(always)]
    fn group(&self, group: u64, lane: u32) {
        let bits = self.bits;
        let first = group * GROUP as u64;
        let mut at = WordAt::new(bits, first);
        let mut mine = [0; 3];
        let mut round = 0;
        while round < self.rolled(GROUP) {
            let x = at.in_row * 32 + lane;
            let mut differs = [false; 3];
            if at.word < bits.words() && x < bits.grid.nx {
                differs = self.differs(&at, x);
            }
            let votes = [ballot(differs[0]), ballot(differs[1]), ballot(differs[2])];
            if lane == round {
                mine = votes;
            }
            at.advance(bits);
            round += 1;
        }
        if first + (lane as u64) < bits.words() {
            self.write(first + lane as u64, mine);
        }
    }

    /// The words of one group, by one thread.
    #[inline(always)]
    fn group_alone(&self, group: u64) {
        let bits = self.bits;
        let mut at = WordAt::new(bits, group * GROUP as u64);
        let end = at.word + GROUP as u64;
        while at.word < end && at.word < bits.words() {
            let first = at.in_row * 32;
            let rest = bits.grid.nx - first;
            #[cfg(not(target_arch = "nvptx64"))]
            if rest >= 32 {
                self.write(at.word, self.whole_word(&at));
                at.advance(bits);
                continue;
            }
            let count = if rest < 32 { rest } else { 32 };
            let mut words = [0; 3];
            let mut bit = 0;
            while bit < self.rolled(count) {
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

    /// The words of 32 voxels: in steps without branches, which become a CPU's vector instructions.
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    fn whole_word(&self, at: &WordAt) -> [u32; 3] {
        use super::super::sites::bits_of;

        let first = at.row + at.in_row as usize * 32;
        let labels = |first: usize| self.labels.read_vector::<32>(first).map(T::value);
        let here = labels(first);
        let differ = |before: [f32; 32]| bits_of(|bit| before[bit] != here[bit]);
        let along_x = if at.in_row > 0 {
            differ(labels(first - 1))
        } else {
            bits_of(|bit| bit > 0 && here[bit.max(1) - 1] != here[bit])
        };
        let mut words = [along_x, 0, 0];
        if at.y > 0 {
            words[1] = differ(labels(first - self.bits.grid.nx as usize));
        }
        if at.z > 0 {
            words[2] = differ(labels(first - self.plane()));
        }
        words
    }
}

/// The voxels that have a neighbour across a face with another label.
///
/// A thread takes single words, neighbouring threads neighbouring words: it reads six, and writes
/// one. Nothing is shared in the block.
///
/// # Safety
/// `changes` are those of [`mark_label_changes`], `edges` hold `bits.words()` elements, `items`
/// counts these.
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
        let [in_row, y, z] = bits.place(word as u64);
        let after = |exists: bool, at: usize| if exists { changes.read(at) } else { 0 };
        let along_x = changes.read(word);
        let next = after(in_row + 1 < bits.per_row, word + 1);
        let mut kept = along_x | along_x >> 1 | next << 31;
        kept |= changes.read(words + word) | after(y + 1 < bits.grid.ny, words + word + row);
        let along_z = 2 * words + word;
        kept |= changes.read(along_z) | after(z + 1 < bits.grid.nz, along_z + plane);
        edges.write(word, kept);
    });
}
