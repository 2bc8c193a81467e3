//! What the bricks around exert, source by source.

use super::{
    BRICK, VOXELS, bricks,
    lattice::Lattice,
    present::{Present, unpack},
};
use crate::{grid::Grid, skeleton::field::finish::write_force};
use cuda_std::{GpuFloat, SharedView, View, ViewMut, kernel, shared_view, thread};

/// The largest squared distance for which there is a weight.
pub const MAX_SQUARED: usize = 2591;

/// Places of the lattice that a thread has side by side along x.
pub(super) const RUN: usize = 4;

/// Such runs of a brick.
const RUNS: usize = VOXELS / RUN;

/// Runs that a thread holds at a time: on the CPU, whose blocks have one thread, all.
const HELD: usize = if cfg!(target_arch = "nvptx64") {
    1
} else {
    RUNS
};

/// Sources that are staged at a time.
pub(super) const STAGED: usize = 128;

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
    /// Where voxels are among them; its bits are those of the targets' mask.
    pub lattice: Lattice,
    /// Offsets of near bricks.
    pub offsets: u32,
}

/// Sums of the forces on a run's voxels: x, y and z.
pub(super) type Sums = [[f64; RUN]; 3];

/// What sources that are near do, in whatever they are staged.
pub(super) trait Acting: Copy {
    /// Stages source `source` of the list in place `i`: x, y and z from the first place of the
    /// targets' brick.
    fn stage(self, i: usize, place: [i32; 3], source: usize);

    /// Adds the forces of the staged sources on a run.
    fn add(self, sums: Sums, staged: usize, run: usize) -> Sums;

    /// The force of a sum of near sources and of far ones.
    fn force(self, near: [f64; 3], far: [f64; 3]) -> [f64; 3];
}

/// Where sources and targets are: what the kernels have in common.
#[derive(Clone, Copy)]
pub(super) struct Places<'v> {
    pub words: View<'v, u32>,
    pub before: View<'v, u64>,
    pub targets: View<'v, u32>,
    pub sources: View<'v, u32>,
    pub starts: View<'v, u64>,
    pub list: View<'v, u32>,
    pub offsets: View<'v, u32>,
    pub near: Near,
}

/// Adds what near bricks exert to what far ones do, and writes directions and magnitudes of the
/// targets.
///
/// A block takes bricks. Sources are staged in shared memory, at most 128 at a time; a thread has
/// four targets side by side along x, of which some may be none, and goes through the sources, all
/// threads reading the same. Weights come from a table by the squared distance, an integer: so any
/// power costs the same, and is exact to the last bits of `f64`. 28.8 KiB are shared in the block.
///
/// # Safety
/// `words` and `before` are the targets' mask, of `near.lattice`, and how many come before each
/// word; `targets` the bricks of `near.grid` with targets, `sources` the numbers of those with
/// sources, `starts` and `list` what `list_sources` leaves. `offsets` are the near bricks: x, y and
/// z in six bits each. `weights` hold `R^-(m + 1)` for `R²` up to [`MAX_SQUARED`], and 0 for 0.
/// `far` are the forces of `far_forces` on the same bricks, `forces` four numbers for each target.
/// Blocks have at most [`MAX_THREADS`](super::MAX_THREADS) threads.
#[kernel(fused)]
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
    let staged = Staged {
        places: shared_view![i32; 4 * STAGED],
        wide: shared_view![f64; 4 * STAGED],
        weights: shared_view![f64; MAX_SQUARED + 1],
    };
    let threads = thread::block_dim_x() as usize;
    let mut squared = thread::thread_idx_x() as usize;
    while squared <= MAX_SQUARED {
        staged.weights.write(squared, weights.read(squared));
        squared += threads;
    }
    let places = Places {
        words,
        before,
        targets,
        sources,
        starts,
        list,
        offsets,
        near,
    };
    add_near(staged, &places, far, forces);
}

/// The forces of bricks by sources that act in one way or another.
#[inline(always)]
pub(super) fn add_near<A: Acting>(
    acting: A,
    places: &Places<'_>,
    far: View<f64>,
    forces: ViewMut<f32>,
) {
    let present = Present::of_block();
    let near = places.near;
    let threads = thread::block_dim_x() as usize;
    let mut node = thread::block_idx_x() as u64;
    while node < near.nodes {
        let number = (near.first + node) as usize;
        let brick = bricks::place(near.grid, places.targets.read(number) as u64);
        let mut first_run = 0;
        while first_run < RUNS {
            let mine = first_run + thread::thread_idx_x() as usize;
            let mut held: [Sums; HELD] = [[[0.0; RUN]; 3]; HELD];
            let mut next = 0;
            while next < near.offsets {
                let range = [next, near.offsets];
                let [count, looked_at] =
                    present.add(0, places.offsets, range, brick, places.sources, near.grid);
                next += looked_at;
                thread::sync_threads();
                let mut entry = 0;
                while entry < count {
                    let [offset, number] = present.read(entry as usize);
                    let (along, _) = unpack(offset);
                    let (mut start, end) = (
                        places.starts.read(number as usize),
                        places.starts.read(number as usize + 1),
                    );
                    while start < end {
                        let rest = (end - start) as usize;
                        let here = if rest < STAGED { rest } else { STAGED };
                        stage(acting, places.list, start as usize, here, along);
                        let mut k = 0;
                        while k < HELD {
                            let run = mine + k * threads;
                            if run < RUNS && targets_of_run(places, brick, run) != 0 {
                                held[k] = acting.add(held[k], here, run);
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
                    let far = (far, from);
                    write_run(acting, places, (brick, run), held[k], far, forces);
                }
                k += 1;
            }
            first_run += HELD * threads;
        }
        node += thread::grid_dim_x() as u64;
    }
}

/// Stages sources of the brick at an offset. All threads of the block call it; two barriers are in
/// it.
#[inline(always)]
fn stage<A: Acting>(acting: A, list: View<u32>, start: usize, here: usize, along: [i32; 3]) {
    // those before are done with
    thread::sync_threads();
    let mut i = thread::thread_idx_x() as usize;
    while i < here {
        let at = list.read(start + i);
        let side = BRICK as i32;
        let x = along[0] * side + (at & 0xff) as i32;
        let y = along[1] * side + (at >> 8 & 0xff) as i32;
        let z = along[2] * side + (at >> 16) as i32;
        acting.stage(i, [x, y, z], start + i);
        i += thread::block_dim_x() as usize;
    }
    thread::sync_threads();
}

/// Sources of a brick, and what a source of each squared distance weighs, in shared memory: 26.2
/// KiB.
#[derive(Clone, Copy)]
struct Staged {
    /// x, y, z from the first voxel of the targets' brick, and nothing.
    places: SharedView<i32>,
    /// The same.
    wide: SharedView<f64>,
    weights: SharedView<f64>,
}

impl Acting for Staged {
    #[inline(always)]
    fn stage(self, i: usize, [x, y, z]: [i32; 3], _source: usize) {
        self.places.write_vector(4 * i, [x, y, z, 0]);
        self.wide.write_vector(4 * i, [x as f64, y as f64]);
        self.wide.write_vector(4 * i + 2, [z as f64, 0.0]);
    }

    #[cuda_std::inline_closures]
    #[inline(always)]
    fn add(self, sums: Sums, here: usize, run: usize) -> Sums {
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

    #[inline(always)]
    fn force(self, near: [f64; 3], far: [f64; 3]) -> [f64; 3] {
        [near[0] + far[0], near[1] + far[1], near[2] + far[2]]
    }
}

/// The first place of a run in its brick.
#[inline(always)]
pub(super) fn place_of_run(run: usize) -> [u32; 3] {
    let run = run as u32;
    [run % 2 * RUN as u32, run / 2 % BRICK, run / 2 / BRICK]
}

/// The places of a run that are targets, as bits.
#[inline(always)]
fn targets_of_run(places: &Places<'_>, brick: [u32; 3], run: usize) -> u32 {
    let [x, y, z] = place_of_run(run);
    let (y, z) = (brick[1] * BRICK + y, brick[2] * BRICK + z);
    let lattice = places.near.lattice;
    lattice.row_of_brick(places.words, brick[0], y, z) >> x & 15
}

/// A number for each place of a run.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn each(of: impl Fn(usize) -> f64) -> [f64; RUN] {
    let mut made = [0.0; RUN];
    let mut k = 0;
    while k < RUN {
        made[k] = of(k);
        k += 1;
    }
    made
}

/// Writes the forces of a run's targets: of sums of near sources, and of the forces of far ones at
/// `far`.
#[inline(always)]
fn write_run<A: Acting>(
    acting: A,
    places: &Places<'_>,
    (brick, run): ([u32; 3], usize),
    held: Sums,
    (far, from): (View<f64>, usize),
    forces: ViewMut<f32>,
) {
    let mine = targets_of_run(places, brick, run);
    if mine == 0 {
        return;
    }
    let [x, y, z] = place_of_run(run);
    let first = [
        brick[0] * BRICK + x + mine.trailing_zeros(),
        brick[1] * BRICK + y,
        brick[2] * BRICK + z,
    ];
    let lattice = places.near.lattice;
    let mut target = lattice.number_of(places.words, places.before, first);
    let mut k = 0;
    while k < RUN {
        if mine >> k & 1 != 0 {
            let at = from + 3 * k;
            let near = [held[0][k], held[1][k], held[2][k]];
            let far = [far.read(at), far.read(at + 1), far.read(at + 2)];
            write_force(forces, target as usize, acting.force(near, far));
            target += 1;
        }
        k += 1;
    }
}
