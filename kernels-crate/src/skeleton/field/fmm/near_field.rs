//! Near field: forces of the sources in nearby bricks, summed directly (P2P).

use super::{
    BRICK, BRICK_VOXELS,
    brick_list::{BrickList, unpack},
    bricks,
    lattice::Lattice,
};
use crate::{grid::Grid, skeleton::field::reduction::write_force};
use cuda_std::{GpuFloat, SharedView, View, ViewMut, kernel, shared_view, thread};

/// Largest squared distance in the weight table.
pub const MAX_SQUARED_DISTANCE: usize = 2591;

/// Lattice points per run: a thread's targets, adjacent along x.
pub(super) const RUN: usize = 4;

/// Runs per brick.
const RUNS: usize = BRICK_VOXELS / RUN;

/// Runs that a thread processes at a time: one on GPUs; all on the CPU, where a block has one
/// thread.
const RUNS_PER_THREAD: usize = if cfg!(target_arch = "nvptx64") {
    1
} else {
    RUNS
};

/// Sources staged in shared memory at a time.
pub(super) const MAX_STAGED: usize = 128;

/// Range of bricks whose near field is summed.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearFieldBatch {
    /// Index of the first brick.
    pub first: u64,
    /// Number of bricks.
    pub bricks: u64,
    /// Grid of bricks.
    pub grid: Grid,
    /// Position of the voxels among the bricks; `lattice.bits` describes the mask of targets.
    pub lattice: Lattice,
    /// Number of offsets to near bricks.
    pub offsets: u32,
}

/// Force sums of a run's targets: x, y and z.
pub(super) type Sums = [[f64; RUN]; 3];

/// Staging and summation of near sources, depending on the voxel metric.
pub(super) trait SourceKind: Copy {
    /// Stages source `source` of the list as entry `i`; `position` is relative to the first lattice
    /// point of the targets' brick.
    fn stage(self, i: usize, position: [i32; 3], source: usize);

    /// Adds the forces of the first `count` staged sources to the sums of a run.
    fn add(self, sums: Sums, count: usize, run: usize) -> Sums;

    /// Returns the total force from the near-field sum and the far-field force.
    fn force(self, near: [f64; 3], far: [f64; 3]) -> [f64; 3];
}

/// Inputs shared by the near-field kernels: the targets, and the sources by brick.
#[derive(Clone, Copy)]
pub(super) struct NearFieldInput<'v> {
    /// Mask of the targets.
    pub words: View<'v, u32>,
    /// Number of targets before each word of the mask.
    pub before: View<'v, u64>,
    /// Linear indices of the bricks with targets.
    pub target_bricks: View<'v, u32>,
    /// For each brick of the grid, its index among the bricks with sources, or
    /// [`NO_BRICK`](super::NO_BRICK).
    pub source_bricks: View<'v, u32>,
    /// Start of the sources of each brick with sources, and a final end index.
    pub starts: View<'v, u64>,
    /// Positions of the sources in their bricks, x, y and z in one byte each.
    pub sources_by_brick: View<'v, u32>,
    /// Packed offsets from a brick to the bricks near it.
    pub offsets: View<'v, u32>,
    pub batch: NearFieldBatch,
}

/// Adds the near field to the far field, and writes the direction and magnitude of the force at
/// each target.
///
/// **Mapping:** one brick per block; a thread handles runs of four lattice points adjacent along x,
/// some of which may not be targets. **Phases:** the sources of near bricks are staged in shared
/// memory, at most 128 at a time, between barriers; then each thread loops over them, all threads
/// reading the same source. Weights are looked up by the squared distance, an integer, so every
/// exponent costs the same and is accurate to the last bits of `f64`. **Memory:** 28.8 KiB of
/// shared memory. The threads of a block share the reads of the weight table, of one brick index
/// per offset, and of one packed position per near source. A thread reads one word of the mask per
/// run and staged group of sources; per target, it reads three far-field components and writes four
/// floats.
///
/// # Safety
/// `words` and `before` must be the mask of targets, laid out as `batch.lattice`, and the number of
/// mask voxels before each word. `target_bricks` must be the bricks of `batch.grid` with targets,
/// `source_bricks` the indices of those with sources, `starts` and `sources_by_brick` the output of
/// `list_sources_by_brick`. `offsets` must be the near offsets: x, y and z in six bits each,
/// biased by [`OFFSET_BIAS`](super::OFFSET_BIAS). `weights` must hold `R^-(m + 1)` for each `R²` up
/// to [`MAX_SQUARED_DISTANCE`], and 0 for 0. `far` must be the output of
/// `evaluate_local_expansions` for the same bricks; `forces` must hold four elements per target.
/// Blocks must have at most [`MAX_THREADS`](super::MAX_THREADS) threads.
#[kernel(fused)]
pub unsafe fn add_near_field(
    words: View<u32>,
    before: View<u64>,
    target_bricks: View<u32>,
    source_bricks: View<u32>,
    starts: View<u64>,
    sources_by_brick: View<u32>,
    offsets: View<u32>,
    weights: View<f64>,
    far: View<f64>,
    batch: NearFieldBatch,
    forces: ViewMut<f32>,
) {
    let staged = StagedSources {
        positions: shared_view![i32; 4 * MAX_STAGED],
        positions_f64: shared_view![f64; 4 * MAX_STAGED],
        weights: shared_view![f64; MAX_SQUARED_DISTANCE + 1],
    };
    let threads = thread::block_dim_x() as usize;
    let mut squared = thread::thread_idx_x() as usize;
    while squared <= MAX_SQUARED_DISTANCE {
        staged.weights.write(squared, weights.read(squared));
        squared += threads;
    }
    let input = NearFieldInput {
        words,
        before,
        target_bricks,
        source_bricks,
        starts,
        sources_by_brick,
        offsets,
        batch,
    };
    sum_near_field(staged, &input, far, forces);
}

/// Sums the near field of the calling block's bricks.
#[inline(always)]
pub(super) fn sum_near_field<A: SourceKind>(
    kind: A,
    input: &NearFieldInput<'_>,
    far: View<f64>,
    forces: ViewMut<f32>,
) {
    let near_bricks = BrickList::new();
    let batch = input.batch;
    let threads = thread::block_dim_x() as usize;
    let mut brick_index = thread::block_idx_x() as u64;
    while brick_index < batch.bricks {
        let brick_rank = (batch.first + brick_index) as usize;
        let brick = bricks::brick_coords(batch.grid, input.target_bricks.read(brick_rank) as u64);
        let mut first_run = 0;
        while first_run < RUNS {
            let thread_run = first_run + thread::thread_idx_x() as usize;
            let mut run_sums: [Sums; RUNS_PER_THREAD] = [[[0.0; RUN]; 3]; RUNS_PER_THREAD];
            let mut next_offset = 0;
            while next_offset < batch.offsets {
                let range = [next_offset, batch.offsets];
                let [count, examined] = near_bricks.append_occupied(
                    0,
                    input.offsets,
                    range,
                    brick,
                    input.source_bricks,
                    batch.grid,
                );
                next_offset += examined;
                thread::sync_threads();
                let mut entry = 0;
                while entry < count {
                    let [offset, brick_rank] = near_bricks.read(entry as usize);
                    let (offset_axes, _) = unpack(offset);
                    let (mut start, end) = (
                        input.starts.read(brick_rank as usize),
                        input.starts.read(brick_rank as usize + 1),
                    );
                    while start < end {
                        let remaining = (end - start) as usize;
                        let count = if remaining < MAX_STAGED {
                            remaining
                        } else {
                            MAX_STAGED
                        };
                        stage(
                            kind,
                            input.sources_by_brick,
                            start as usize,
                            count,
                            offset_axes,
                        );
                        let mut k = 0;
                        while k < RUNS_PER_THREAD {
                            let run = thread_run + k * threads;
                            if run < RUNS && run_targets(input, brick, run) != 0 {
                                run_sums[k] = kind.add(run_sums[k], count, run);
                            }
                            k += 1;
                        }
                        start += count as u64;
                    }
                    entry += 1;
                }
                // the next group of bricks overwrites the list
                thread::sync_threads();
            }
            let mut k = 0;
            while k < RUNS_PER_THREAD {
                let run = thread_run + k * threads;
                if run < RUNS {
                    let from = 3 * (brick_index as usize * BRICK_VOXELS + RUN * run);
                    let far = (far, from);
                    write_run(kind, input, (brick, run), run_sums[k], far, forces);
                }
                k += 1;
            }
            first_run += RUNS_PER_THREAD * threads;
        }
        brick_index += thread::grid_dim_x() as u64;
    }
}

/// Stages sources of the brick at the given offset. All threads of the block must call this; it
/// contains two barriers.
#[inline(always)]
fn stage<A: SourceKind>(
    kind: A,
    sources_by_brick: View<u32>,
    start: usize,
    count: usize,
    offset_axes: [i32; 3],
) {
    // wait until the previous sources have been consumed
    thread::sync_threads();
    let mut i = thread::thread_idx_x() as usize;
    while i < count {
        let at = sources_by_brick.read(start + i);
        let side = BRICK as i32;
        let x = offset_axes[0] * side + (at & 0xff) as i32;
        let y = offset_axes[1] * side + (at >> 8 & 0xff) as i32;
        let z = offset_axes[2] * side + (at >> 16) as i32;
        kind.stage(i, [x, y, z], start + i);
        i += thread::block_dim_x() as usize;
    }
    thread::sync_threads();
}

/// Sources of a brick and the weight table by squared distance, in shared memory (26.2 KiB).
#[derive(Clone, Copy)]
struct StagedSources {
    /// Position relative to the first voxel of the targets' brick: x, y, z and padding.
    positions: SharedView<i32>,
    /// Positions in `f64`, in the same layout.
    positions_f64: SharedView<f64>,
    weights: SharedView<f64>,
}

impl SourceKind for StagedSources {
    #[inline(always)]
    fn stage(self, i: usize, [x, y, z]: [i32; 3], _source: usize) {
        self.positions.write_vector(4 * i, [x, y, z, 0]);
        self.positions_f64.write_vector(4 * i, [x as f64, y as f64]);
        self.positions_f64.write_vector(4 * i + 2, [z as f64, 0.0]);
    }

    #[cuda_std::inline_closures]
    #[inline(always)]
    fn add(self, sums: Sums, count: usize, run: usize) -> Sums {
        let [x, y, z] = run_origin(run).map(|coordinate| coordinate as i32);
        let (target_x, target_y, target_z) = (x as f64, y as f64, z as f64);
        let [mut along_x, mut along_y, mut along_z] = sums;
        let mut i = 0;
        while i < count {
            let [cx, cy, cz, _] = self.positions.read_vector::<4>(4 * i);
            let [source_x, source_y] = self.positions_f64.read_vector::<2>(4 * i);
            let [source_z, _] = self.positions_f64.read_vector::<2>(4 * i + 2);
            let (dx, dy, dz) = (x - cx, y - cy, z - cz);
            let across = dy * dy + dz * dz;
            let weights = per_target(|k| {
                let dx = dx + k as i32;
                self.weights.read((across + dx * dx) as usize)
            });
            let first = target_x - source_x;
            let (from_y, from_z) = (target_y - source_y, target_z - source_z);
            along_x = per_target(|k| GpuFloat::mul_add(weights[k], first + k as f64, along_x[k]));
            along_y = per_target(|k| GpuFloat::mul_add(weights[k], from_y, along_y[k]));
            along_z = per_target(|k| GpuFloat::mul_add(weights[k], from_z, along_z[k]));
            i += 1;
        }
        [along_x, along_y, along_z]
    }

    #[inline(always)]
    fn force(self, near: [f64; 3], far: [f64; 3]) -> [f64; 3] {
        [near[0] + far[0], near[1] + far[1], near[2] + far[2]]
    }
}

/// Returns the first lattice point of a run, relative to its brick.
#[inline(always)]
pub(super) fn run_origin(run: usize) -> [u32; 3] {
    let run = run as u32;
    [run % 2 * RUN as u32, run / 2 % BRICK, run / 2 / BRICK]
}

/// Returns the lattice points of a run that are targets, as bits.
#[inline(always)]
fn run_targets(input: &NearFieldInput<'_>, brick: [u32; 3], run: usize) -> u32 {
    let [x, y, z] = run_origin(run);
    let (y, z) = (brick[1] * BRICK + y, brick[2] * BRICK + z);
    let lattice = input.batch.lattice;
    lattice.row_of_brick(input.words, brick[0], y, z) >> x & 15
}

/// Evaluates `value` for each lattice point of a run.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn per_target(value: impl Fn(usize) -> f64) -> [f64; RUN] {
    let mut values = [0.0; RUN];
    let mut k = 0;
    while k < RUN {
        values[k] = value(k);
        k += 1;
    }
    values
}

/// Writes the forces of a run's targets from its near-field sums and the far-field forces starting
/// at element `from`.
#[inline(always)]
fn write_run<A: SourceKind>(
    kind: A,
    input: &NearFieldInput<'_>,
    (brick, run): ([u32; 3], usize),
    run_sums: Sums,
    (far, from): (View<f64>, usize),
    forces: ViewMut<f32>,
) {
    let targets = run_targets(input, brick, run);
    if targets == 0 {
        return;
    }
    let [x, y, z] = run_origin(run);
    let first = [
        brick[0] * BRICK + x + targets.trailing_zeros(),
        brick[1] * BRICK + y,
        brick[2] * BRICK + z,
    ];
    let lattice = input.batch.lattice;
    let mut target = lattice.mask_rank(input.words, input.before, first);
    let mut k = 0;
    while k < RUN {
        if targets >> k & 1 != 0 {
            let at = from + 3 * k;
            let near = [run_sums[0][k], run_sums[1][k], run_sums[2][k]];
            let far = [far.read(at), far.read(at + 1), far.read(at + 2)];
            write_force(forces, target as usize, kind.force(near, far));
            target += 1;
        }
        k += 1;
    }
}
