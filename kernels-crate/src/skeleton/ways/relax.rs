//! Bricks are brought up to date.

use crate::{
    grid::Grid,
    skeleton::field::tree::{brick_number, brick_place},
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Samples along a side of a brick.
pub const BRICK: u32 = 8;

/// Samples of a brick.
pub const VOXELS: u32 = BRICK * BRICK * BRICK;

/// A brick and those around it.
pub const NEAR: usize = 27;

/// Samples along a side of a brick with those that touch it.
const SIDE: u32 = BRICK + 2;

/// All of these.
const AROUND: u32 = SIDE * SIDE * SIDE;

/// A brick is gone through so often at most before others are: it comes again if that was not enough.
const PASSES: u32 = 32;

/// Samples of a brick that are gone through together: half of a plane.
const GROUP: u32 = 32;

/// A brick with the samples that touch it, in shared memory: 15.9 KiB.
#[derive(Clone, Copy)]
struct Staged {
    costs: SharedView<f64>,
    /// In the numbers that they are added in.
    prices: SharedView<f64>,
    /// Half of the length of each step.
    halves: SharedView<f64>,
    /// Which bricks around are told, as bits.
    told: SharedView<u32>,
    /// For each group of samples one more than the last pass in which it changed; with a plane of groups before the first and after the last that never do.
    changed: SharedView<u32>,
}

/// Groups, and two planes of them more.
const GROUPS: usize = (VOXELS / GROUP) as usize + 4;

/// The place of a sample among those of a brick, from its number. Rows of a plane come in the order 0, 4, 1, 5, 2, 6, 3, 7: where rows of ten numbers of 64 bits follow
/// each other, 16 threads with two such rows of eight read from all banks of shared memory once.
#[inline(always)]
fn in_brick(number: u32) -> [u32; 3] {
    let row = number / BRICK % BRICK;
    [
        number % BRICK,
        row / 2 + row % 2 * (BRICK / 2),
        number / (BRICK * BRICK),
    ]
}

/// Where such a sample is in shared memory.
#[inline(always)]
fn staged_at([x, y, z]: [u32; 3]) -> usize {
    (((z + 1) * SIDE + y + 1) * SIDE + x + 1) as usize
}

impl Staged {
    /// Reads a brick and what touches it. All threads of the block call it.
    #[inline(always)]
    fn load(&self, prices: View<f32>, costs: ViewMut<f64>, grid: Grid, brick: [u32; 3]) {
        let mut at = thread::thread_idx_x();
        while at < AROUND {
            let place = [at % SIDE, at / SIDE % SIDE, at / (SIDE * SIDE)];
            // one more than the place in the grid: below the grid these are 0
            let x = brick[0] * BRICK + place[0];
            let y = brick[1] * BRICK + place[1];
            let z = brick[2] * BRICK + place[2];
            let is_inside =
                x >= 1 && y >= 1 && z >= 1 && x <= grid.nx && y <= grid.ny && z <= grid.nz;
            let (mut price, mut cost) = (f32::INFINITY, f64::INFINITY);
            if is_inside {
                let sample = grid.sample(x - 1, y - 1, z - 1);
                price = prices.read(sample);
                if price < f32::INFINITY {
                    cost = costs.atomic_load(sample, Relaxed);
                }
            }
            self.costs.write(at as usize, cost);
            self.prices.write(at as usize, price as f64);
            at += thread::block_dim_x();
        }
    }

    /// The least cost of a sample by way of one of those around, or what it has.
    #[inline(always)]
    fn least(&self, at: usize, price: f64) -> f64 {
        let mut best = self.costs.read(at);
        let corner = at - staged_at([0, 0, 0]);
        let mut bit = 0;
        let mut z = 0;
        while z < 3 {
            let mut y = 0;
            while y < 3 {
                let row = corner + ((z * SIDE + y) * SIDE) as usize;
                let mut x = 0;
                while x < 3 {
                    // the sample itself has a half of 0, and its own cost
                    let there = self.costs.read(row + x);
                    let sum = price + self.prices.read(row + x);
                    let cost = there + self.halves.read(bit) * sum;
                    // what is not a number is not less
                    if cost < best {
                        best = cost;
                    }
                    bit += 1;
                    x += 1;
                }
                y += 1;
            }
            z += 1;
        }
        best
    }

    /// Whether a sample of a group, or of one that touches it, has changed in the last pass or in this one.
    #[inline(always)]
    fn may_change(&self, group: u32, pass: u32) -> bool {
        // the groups of the plane before, of its own and of the one after, with a plane more at the beginning
        let first = (group / 2 * 2) as usize;
        let mut may = pass == 0;
        let mut k = 0;
        while k < 6 {
            may |= self.changed.atomic_load(first + k, Relaxed) >= pass;
            k += 1;
        }
        may
    }

    /// Goes through the brick until nothing changes; whether something still may. After the first pass only groups of samples are gone through that touch one that changed. All threads of the
    /// block call it.
    #[inline(always)]
    fn settle(&self) -> bool {
        let threads = thread::block_dim_x();
        let me = thread::thread_idx_x();
        let mut group = me as usize;
        while group < GROUPS {
            self.changed.write(group, 0);
            group += threads as usize;
        }
        thread::sync_threads();
        let mut pass = 0;
        while pass < PASSES {
            let mut is_any = 0;
            let mut has_changed = 0;
            let mut first = 0;
            while first < VOXELS {
                let number = first + me;
                let mut best = f64::INFINITY;
                let mut is_less = false;
                let at = staged_at(in_brick(number));
                if number < VOXELS && self.may_change(number / GROUP, pass) {
                    let price = self.prices.read(at);
                    if price < f64::INFINITY {
                        best = self.least(at, price);
                        is_less = best < self.costs.read(at);
                    }
                }
                thread::sync_threads();
                if is_less {
                    self.costs.write(at, best);
                    let group = (number / GROUP) as usize + 2;
                    self.changed.atomic_store(group, pass + 1, Relaxed);
                    has_changed = 1;
                }
                is_any = thread::sync_threads_or(has_changed);
                first += threads;
            }
            if is_any == 0 {
                return false;
            }
            pass += 1;
        }
        true
    }
}

/// The bricks around, as bits, that a sample of a brick touches.
#[inline(always)]
fn touched(place: [u32; 3]) -> u32 {
    let mut bits = 0;
    let mut bit = 0;
    while bit < NEAR as u32 {
        let way = [bit % 3, bit / 3 % 3, bit / 9];
        let mut touches = true;
        let mut axis = 0;
        while axis < 3 {
            touches &= match way[axis] {
                0 => place[axis] == 0,
                1 => true,
                _ => place[axis] == BRICK - 1,
            };
            axis += 1;
        }
        if touches {
            bits |= 1 << bit;
        }
        bit += 1;
    }
    bits & !(1 << (NEAR / 2))
}

/// Makes the cost of the root 0, and puts its brick and those around into the queue of a round.
///
/// One thread of the first block does it: it writes up to 27 numbers of bricks, their count, and a cost.
///
/// # Safety
/// `costs` hold an element for each sample of `grid`, of which `root` is one, `queue` room for 27 or all of its `bricks`, `counts` three elements.
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

/// Brings the bricks of a queue up to date: the cost of each sample becomes the least by way of one of those around, until nothing changes in the brick. Bricks
/// that touch a sample that changed come into the next queue.
///
/// A block takes bricks. It stages costs and prices of a brick's 512 samples and of the 488 around in shared memory, 15.9 KiB; a thread takes
/// single samples of it, and reads 27 of each for each sample and pass. What other blocks write meanwhile may be read before or after: a brick
/// whose surroundings become cheaper comes again. Costs are read and written past the first cache.
///
/// # Safety
/// `prices` and `costs` hold an element for each sample of `grid`, prices that are positive, infinite outside of the object; `halves` hold half of the lengths of 27 steps, of which
/// that of the sample itself is 0. `bricks` are those of `grid`; `queue` and `next` have room for all of them, `marks` an element for each, which is no more than `round`. `counts` hold
/// three elements: that of `round % 3` says how many bricks the queue has, that of the next round is 0. Block sizes divide [`VOXELS`].
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
