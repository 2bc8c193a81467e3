//! The quickest way known: four targets side by side in a thread.

use super::{
    add::{Add, Portion, Slices},
    lengths::{Cubes, Lengths, World},
    power::{
        AnyPower, Power, Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9, WholePower,
    },
    tile::{STEP, Tile},
};
use crate::{
    arith::{div_rem, quotient_up},
    distance::sites::BitRows,
    rows::Items,
};
use cuda_std::{View, ViewMut, kernel, thread};

/// Targets that a thread has: side by side along x, beginning at a multiple of as many.
pub const RUN: u32 = 4;

/// Where the targets are: voxels of a mask.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runs {
    /// How the mask's bits lie.
    pub bits: BitRows,
    /// Runs of which at least one voxel is a target.
    pub count: u64,
}

/// Writes which runs of four voxels have a target, as a mask of a grid that has a voxel for each
/// run.
///
/// A thread takes single words of that mask: it reads up to four and writes one. Nothing is shared
/// in the block.
///
/// # Safety
/// `words` hold `bits.words()` elements, `runs` as many as `coarse.words()`, which `items` counts;
/// `coarse` is for a grid of as many rows, with a quarter of the voxels along x, rounded up.
#[kernel(fused)]
pub unsafe fn mark_runs(
    words: View<u32>,
    bits: BitRows,
    coarse: BitRows,
    items: Items,
    runs: ViewMut<u32>,
) {
    items.for_each(|item| {
        let (row, in_row) = div_rem(item as u64, coarse.per_row as u64);
        let mut marks = 0;
        let mut k = 0;
        while k < 4 {
            let word = 4 * in_row as u32 + k;
            if word < bits.per_row {
                let at = row * bits.per_row as u64 + word as u64;
                marks |= any_of_fours(words.read(at as usize)) << (8 * k);
            }
            k += 1;
        }
        runs.write(item, marks);
    });
}

/// A bit for each four of a word: whether one of them is 1.
#[inline(always)]
fn any_of_fours(word: u32) -> u32 {
    let pairs = word | word >> 1;
    let mut fours = (pairs | pairs >> 2) & 0x1111_1111;
    // every fourth bit, brought together
    fours = (fours | fours >> 3) & 0x0303_0303;
    fours = (fours | fours >> 6) & 0x000f_000f;
    (fours | fours >> 12) & 0xff
}

/// The force at each target.
///
/// A thread has a run of four targets, of which some may be none: they have the same y and z, so
/// that for each source only two differences and one sum of squares are made for all, and a product
/// and a sum for each. A block stages sources in shared memory, 8 KiB at a time, 24 KiB for sums in
/// `f64`. Per target three sums are written for each slice.
///
/// # Safety
/// `sources` hold three coordinates for each source, `at` three for each run, in runs and rows;
/// `words` are the targets' mask, `before` says for each word how many targets come before it;
/// `portion` is of the pairs of a slice and a block of runs; `sums` hold three for each target and
/// slice.
#[kernel(A = [f32, f64], P = [Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9, AnyPower], fused)]
pub unsafe fn forces_tuned<A: Add, P: Power>(
    sources: View<f32>,
    at: View<f32>,
    words: View<u32>,
    before: View<u64>,
    runs: Runs,
    slices: Slices,
    portion: Portion,
    exponent: f32,
    sums: ViewMut<f64>,
) {
    let runs_of = RunTargets {
        at,
        words,
        before,
        runs,
    };
    runs_of.forces::<A, P, _>(Cubes, (sources, None), slices, portion, exponent, sums);
}

/// The same where voxels are no cubes: forces in the world that `world` is the way to.
///
/// A thread has a run of four targets, as in [`forces_tuned`]. For each source there are three
/// products more for all four, and two for each. Sums of weights and exact differences become
/// vectors when they are written.
///
/// # Safety
/// As [`forces_tuned`]; `weights` hold one element for each source, or none: then each weighs 1.
#[kernel(A = [f32, f64], P = [WholePower, AnyPower], fused)]
pub unsafe fn forces_in_world<A: Add, P: Power>(
    sources: View<f32>,
    weights: View<f32>,
    at: View<f32>,
    words: View<u32>,
    before: View<u64>,
    runs: Runs,
    world: World,
    slices: Slices,
    portion: Portion,
    exponent: f32,
    sums: ViewMut<f64>,
) {
    let runs_of = RunTargets {
        at,
        words,
        before,
        runs,
    };
    runs_of.forces::<A, P, _>(
        world,
        (sources, Some(weights)),
        slices,
        portion,
        exponent,
        sums,
    );
}

/// Runs of targets.
#[derive(Clone, Copy)]
struct RunTargets<'a> {
    at: View<'a, f32>,
    words: View<'a, u32>,
    before: View<'a, u64>,
    runs: Runs,
}

impl RunTargets<'_> {
    /// Writes the sums of the runs of the calling block.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn forces<A: Add, P: Power, L: Lengths>(
        self,
        lengths: L,
        sources: (View<f32>, Option<View<f32>>),
        slices: Slices,
        portion: Portion,
        exponent: f32,
        sums: ViewMut<f64>,
    ) {
        let tile = Tile::of_block::<A>();
        let blocks = quotient_up(self.runs.count, thread::block_dim_x() as u64);
        let mut item = portion.first + thread::block_idx_x() as u64;
        while item < portion.end {
            let (slice, block) = div_rem(item, blocks);
            let run = block * thread::block_dim_x() as u64 + thread::thread_idx_x() as u64;
            let mut place = [0.0; 3];
            if run < self.runs.count {
                let first = 3 * run as usize;
                place = [
                    self.at.read(first),
                    self.at.read(first + 1),
                    self.at.read(first + 2),
                ];
            }
            let range = slices.range(slice);
            let held = forces_of_run::<A, P, L>(lengths, &tile, sources, range, place, exponent);
            if run < self.runs.count {
                write_run(
                    self.words,
                    self.before,
                    self.runs.bits,
                    place,
                    |k, target| {
                        let to = slices.sums(slice, target);
                        let held = if k == 0 {
                            held[0]
                        } else if k == 1 {
                            held[1]
                        } else if k == 2 {
                            held[2]
                        } else {
                            held[3]
                        };
                        let [x, y, z] = held;
                        let [x, y, z] = lengths.vector([x.widen(), y.widen(), z.widen()]);
                        sums.write(to, x);
                        sums.write(to + 1, y);
                        sums.write(to + 2, z);
                    },
                );
            }
            item += thread::grid_dim_x() as u64;
        }
    }
}

/// The forces of some sources on the four voxels of a run. All threads of the block call it.
#[inline(always)]
fn forces_of_run<A: Add, P: Power, L: Lengths>(
    lengths: L,
    tile: &Tile,
    (sources, weights): (View<f32>, Option<View<f32>>),
    [mut start, end]: [u64; 2],
    [run, y, z]: [f32; 3],
    exponent: f32,
) -> [[A; 3]; RUN as usize] {
    let x = run * RUN as f32;
    let wide = [x, y, z].map(A::of);
    let mut held = [[A::ZERO; 3]; RUN as usize];
    while start < end {
        let here = tile.stage(sources, weights, start, end);
        let mut i = 0;
        while i < here {
            let mut step = 0;
            while step < STEP {
                let [cx, cy, cz, own] = tile.weighted(i + step);
                let far = tile.wide_source::<A>(i + step);
                let (dy, dz) = (y - cy, z - cz);
                let across = lengths.across(dy, dz);
                let along_y = wide[1] - far[1];
                let along_z = wide[2] - far[2];
                let dx = x - cx;
                let along_x = wide[0] - far[0];
                let mut k = 0;
                while k < RUN as usize {
                    let dx = if k == 0 { dx } else { dx + k as f32 };
                    let weight = P::weight(lengths.squared(dx, across), exponent);
                    let weight = A::of(if L::WEIGHTED { weight * own } else { weight });
                    let along_x = if k == 0 {
                        along_x
                    } else {
                        along_x - A::of(-(k as f32))
                    };
                    held[k][0] = held[k][0].plus(weight, along_x);
                    held[k][1] = held[k][1].plus(weight, along_y);
                    held[k][2] = held[k][2].plus(weight, along_z);
                    k += 1;
                }
                step += 1;
            }
            i += STEP;
        }
        start += here as u64;
    }
    held
}

/// Calls `write` with each voxel of a run that is a target, and its number.
#[cuda_std::inline_closures]
#[inline(always)]
fn write_run(
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    [run, y, z]: [f32; 3],
    mut write: impl FnMut(u32, u64),
) {
    let run = run as u32;
    let row = z as u64 * bits.grid.ny as u64 + y as u64;
    let word = (row * bits.per_row as u64 + (run / 8) as u64) as usize;
    let all = words.read(word);
    let shift = run % 8 * RUN;
    let mut target = before.read(word) + (all & ((1 << shift) - 1)).count_ones() as u64;
    let mine = all >> shift;
    let mut k = 0;
    while k < RUN {
        if mine >> k & 1 != 0 {
            write(k, target);
            target += 1;
        }
        k += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fours_are_brought_together() {
        for word in [0, 1, 0xf0, 0x8000_0001, 0x0102_0408, u32::MAX, 0x1000_0000] {
            let expected = (0..8)
                .filter(|k| word >> (4 * k) & 15u32 != 0)
                .map(|k| 1 << k)
                .sum::<u32>();
            assert_eq!(any_of_fours(word), expected, "{word:x}");
        }
    }
}
