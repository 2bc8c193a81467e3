//! The Euler number of a solid: vertices − edges + faces − cubes of its voxels.
//!
//! A vertex of the lattice counts if one of its 8 voxels is in the solid, an edge if one of 4, a
//! face if one of 2. Around a line of the lattice along x there are four rows of voxels: A with the
//! line at its lower end along y and z, B before A along y, C before A along z, and D before both.
//! Then of
//!
//! | rows | there are | and one less for each run of voxels |
//! | --- | --- | --- |
//! | A ∪ B ∪ C ∪ D | vertices | edges along x |
//! | A ∪ C | edges along y | faces across z |
//! | A ∪ B | edges along z | faces across y |
//! | A | faces across x | cubes |
//!
//! So
//!
//! V − E + F − C = Σ over lines: runs(A ∪ B ∪ C ∪ D) − runs(A ∪ C) − runs(A ∪ B) + runs(A).

use crate::{arith::div_rem, block, distance::sites::BitRows, rows::Items};
use cuda_std::{View, ViewMut, kernel, thread};

/// Lines of the lattice along x that may touch a voxel.
#[inline(always)]
const fn lines(bits: BitRows) -> u64 {
    (bits.grid.ny as u64 + 1) * (bits.grid.nz as u64 + 1)
}

/// Words that [`add_euler_number`] goes through: those of a row for each line of the lattice.
pub const fn words_of_lines(bits: BitRows) -> u64 {
    lines(bits) * bits.per_row as u64
}

/// A word, and the last voxel of the word before it in its row.
#[derive(Clone, Copy)]
struct Piece {
    word: u32,
    before: u32,
}

impl Piece {
    /// Of row (y, z), which may be beyond the grid.
    #[inline(always)]
    fn read(solid: View<u32>, bits: BitRows, in_row: u32, y: u32, z: u32) -> Self {
        if y >= bits.grid.ny || z >= bits.grid.nz {
            return Self { word: 0, before: 0 };
        }
        let at = bits.word_of(in_row * 32, y, z);
        let before = if in_row > 0 {
            solid.read(at - 1) >> 31
        } else {
            0
        };
        Self {
            word: solid.read(at),
            before,
        }
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self {
            word: self.word | other.word,
            before: self.before | other.before,
        }
    }

    /// How many runs begin in the word.
    #[inline(always)]
    fn runs(self) -> u64 {
        (self.word & !(self.word << 1 | self.before)).count_ones() as u64
    }
}

/// Adds the Euler number of a solid to `sum[0]`, in two's complement.
///
/// A thread takes words of lines of the lattice, neighbouring threads neighbouring words: it reads
/// up to eight words. A block adds up in shared memory, and adds to the sum once.
///
/// # Safety
/// `solid` holds `bits.words()` elements, `sum` one; `items` counts [`words_of_lines`].
#[kernel]
pub unsafe fn add_euler_number(solid: View<u32>, bits: BitRows, items: Items, sum: ViewMut<u64>) {
    let mut here = 0u64;
    items.for_each(|item| {
        let (line, in_row) = div_rem(item as u64, bits.per_row as u64);
        let (z, y) = div_rem(line, bits.grid.ny as u64 + 1);
        let (in_row, y, z) = (in_row as u32, y as u32, z as u32);
        // one less than 0 is beyond the grid
        let read = |y, z| Piece::read(solid, bits, in_row, y, z);
        let a = read(y, z);
        let b = read(y.wrapping_sub(1), z);
        let c = read(y, z.wrapping_sub(1));
        let d = read(y.wrapping_sub(1), z.wrapping_sub(1));
        let (below, beside) = (a.or(b), a.or(c));
        let all = below.or(c).or(d);
        let more = all.runs() + a.runs();
        here = here.wrapping_add(more.wrapping_sub(below.runs() + beside.runs()));
    });
    let total = block::exclusive_sum(here).total;
    if thread::thread_idx_x() == 0 && total != 0 {
        sum.atomic_add(0, total);
    }
}
