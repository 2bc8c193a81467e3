//! What the bricks around exert, source by source.

use super::{
    BRICK, VOXELS, bricks,
    present::{Present, unpack},
};
use crate::{
    distance::sites::BitRows,
    grid::Grid,
    skeleton::field::{Ranks, finish::write_force},
};
use cuda_std::{GpuFloat, SharedView, View, ViewMut, kernel, shared_view, thread};

/// The largest squared distance for which there is a weight.
pub const MAX_SQUARED: usize = 2591;

/// Voxels that a thread has side by side along x.
const RUN: usize = 4;

/// Such runs of a brick.
const RUNS: usize = VOXELS / RUN;

/// Runs that a thread holds at a time: on the CPU, whose blocks have one thread, all.
const HELD: usize = if cfg!(target_arch = "nvptx64") {
    1
} else {
    RUNS
};

/// Sources that are staged at a time.
const STAGED: usize = 128;

/// Bricks whose forces are made.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near {
    /// The first one's number.
    pub first: u64,
    /// How many.
    pub nodes: u64,
    /// The bricks.
    pub grid: Grid,
    /// How the bits of the targets' mask lie.
    pub bits: BitRows,
    /// Offsets of near bricks.
    pub offsets: u32,
}

/// Sources of a brick, and what a source of each squared distance weighs, in shared memory: 26.2 KiB.
#[derive(Clone, Copy)]
struct Staged {
    /// x, y, z from the first voxel of the targets' brick, and nothing.
    places: SharedView<i32>,
    /// The same.
    wide: SharedView<f64>,
    weights: SharedView<f64>,
}

/// Sums of the forces on a run's voxels: x, y and z.
type Sums = [[f64; RUN]; 3];

/// Adds what near bricks exert to what far ones do, and writes directions and magnitudes of the targets.
///
/// A block takes bricks. Sources are staged in shared memory, at most 128 at a time; a thread has four targets side by side along x, of which some may be none, and goes
/// through the sources, all threads reading the same. Weights come from a table by the squared distance, an integer: so any power costs the same, and is exact to the
/// last bits of `f64`. 28.3 KiB are shared in the block.
///
/// # Safety
/// `words` and `before` are the targets' mask, of `near.bits`, and how many come before each word; `targets` the bricks of `near.grid` with targets,
/// `sources` the numbers of those with sources, `starts` and `list` what `list_sources` leaves. `offsets` are the near bricks: x, y and z in five bits each. `weights`
/// hold `R^-(m + 1)` for `R²` up to [`MAX_SQUARED`], and 0 for 0. `far` are the forces of `far_forces` on the same bricks, `forces` four numbers for each target. Blocks have
/// at most [`MAX_THREADS`](super::MAX_THREADS) threads.
#[kernel]
pub unsafe fn near_forces(
    words: View<u32>,
    before: View<u64>,
    targets: View<u32>,
    sources: View<u32>,
    starts: View<u64>,
    list: View<u32>,
    offsets: View<u32>,
    weights: View<f64>,
    far: View<f64>,
    near: Near,
    forces: ViewMut<f32>,
) {
    let present = Present::of_block();
    let staged = Staged {
        places: shared_view![i32; 4 * STAGED],
        wide: shared_view![f64; 4 * STAGED],
        weights: shared_view![f64; MAX_SQUARED + 1],
    };
    let ranks = Ranks {
        words,
        before,
        bits: near.bits,
    };
    let threads = thread::block_dim_x() as usize;
    let mut squared = thread::thread_idx_x() as usize;
    while squared <= MAX_SQUARED {
        staged.weights.write(squared, weights.read(squared));
        squared += threads;
    }
    let mut node = thread::block_idx_x() as u64;
    while node < near.nodes {
        let number = (near.first + node) as usize;
        let brick = bricks::place(near.grid, targets.read(number) as u64);
        let mut first_run = 0;
        while first_run < RUNS {
            let mine = first_run + thread::thread_idx_x() as usize;
            let mut held: [Sums; HELD] = [[[0.0; RUN]; 3]; HELD];
            let mut next = 0;
            while next < near.offsets {
                let range = [next, near.offsets];
                let [count, looked_at] = present.add(0, offsets, range, brick, sources, near.grid);
                next += looked_at;
                thread::sync_threads();
                let mut entry = 0;
                while entry < count {
                    let [offset, number] = present.read(entry as usize);
                    let (along, _) = unpack(offset);
                    let (mut start, end) = (
                        starts.read(number as usize),
                        starts.read(number as usize + 1),
                    );
                    while start < end {
                        let rest = (end - start) as usize;
                        let here = if rest < STAGED { rest } else { STAGED };
                        staged.stage(list, start as usize, here, along);
                        let mut k = 0;
                        while k < HELD {
                            let run = mine + k * threads;
                            if run < RUNS && targets_of_run(&ranks, brick, run) != 0 {
                                held[k] = staged.add(held[k], here, run);
                            }
                            k += 1;
                        }
                        start += here as u64;
                    }
                    entry += 1;
                }
                // the next round's bricks come where these are
                thread::sync_threads();
            }
            let mut k = 0;
            while k < HELD {
                let run = mine + k * threads;
                if run < RUNS {
                    let from = 3 * (node as usize * VOXELS + RUN * run);
                    write_run(&ranks, far, brick, run, from, held[k], forces);
                }
                k += 1;
            }
            first_run += HELD * threads;
        }
        node += thread::grid_dim_x() as u64;
    }
}

/// The first voxel of a run in its brick.
#[inline(always)]
fn place_of_run(run: usize) -> [u32; 3] {
    let run = run as u32;
    [run % 2 * RUN as u32, run / 2 % BRICK, run / 2 / BRICK]
}

/// The voxels of a run that are targets, as bits.
#[inline(always)]
fn targets_of_run(targets: &Ranks<'_>, brick: [u32; 3], run: usize) -> u32 {
    let [x, y, z] = place_of_run(run);
    let (y, z) = (brick[1] * BRICK + y, brick[2] * BRICK + z);
    bricks::row_of_brick(targets.words, targets.bits, brick[0], y, z) >> x & 15
}

impl Staged {
    /// Stages sources of the brick at an offset. All threads of the block call it; two barriers are in it.
    #[inline(always)]
    fn stage(&self, list: View<u32>, start: usize, here: usize, along: [i32; 3]) {
        // those before are done with
        thread::sync_threads();
        let mut i = thread::thread_idx_x() as usize;
        while i < here {
            let at = list.read(start + i);
            let side = BRICK as i32;
            let x = along[0] * side + (at & 0xff) as i32;
            let y = along[1] * side + (at >> 8 & 0xff) as i32;
            let z = along[2] * side + (at >> 16) as i32;
            self.places.write_vector(4 * i, [x, y, z, 0]);
            self.wide.write_vector(4 * i, [x as f64, y as f64]);
            self.wide.write_vector(4 * i + 2, [z as f64, 0.0]);
            i += thread::block_dim_x() as usize;
        }
        thread::sync_threads();
    }

    /// Adds the forces of the staged sources on a run.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn add(&self, sums: Sums, here: usize, run: usize) -> Sums {
        let [x, y, z] = place_of_run(run).map(|along| along as i32);
        let (wide_x, wide_y, wide_z) = (x as f64, y as f64, z as f64);
        let [mut along_x, mut along_y, mut along_z] = sums;
        let mut i = 0;
        while i < here {
            let [cx, cy, cz, _] = self.places.read_vector::<4>(4 * i);
            let [far_x, far_y] = self.wide.read_vector::<2>(4 * i);
            let [far_z, _] = self.wide.read_vector::<2>(4 * i + 2);
            let (dx, dy, dz) = (x - cx, y - cy, z - cz);
            let across = dy * dy + dz * dz;
            let weights = each(|k| {
                let dx = dx + k as i32;
                self.weights.read((across + dx * dx) as usize)
            });
            let first = wide_x - far_x;
            let (from_y, from_z) = (wide_y - far_y, wide_z - far_z);
            along_x = each(|k| GpuFloat::mul_add(weights[k], first + k as f64, along_x[k]));
            along_y = each(|k| GpuFloat::mul_add(weights[k], from_y, along_y[k]));
            along_z = each(|k| GpuFloat::mul_add(weights[k], from_z, along_z[k]));
            i += 1;
        }
        [along_x, along_y, along_z]
    }
}

/// A number for each voxel of a run.
#[cuda_std::inline_closures]
#[inline(always)]
fn each(of: impl Fn(usize) -> f64) -> [f64; RUN] {
    let mut made = [0.0; RUN];
    let mut k = 0;
    while k < RUN {
        made[k] = of(k);
        k += 1;
    }
    made
}

/// Writes the forces of a run's targets.
#[inline(always)]
fn write_run(
    targets: &Ranks<'_>,
    far: View<f64>,
    brick: [u32; 3],
    run: usize,
    from: usize,
    held: Sums,
    forces: ViewMut<f32>,
) {
    let mine = targets_of_run(targets, brick, run);
    if mine == 0 {
        return;
    }
    let [x, y, z] = place_of_run(run);
    let x = brick[0] * BRICK + x;
    let bits = targets.bits;
    let word = bits.word_of(x, brick[1] * BRICK + y, brick[2] * BRICK + z);
    let lower = targets.words.read(word) & ((1 << (x % 32)) - 1);
    let mut target = targets.before.read(word) + lower.count_ones() as u64;
    let mut k = 0;
    while k < RUN {
        if mine >> k & 1 != 0 {
            let at = from + 3 * k;
            let force = [
                held[0][k] + far.read(at),
                held[1][k] + far.read(at + 1),
                held[2][k] + far.read(at + 2),
            ];
            write_force(forces, target as usize, force);
            target += 1;
        }
        k += 1;
    }
}
