//! Relaxation of path costs, brick by brick.

use super::brick::{
    BRICK_VOXELS, GROUPS, NEIGHBOURHOOD, STAGED_SAMPLES, StagedBrick, sample_position,
    staged_index, touched_bricks,
};
use crate::{
    grid::Grid,
    skeleton::field::fmm::{BRICK, brick_coords, brick_index},
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// Sets the path cost of the root to 0, and queues its brick and the 26 neighbouring ones for a
/// round.
///
/// **Mapping:** one thread of the first block; writes up to 27 brick indices, their number, and one
/// cost.
///
/// # Safety
/// `costs` must hold one element per sample of `grid`, which must contain `root`. `queue` must have
/// capacity for 27 bricks, or for all `bricks` if there are fewer; `counts` must hold three
/// elements.
#[kernel(baseline)]
pub unsafe fn seed_root(
    grid: Grid,
    bricks: Grid,
    root: [u32; 3],
    round: u32,
    queue: ViewMut<u32>,
    counts: ViewMut<u32>,
    costs: ViewMut<f64>,
) {
    if thread::thread_idx_x() > 0 || thread::block_idx_x() > 0 {
        return;
    }
    let brick = [root[0] / BRICK, root[1] / BRICK, root[2] / BRICK];
    let mut count = 0;
    let mut bit = 0;
    while bit < NEIGHBOURHOOD as u32 {
        if let Some(neighbour) = neighbour_brick(bricks, brick, bit) {
            queue.write(count, neighbour as u32);
            count += 1;
        }
        bit += 1;
    }
    counts.write((round % 3) as usize, count as u32);
    counts.write(((round + 1) % 3) as usize, 0);
    costs.write(grid.sample(root[0], root[1], root[2]), 0.0);
}

/// Returns the index of one of the 27 bricks of a brick's neighbourhood, or `None` outside the
/// grid.
#[inline(always)]
fn neighbour_brick(bricks: Grid, brick: [u32; 3], bit: u32) -> Option<usize> {
    // coordinates are offset by one
    let x = brick[0] + bit % 3;
    let y = brick[1] + bit / 3 % 3;
    let z = brick[2] + bit / 9;
    if x < 1 || y < 1 || z < 1 || x > bricks.nx || y > bricks.ny || z > bricks.nz {
        return None;
    }
    Some(brick_index(bricks, [x - 1, y - 1, z - 1]))
}

/// Relaxes the queued bricks: the cost of each sample becomes the minimum over the paths through
/// its neighbours, until nothing changes in the brick. Bricks that touch a changed sample are added
/// to the next queue.
///
/// **Mapping:** one brick per block, one sample per thread at a time. **Memory:** 15.9 KiB of
/// shared memory hold the costs and edge weights of the brick's 512 samples and of the 488 in its
/// halo; per sample and pass, a thread reads 27 of each. Costs in global memory bypass the L1
/// cache, and values that other blocks write concurrently may be read before or after the write: a
/// brick whose surroundings become cheaper is queued again.
///
/// # Safety
/// `edge_weights` and `costs` must hold one element per sample of `grid`; edge weights must be
/// positive, and infinite outside the object. `half_lengths` must hold half of the lengths of the
/// 27 steps, 0 for the centre. `bricks` must be the brick grid of `grid`; `queue` and `next_queue`
/// must have capacity for all bricks, and `marks` one element per brick, at most `round`. `counts`
/// must hold three elements: element `round % 3` the length of the queue, and that of the next
/// round 0. Block sizes must divide [`BRICK_VOXELS`].
#[kernel(baseline)]
pub unsafe fn relax_bricks(
    edge_weights: View<f32>,
    half_lengths: View<f64>,
    grid: Grid,
    bricks: Grid,
    round: u32,
    queue: View<u32>,
    next_queue: ViewMut<u32>,
    counts: ViewMut<u32>,
    marks: ViewMut<u32>,
    costs: ViewMut<f64>,
) {
    let staged = StagedBrick {
        costs: shared_view![f64; STAGED_SAMPLES as usize],
        edge_weights: shared_view![f64; STAGED_SAMPLES as usize],
        half_lengths: shared_view![f64; NEIGHBOURHOOD],
        queued: shared_view![u32; 1],
        last_change: shared_view![u32; GROUPS],
    };
    let thread_index = thread::thread_idx_x();
    let threads = thread::block_dim_x();
    let count = counts.atomic_load((round % 3) as usize, Relaxed);
    let next_count = ((round + 1) % 3) as usize;
    if thread_index == 0 && thread::block_idx_x() == 0 {
        counts.atomic_store(((round + 2) % 3) as usize, 0, Relaxed);
    }
    let mut bit = thread_index as usize;
    while bit < NEIGHBOURHOOD {
        staged.half_lengths.write(bit, half_lengths.read(bit));
        bit += threads as usize;
    }
    let mut entry = thread::block_idx_x();
    while entry < count {
        let number = queue.read(entry as usize);
        let brick = brick_coords(bricks, number as u64);
        if thread_index == 0 {
            staged.queued.write(0, 0);
        }
        staged.load(edge_weights, costs, grid, brick);
        thread::sync_threads();
        let unconverged = staged.relax();
        let mut queued = if unconverged {
            1 << (NEIGHBOURHOOD / 2)
        } else {
            0
        };
        let mut sample = thread_index;
        while sample < BRICK_VOXELS {
            let position = sample_position(sample);
            let at = staged_index(position);
            if staged.edge_weights.read(at) < f64::INFINITY {
                let x = brick[0] * BRICK + position[0];
                let y = brick[1] * BRICK + position[1];
                let z = brick[2] * BRICK + position[2];
                let index = grid.sample(x, y, z);
                let cost = staged.costs.read(at);
                if cost < costs.atomic_load(index, Relaxed) {
                    costs.atomic_store(index, cost, Relaxed);
                    queued |= touched_bricks(position);
                }
            }
            sample += threads;
        }
        if queued != 0 {
            staged.queued.atomic_or(0, queued);
        }
        thread::sync_threads();
        let queued = staged.queued.read(0);
        let mut bit = thread_index;
        while bit < NEIGHBOURHOOD as u32 {
            if queued >> bit & 1 == 1
                && let Some(neighbour) = neighbour_brick(bricks, brick, bit)
                && marks.atomic_exchange(neighbour, round + 1) != round + 1
            {
                let slot = counts.atomic_add(next_count, 1);
                next_queue.write(slot as usize, neighbour as u32);
            }
            bit += threads;
        }
        thread::sync_threads();
        entry += thread::grid_dim_x();
    }
}
