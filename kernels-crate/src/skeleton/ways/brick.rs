//! A brick of samples in shared memory, which is brought up to date there.

use super::cost_after;
use crate::{
    grid::Grid,
    skeleton::field::tree::{self, BRICK},
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{SharedView, View, ViewMut, thread};

/// Samples of a brick.
pub const VOXELS: u32 = tree::VOXELS as u32;

/// A brick and those around it.
pub(super) const NEAR: usize = 27;

/// Samples along a side of a brick with those that touch it.
const SIDE: u32 = BRICK + 2;

/// All of these.
pub(super) const AROUND: u32 = SIDE * SIDE * SIDE;

/// A brick is gone through so often at most before others are: it comes again if that was not
/// enough.
const PASSES: u32 = 32;

/// Samples of a brick that are gone through together: half of a plane.
const GROUP: u32 = 32;

/// A brick with the samples that touch it, in shared memory: 15.9 KiB.
#[derive(Clone, Copy)]
pub(super) struct Staged {
    pub costs: SharedView<f64>,
    /// In the numbers that they are added in.
    pub prices: SharedView<f64>,
    /// Half of the length of each step.
    pub halves: SharedView<f64>,
    /// Which bricks around are told, as bits.
    pub told: SharedView<u32>,
    /// For each group of samples one more than the last pass in which it changed; with a plane of
    /// groups before the first and after the last that never do.
    pub changed: SharedView<u32>,
}

/// Groups, and two planes of them more.
pub(super) const GROUPS: usize = (VOXELS / GROUP) as usize + 4;

/// The place of a sample among those of a brick, from its number. Rows of a plane come in the order
/// 0, 4, 1, 5, 2, 6, 3, 7: where rows of ten numbers of 64 bits follow each other, 16 threads with
/// two such rows of eight read from all banks of shared memory once.
#[inline(always)]
pub(super) fn in_brick(number: u32) -> [u32; 3] {
    let row = number / BRICK % BRICK;
    [
        number % BRICK,
        row / 2 + row % 2 * (BRICK / 2),
        number / (BRICK * BRICK),
    ]
}

/// Where such a sample is in shared memory.
#[inline(always)]
pub(super) fn staged_at([x, y, z]: [u32; 3]) -> usize {
    (((z + 1) * SIDE + y + 1) * SIDE + x + 1) as usize
}

impl Staged {
    /// Reads a brick and what touches it. All threads of the block call it.
    #[inline(always)]
    pub fn load(&self, prices: View<f32>, costs: ViewMut<f64>, grid: Grid, brick: [u32; 3]) {
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
                    let prices = price + self.prices.read(row + x);
                    let cost = cost_after(there, self.halves.read(bit), prices);
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

    /// Whether a sample of a group, or of one that touches it, has changed in the last pass or in
    /// this one.
    #[inline(always)]
    fn may_change(&self, group: u32, pass: u32) -> bool {
        // the groups of the plane before, of its own and of the one after, with a plane more at the
        // beginning
        let first = (group / 2 * 2) as usize;
        let mut may = pass == 0;
        let mut k = 0;
        while k < 6 {
            may |= self.changed.atomic_load(first + k, Relaxed) >= pass;
            k += 1;
        }
        may
    }

    /// Goes through the brick until nothing changes; whether something still may. After the first
    /// pass only groups of samples are gone through that touch one that changed. All threads of the
    /// block call it.
    #[inline(always)]
    pub fn settle(&self) -> bool {
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
pub(super) fn touched(place: [u32; 3]) -> u32 {
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
