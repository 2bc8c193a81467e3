//! Bricks are brought up to date.

use super::brick::{AROUND, GROUPS, NEAR, Staged, VOXELS, in_brick, staged_at, touched};
use crate::{
    grid::Grid,
    skeleton::field::tree::{BRICK, brick_number, brick_place},
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// Makes the cost of the root 0, and puts its brick and those around into the queue of a round.
///
/// One thread of the first block does it: it writes up to 27 numbers of bricks, their count, and a
/// cost.
///
/// # Safety
/// `costs` hold an element for each sample of `grid`, of which `root` is one, `queue` room for 27
/// or all of its `bricks`, `counts` three elements.
#[kernel]
pub unsafe fn begin_at_root(
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
    while bit < NEAR as u32 {
        if let Some(other) = brick_beside(bricks, brick, bit) {
            queue.write(count, other as u32);
            count += 1;
        }
        bit += 1;
    }
    counts.write((round % 3) as usize, count as u32);
    counts.write(((round + 1) % 3) as usize, 0);
    costs.write(grid.sample(root[0], root[1], root[2]), 0.0);
}

/// The number of one of the 27 bricks around one, if there is such a brick.
#[inline(always)]
fn brick_beside(bricks: Grid, brick: [u32; 3], bit: u32) -> Option<usize> {
    // one more than the place
    let x = brick[0] + bit % 3;
    let y = brick[1] + bit / 3 % 3;
    let z = brick[2] + bit / 9;
    if x < 1 || y < 1 || z < 1 || x > bricks.nx || y > bricks.ny || z > bricks.nz {
        return None;
    }
    Some(brick_number(bricks, [x - 1, y - 1, z - 1]))
}

/// Brings the bricks of a queue up to date: the cost of each sample becomes the least by way of one
/// of those around, until nothing changes in the brick. Bricks that touch a sample that changed
/// come into the next queue.
///
/// A block takes bricks. It stages costs and prices of a brick's 512 samples and of the 488 around
/// in shared memory, 15.9 KiB; a thread takes single samples of it, and reads 27 of each for each
/// sample and pass. What other blocks write meanwhile may be read before or after: a brick whose
/// surroundings become cheaper comes again. Costs are read and written past the first cache.
///
/// # Safety
/// `prices` and `costs` hold an element for each sample of `grid`, prices that are positive,
/// infinite outside of the object; `halves` hold half of the lengths of 27 steps, of which that of
/// the sample itself is 0. `bricks` are those of `grid`; `queue` and `next` have room for all of
/// them, `marks` an element for each, which is no more than `round`. `counts` hold three elements:
/// that of `round % 3` says how many bricks the queue has, that of the next round is 0. Block sizes
/// divide [`VOXELS`].
#[kernel]
pub unsafe fn relax_bricks(
    prices: View<f32>,
    halves: View<f64>,
    grid: Grid,
    bricks: Grid,
    round: u32,
    queue: View<u32>,
    next: ViewMut<u32>,
    counts: ViewMut<u32>,
    marks: ViewMut<u32>,
    costs: ViewMut<f64>,
) {
    let staged = Staged {
        costs: shared_view![f64; AROUND as usize],
        prices: shared_view![f64; AROUND as usize],
        halves: shared_view![f64; NEAR],
        told: shared_view![u32; 1],
        changed: shared_view![u32; GROUPS],
    };
    let me = thread::thread_idx_x();
    let threads = thread::block_dim_x();
    let count = counts.atomic_load((round % 3) as usize, Relaxed);
    let next_count = ((round + 1) % 3) as usize;
    if me == 0 && thread::block_idx_x() == 0 {
        counts.atomic_store(((round + 2) % 3) as usize, 0, Relaxed);
    }
    let mut bit = me as usize;
    while bit < NEAR {
        staged.halves.write(bit, halves.read(bit));
        bit += threads as usize;
    }
    let mut turn = thread::block_idx_x();
    while turn < count {
        let number = queue.read(turn as usize);
        let brick = brick_place(bricks, number as u64);
        if me == 0 {
            staged.told.write(0, 0);
        }
        staged.load(prices, costs, grid, brick);
        thread::sync_threads();
        let goes_on = staged.settle();
        let mut told = if goes_on { 1 << (NEAR / 2) } else { 0 };
        let mut sample = me;
        while sample < VOXELS {
            let place = in_brick(sample);
            let at = staged_at(place);
            if staged.prices.read(at) < f64::INFINITY {
                let x = brick[0] * BRICK + place[0];
                let y = brick[1] * BRICK + place[1];
                let z = brick[2] * BRICK + place[2];
                let there = grid.sample(x, y, z);
                let cost = staged.costs.read(at);
                if cost < costs.atomic_load(there, Relaxed) {
                    costs.atomic_store(there, cost, Relaxed);
                    told |= touched(place);
                }
            }
            sample += threads;
        }
        if told != 0 {
            staged.told.atomic_or(0, told);
        }
        thread::sync_threads();
        let told = staged.told.read(0);
        let mut bit = me;
        while bit < NEAR as u32 {
            if told >> bit & 1 == 1
                && let Some(other) = brick_beside(bricks, brick, bit)
                && marks.atomic_exchange(other, round + 1) != round + 1
            {
                let place = counts.atomic_add(next_count, 1);
                next.write(place as usize, other as u32);
            }
            bit += threads;
        }
        thread::sync_threads();
        turn += thread::grid_dim_x();
    }
}
