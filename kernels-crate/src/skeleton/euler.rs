//! Euler characteristic of a solid: vertices − edges + faces − cubes of the cubical complex of its
//! voxels.
//!
//! A lattice vertex belongs to the complex if one of its 8 voxels is in the solid, an edge if one
//! of its 4, and a face if one of its 2. Four rows of voxels surround each lattice line along x:
//! row A has the line at its lower end along y and z, B precedes A along y, C precedes A along z,
//! and D precedes A along both.
//!
//! | rows | n + 1 elements per run of n voxels | n elements per run of n voxels |
//! | --- | --- | --- |
//! | A ∪ B ∪ C ∪ D | vertices | edges along x |
//! | A ∪ C | edges along y | faces normal to z |
//! | A ∪ B | edges along z | faces normal to y |
//! | A | faces normal to x | cubes |
//!
//! In the alternating sum only the runs remain:
//!
//! V − E + F − C = Σ over lines: runs(A ∪ B ∪ C ∪ D) − runs(A ∪ C) − runs(A ∪ B) + runs(A).

use crate::{arith::div_rem, block, distance::sites::BitRows, rows::Items};
use cuda_std::{View, ViewMut, kernel, thread};

/// Returns the number of lattice lines along x that can touch a voxel.
#[inline(always)]
const fn lattice_lines(bits: BitRows) -> u64 {
    (bits.grid.ny as u64 + 1) * (bits.grid.nz as u64 + 1)
}

/// Returns the number of words that [`add_euler_number`] processes: one row of words per lattice
/// line.
pub const fn lattice_line_words(bits: BitRows) -> u64 {
    lattice_lines(bits) * bits.per_row as u64
}

/// A word of a row, and the last voxel of the preceding word.
#[derive(Clone, Copy)]
struct RowWord {
    word: u32,
    before: u32,
}

impl RowWord {
    /// Reads a word of row (y, z); rows outside the grid are empty.
    #[inline(always)]
    fn read(solid: View<u32>, bits: BitRows, in_row: u32, y: u32, z: u32) -> Self {
        if y >= bits.grid.ny || z >= bits.grid.nz {
            return Self { word: 0, before: 0 };
        }
        let at = bits.word_index(in_row * 32, y, z);
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

    /// Returns the number of runs that begin in this word.
    #[inline(always)]
    fn runs(self) -> u64 {
        (self.word & !(self.word << 1 | self.before)).count_ones() as u64
    }
}

/// Adds the Euler characteristic of a solid to `sum[0]`, in two's complement.
///
/// **Mapping:** one word of a lattice line per thread; consecutive threads take consecutive words.
/// **Memory:** reads up to eight words per item; a block-wide sum in shared memory, then one atomic
/// addition per block.
///
/// # Safety
/// `solid` must hold `bits.words()` elements and `sum` one; `items.count` must equal
/// [`lattice_line_words`].
#[kernel(baseline)]
pub unsafe fn add_euler_number(solid: View<u32>, bits: BitRows, items: Items, sum: ViewMut<u64>) {
    let mut thread_sum = 0u64;
    items.for_each(|item| {
        let (line, in_row) = div_rem(item as u64, bits.per_row as u64);
        let (z, y) = div_rem(line, bits.grid.ny as u64 + 1);
        let (in_row, y, z) = (in_row as u32, y as u32, z as u32);
        // coordinates below 0 wrap around to rows outside the grid, which are empty
        let read = |y, z| RowWord::read(solid, bits, in_row, y, z);
        let a = read(y, z);
        let b = read(y.wrapping_sub(1), z);
        let c = read(y, z.wrapping_sub(1));
        let d = read(y.wrapping_sub(1), z.wrapping_sub(1));
        let (a_or_b, a_or_c) = (a.or(b), a.or(c));
        let union = a_or_b.or(c).or(d);
        let positive = union.runs() + a.runs();
        thread_sum = thread_sum.wrapping_add(positive.wrapping_sub(a_or_b.runs() + a_or_c.runs()));
    });
    let total = block::exclusive_sum(thread_sum).total;
    if thread::thread_idx_x() == 0 && total != 0 {
        sum.atomic_add(0, total);
    }
}
