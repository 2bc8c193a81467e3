//! Fastest all-pairs kernel: four targets adjacent along x per thread.

use super::{
    accumulator::{Accumulator, LaunchRange, SourceSlices},
    metric::{UnitMetric, VoxelMetric, WorldMetric},
    power::{
        IntegerPower, Power, Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9,
        RealPower,
    },
    tile::{Tile, UNROLL},
};
use crate::{
    arith::{div_ceil, div_rem},
    distance::sites::BitRows,
    rows::Items,
};
use cuda_std::{View, ViewMut, kernel, thread};

/// Targets per thread: adjacent along x, starting at a multiple of this number.
pub const RUN: u32 = 4;

/// Runs of targets in a mask.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetRuns {
    /// Layout of the mask's bits.
    pub bits: BitRows,
    /// Number of runs with at least one target.
    pub count: u64,
}

/// Marks the runs of four voxels that contain a target, as a mask of a grid with one voxel per run.
///
/// **Mapping:** one word of the run mask per thread. **Memory:** reads up to four words and writes
/// one; no shared memory.
///
/// # Safety
/// `words` must hold `bits.words()` elements, `runs` the `coarse.words()` elements counted by
/// `items`. `coarse` must have the same rows, with a quarter of the voxels along x, rounded up.
#[kernel(fused)]
pub unsafe fn mark_target_runs(
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
                let index = row * bits.per_row as u64 + word as u64;
                marks |= occupied_fours(words.read(index as usize)) << (8 * k);
            }
            k += 1;
        }
        runs.write(item, marks);
    });
}

/// Returns one bit for each group of four bits of a word: 1 if any of the four is 1.
#[inline(always)]
fn occupied_fours(word: u32) -> u32 {
    let pairs = word | word >> 1;
    let mut fours = (pairs | pairs >> 2) & 0x1111_1111;
    // compact every fourth bit
    fours = (fours | fours >> 3) & 0x0303_0303;
    fours = (fours | fours >> 6) & 0x000f_000f;
    (fours | fours >> 12) & 0xff
}

/// Computes the force at each target by summing over all sources.
///
/// **Mapping:** one run of four lattice points per thread, some of which may not be targets. They
/// share y and z, so per source only the x terms differ: two differences and one sum of squares are
/// computed once, and one product and one sum per target. **Memory:** sources are staged in shared
/// memory, 8 KiB at a time (24 KiB for `f64` sums); writes three sums per target and slice.
///
/// # Safety
/// `sources` must hold three coordinates per source, `run_coords` three per run: the run's index
/// along x, y and z. `words` must be the mask of targets, `before` the number of targets before
/// each word. `range` must be a range of (slice, block of runs) pairs; `sums` must hold three
/// elements per target and slice.
#[kernel(A = [f32, f64], P = [Power2, Power3, Power4, Power5, Power6, Power7, Power8, Power9, RealPower], fused)]
pub unsafe fn forces_tuned<A: Accumulator, P: Power>(
    sources: View<f32>,
    run_coords: View<f32>,
    words: View<u32>,
    before: View<u64>,
    runs: TargetRuns,
    slices: SourceSlices,
    range: LaunchRange,
    exponent: f32,
    sums: ViewMut<f64>,
) {
    let run_targets = RunTargets {
        run_coords,
        words,
        before,
        runs,
    };
    run_targets.forces::<A, P, _>(UnitMetric, (sources, None), slices, range, exponent, sums);
}

/// Computes the force at each target by summing over all sources, in world space, for anisotropic
/// or oblique voxels.
///
/// **Mapping and memory:** as for [`forces_tuned`], with three more products per source and two
/// more per pair. Weighted differences are accumulated in voxel units and converted to world
/// vectors when written.
///
/// # Safety
/// As for [`forces_tuned`]; `weights` must hold one element per source or be empty, in which case
/// every weight is 1.
#[kernel(A = [f32, f64], P = [IntegerPower, RealPower], fused)]
pub unsafe fn forces_tuned_in_world<A: Accumulator, P: Power>(
    sources: View<f32>,
    weights: View<f32>,
    run_coords: View<f32>,
    words: View<u32>,
    before: View<u64>,
    runs: TargetRuns,
    world: WorldMetric,
    slices: SourceSlices,
    range: LaunchRange,
    exponent: f32,
    sums: ViewMut<f64>,
) {
    let run_targets = RunTargets {
        run_coords,
        words,
        before,
        runs,
    };
    run_targets.forces::<A, P, _>(
        world,
        (sources, Some(weights)),
        slices,
        range,
        exponent,
        sums,
    );
}

/// Runs of targets and their mask.
#[derive(Clone, Copy)]
struct RunTargets<'a> {
    run_coords: View<'a, f32>,
    words: View<'a, u32>,
    before: View<'a, u64>,
    runs: TargetRuns,
}

impl RunTargets<'_> {
    /// Writes the sums of the calling block's runs.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn forces<A: Accumulator, P: Power, L: VoxelMetric>(
        self,
        metric: L,
        sources: (View<f32>, Option<View<f32>>),
        slices: SourceSlices,
        range: LaunchRange,
        exponent: f32,
        sums: ViewMut<f64>,
    ) {
        let tile = Tile::new::<A>();
        let blocks = div_ceil(self.runs.count, thread::block_dim_x() as u64);
        let mut item = range.first + thread::block_idx_x() as u64;
        while item < range.end {
            let (slice, block) = div_rem(item, blocks);
            let run = block * thread::block_dim_x() as u64 + thread::thread_idx_x() as u64;
            let mut coords = [0.0; 3];
            if run < self.runs.count {
                let first = 3 * run as usize;
                coords = [
                    self.run_coords.read(first),
                    self.run_coords.read(first + 1),
                    self.run_coords.read(first + 2),
                ];
            }
            let slice_range = slices.range(slice);
            let sums_of_run =
                forces_of_run::<A, P, L>(metric, &tile, sources, slice_range, coords, exponent);
            if run < self.runs.count {
                write_run(
                    self.words,
                    self.before,
                    self.runs.bits,
                    coords,
                    |k, target| {
                        let to = slices.sum_index(slice, target);
                        let sum = if k == 0 {
                            sums_of_run[0]
                        } else if k == 1 {
                            sums_of_run[1]
                        } else if k == 2 {
                            sums_of_run[2]
                        } else {
                            sums_of_run[3]
                        };
                        let [x, y, z] = sum;
                        let [x, y, z] = metric.to_world([x.to_f64(), y.to_f64(), z.to_f64()]);
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

/// Sums the forces of a range of sources on the four voxels of a run. All threads of the block must
/// call this.
#[inline(always)]
fn forces_of_run<A: Accumulator, P: Power, L: VoxelMetric>(
    metric: L,
    tile: &Tile,
    (sources, weights): (View<f32>, Option<View<f32>>),
    [mut start, end]: [u64; 2],
    [run, y, z]: [f32; 3],
    exponent: f32,
) -> [[A; 3]; RUN as usize] {
    let x = run * RUN as f32;
    let target = [x, y, z].map(A::from_f32);
    let mut sums_of_run = [[A::ZERO; 3]; RUN as usize];
    while start < end {
        let count = tile.stage(sources, weights, start, end);
        let mut i = 0;
        while i < count {
            let mut step = 0;
            while step < UNROLL {
                let [cx, cy, cz, source_weight] = tile.weighted(i + step);
                let source = tile.source_as::<A>(i + step);
                let (dy, dz) = (y - cy, z - cz);
                let transverse = metric.transverse(dy, dz);
                let along_y = target[1] - source[1];
                let along_z = target[2] - source[2];
                let dx = x - cx;
                let along_x = target[0] - source[0];
                let mut k = 0;
                while k < RUN as usize {
                    let dx = if k == 0 { dx } else { dx + k as f32 };
                    let weight = P::weight(metric.squared(dx, transverse), exponent);
                    let weight = A::from_f32(if L::WEIGHTED {
                        weight * source_weight
                    } else {
                        weight
                    });
                    let along_x = if k == 0 {
                        along_x
                    } else {
                        along_x - A::from_f32(-(k as f32))
                    };
                    sums_of_run[k][0] = sums_of_run[k][0].add_scaled(weight, along_x);
                    sums_of_run[k][1] = sums_of_run[k][1].add_scaled(weight, along_y);
                    sums_of_run[k][2] = sums_of_run[k][2].add_scaled(weight, along_z);
                    k += 1;
                }
                step += 1;
            }
            i += UNROLL;
        }
        start += count as u64;
    }
    sums_of_run
}

/// Calls `write(position in the run, target index)` for each voxel of a run that is a target.
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
    let run_bits = all >> shift;
    let mut k = 0;
    while k < RUN {
        if run_bits >> k & 1 != 0 {
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
    fn occupied_groups_of_four_are_compacted() {
        for word in [0, 1, 0xf0, 0x8000_0001, 0x0102_0408, u32::MAX, 0x1000_0000] {
            let expected = (0..8)
                .filter(|k| word >> (4 * k) & 15u32 != 0)
                .map(|k| 1 << k)
                .sum::<u32>();
            assert_eq!(occupied_fours(word), expected, "{word:x}");
        }
    }
}
