//! From sums to directions.

use super::add::Slices;
use crate::{
    distance::sites::BitRows,
    rows::{Items, Rows},
};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Numbers that are kept of a force: its direction's x, y and z, and its magnitude.
pub const NUMBERS: usize = 4;

/// Counts the bits of each word that are 1.
///
/// A thread takes single words: it reads one and writes a count. Nothing is shared in the block.
///
/// # Safety
/// `words` and `counts` hold `items.count` elements.
#[kernel]
pub unsafe fn count_of_words(words: View<u32>, items: Items, counts: ViewMut<u64>) {
    items.for_each(|word| counts.write(word, words.read(word).count_ones() as u64));
}

/// Adds up the slices of each target's force, in their order, and writes its direction and
/// magnitude; no direction is three zeros.
///
/// A thread takes single targets. It reads three sums for each slice and writes four numbers.
/// Nothing is shared in the block.
///
/// # Safety
/// `sums` hold three elements for each target and slice, `forces` four for each target, which
/// `items` counts.
#[kernel]
pub unsafe fn finish_forces(sums: View<f64>, slices: Slices, items: Items, forces: ViewMut<f32>) {
    items.for_each(|target| {
        let (mut x, mut y, mut z) = (0.0, 0.0, 0.0);
        let mut slice = 0;
        while slice < slices.count {
            let at = slices.sums(slice, target as u64);
            x += sums.read(at);
            y += sums.read(at + 1);
            z += sums.read(at + 2);
            slice += 1;
        }
        write_force(forces, target, [x, y, z]);
    });
}

/// Writes the direction and magnitude of a force.
#[inline(always)]
pub(super) fn write_force(forces: ViewMut<f32>, target: usize, [x, y, z]: [f64; 3]) {
    let magnitude = GpuFloat::sqrt(x * x + y * y + z * z);
    let scale = if magnitude > 0.0 {
        1.0 / magnitude
    } else {
        0.0
    };
    let at = NUMBERS * target;
    forces.write(at, (x * scale) as f32);
    forces.write(at + 1, (y * scale) as f32);
    forces.write(at + 2, (z * scale) as f32);
    forces.write(at + 3, magnitude as f32);
}

/// Where in a list the voxels of a mask are.
#[derive(Clone, Copy)]
pub struct Ranks<'a> {
    /// The mask.
    pub words: View<'a, u32>,
    /// How many of its voxels come before each word.
    pub before: View<'a, u64>,
    /// How its bits lie.
    pub bits: BitRows,
}

impl Ranks<'_> {
    /// Calls `visit` with each voxel of the mask in the calling thread's runs, and its number.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn for_each_in(&self, rows: Rows, mut visit: impl FnMut([u32; 3], usize)) {
        rows.for_each(|at| {
            if let Some(number) = self.of(at) {
                visit(at, number as usize);
            }
        });
    }

    /// The number of a voxel of the mask; none if it is not of the mask, or not in the grid.
    #[inline(always)]
    pub fn of(&self, [x, y, z]: [u32; 3]) -> Option<u64> {
        let grid = self.bits.grid;
        if x >= grid.nx || y >= grid.ny || z >= grid.nz {
            return None;
        }
        let row = z as u64 * grid.ny as u64 + y as u64;
        let word = (row * self.bits.per_row as u64 + (x / 32) as u64) as usize;
        let all = self.words.read(word);
        if all >> (x % 32) & 1 == 0 {
            return None;
        }
        let lower = all & ((1 << (x % 32)) - 1);
        Some(self.before.read(word) + lower.count_ones() as u64)
    }
}

/// The forces of a solid's inside from those of the voxels that are not next to the surface:
/// copies, and next to the surface the mean of those that neighbours have, of 26; nothing where
/// none has any.
///
/// A thread takes runs of neighbouring voxels. For one next to the surface up to 26 forces of four
/// numbers are read, otherwise one; four numbers are written. Nothing is shared in the block.
///
/// # Safety
/// `inner` are the words of the mask whose forces are known, `inner_before` says how many of its
/// voxels come before each word, and `known` has four numbers for each; in the same way `all`,
/// `all_before` and `forces` for what is to be known. `rows` are those of the grid of `bits`.
#[kernel]
pub unsafe fn mean_forces(
    inner: View<u32>,
    inner_before: View<u64>,
    known: View<f32>,
    all: View<u32>,
    all_before: View<u64>,
    bits: BitRows,
    rows: Rows,
    forces: ViewMut<f32>,
) {
    let inner = Ranks {
        words: inner,
        before: inner_before,
        bits,
    };
    let all = Ranks {
        words: all,
        before: all_before,
        bits,
    };
    all.for_each_in(rows, |voxel, target| {
        if let Some(same) = inner.of(voxel) {
            let mut k = 0;
            while k < NUMBERS {
                let number = known.read(NUMBERS * same as usize + k);
                forces.write(NUMBERS * target + k, number);
                k += 1;
            }
        } else {
            let mean = mean_of_neighbours(&inner, known, voxel);
            write_force(forces, target, mean);
        }
    });
}

/// The mean of the forces that the 26 neighbours of a voxel have.
#[inline(always)]
fn mean_of_neighbours(inner: &Ranks<'_>, known: View<f32>, [x, y, z]: [u32; 3]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    let mut count = 0.0;
    let mut neighbour = 0;
    while neighbour < 27 {
        // below 0 wraps around to what is not in the grid
        let at = [
            (x + neighbour % 3).wrapping_sub(1),
            (y + neighbour / 3 % 3).wrapping_sub(1),
            (z + neighbour / 9).wrapping_sub(1),
        ];
        if let Some(index) = inner.of(at) {
            let first = NUMBERS * index as usize;
            let magnitude = known.read(first + 3) as f64;
            sum = [
                sum[0] + magnitude * known.read(first) as f64,
                sum[1] + magnitude * known.read(first + 1) as f64,
                sum[2] + magnitude * known.read(first + 2) as f64,
            ];
            count += 1.0;
        }
        neighbour += 1;
    }
    if count > 0.0 {
        sum.map(|sum| sum / count)
    } else {
        sum
    }
}
