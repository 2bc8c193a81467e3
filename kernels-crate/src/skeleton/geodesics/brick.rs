//! Relaxation of one brick of samples in shared memory.

use super::extend_path_cost;
use crate::{
    grid::Grid,
    skeleton::field::fmm::{self, BRICK},
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{SharedView, View, ViewMut, thread};

/// Samples per brick.
pub const BRICK_VOXELS: u32 = fmm::BRICK_VOXELS as u32;

/// Number of bricks in a 3 × 3 × 3 neighbourhood.
pub(super) const NEIGHBOURHOOD: usize = 27;

/// Samples along the edge of a brick with its one-sample halo.
const SIDE: u32 = BRICK + 2;

/// Samples in a brick with its halo.
pub(super) const STAGED_SAMPLES: u32 = SIDE * SIDE * SIDE;

/// Maximum number of passes over a brick per launch; a brick that has not converged is queued
/// again.
const MAX_PASSES: u32 = 32;

/// Samples per change-tracking group: half a plane.
const GROUP: u32 = 32;

/// A brick with its one-sample halo, in shared memory (15.9 KiB).
#[derive(Clone, Copy)]
pub(super) struct StagedBrick {
    pub costs: SharedView<f64>,
    /// Edge weights, converted to the type in which costs are accumulated.
    pub edge_weights: SharedView<f64>,
    /// Half of the length of each of the 27 steps.
    pub half_lengths: SharedView<f64>,
    /// Neighbouring bricks to queue, as bits.
    pub queued: SharedView<u32>,
    /// One plus the last pass in which each group of samples changed, padded by a plane of groups
    /// at both ends.
    pub last_change: SharedView<u32>,
}

/// Number of groups, including the two padding planes.
pub(super) const GROUPS: usize = (BRICK_VOXELS / GROUP) as usize + 4;

/// Returns the position of a sample in its brick. The rows of a plane are visited in the order 0,
/// 4, 1, 5, 2, 6, 3, 7, which avoids bank conflicts: with rows of ten 64-bit elements, the 16
/// threads of two consecutive rows access each bank once.
#[inline(always)]
pub(super) fn sample_position(sample: u32) -> [u32; 3] {
    let row = sample / BRICK % BRICK;
    [
        sample % BRICK,
        row / 2 + row % 2 * (BRICK / 2),
        sample / (BRICK * BRICK),
    ]
}

/// Returns the shared-memory index of a sample.
#[inline(always)]
pub(super) fn staged_index([x, y, z]: [u32; 3]) -> usize {
    (((z + 1) * SIDE + y + 1) * SIDE + x + 1) as usize
}

impl StagedBrick {
    /// Loads a brick and its halo. All threads of the block must call this.
    #[inline(always)]
    pub fn load(&self, edge_weights: View<f32>, costs: ViewMut<f64>, grid: Grid, brick: [u32; 3]) {
        let mut at = thread::thread_idx_x();
        while at < STAGED_SAMPLES {
            let position = [at % SIDE, at / SIDE % SIDE, at / (SIDE * SIDE)];
            // positions are offset by one, so the halo below the grid has coordinate 0
            let x = brick[0] * BRICK + position[0];
            let y = brick[1] * BRICK + position[1];
            let z = brick[2] * BRICK + position[2];
            let is_inside =
                x >= 1 && y >= 1 && z >= 1 && x <= grid.nx && y <= grid.ny && z <= grid.nz;
            let (mut edge_weight, mut cost) = (f32::INFINITY, f64::INFINITY);
            if is_inside {
                let sample = grid.sample(x - 1, y - 1, z - 1);
                edge_weight = edge_weights.read(sample);
                if edge_weight < f32::INFINITY {
                    cost = costs.atomic_load(sample, Relaxed);
                }
            }
            self.costs.write(at as usize, cost);
            self.edge_weights.write(at as usize, edge_weight as f64);
            at += thread::block_dim_x();
        }
    }

    /// Returns the minimum of a sample's cost and the costs of the paths through its 26 neighbours.
    #[inline(always)]
    fn min_cost(&self, at: usize, edge_weight: f64) -> f64 {
        let mut min = self.costs.read(at);
        let corner = at - staged_index([0, 0, 0]);
        let mut bit = 0;
        let mut z = 0;
        while z < 3 {
            let mut y = 0;
            while y < 3 {
                let row = corner + ((z * SIDE + y) * SIDE) as usize;
                let mut x = 0;
                while x < 3 {
                    // the sample itself has a half length of 0 and keeps its own cost
                    let neighbour_cost = self.costs.read(row + x);
                    let weight_sum = edge_weight + self.edge_weights.read(row + x);
                    let cost =
                        extend_path_cost(neighbour_cost, self.half_lengths.read(bit), weight_sum);
                    // NaN does not compare less
                    if cost < min {
                        min = cost;
                    }
                    bit += 1;
                    x += 1;
                }
                y += 1;
            }
            z += 1;
        }
        min
    }

    /// Returns `true` if a sample of the group or of an adjacent group changed in the previous or
    /// the current pass.
    #[inline(always)]
    fn may_change(&self, group: u32, pass: u32) -> bool {
        // groups of the previous, the same and the next plane, offset by the padding plane
        let first = (group / 2 * 2) as usize;
        let mut may = pass == 0;
        let mut k = 0;
        while k < 6 {
            may |= self.last_change.atomic_load(first + k, Relaxed) >= pass;
            k += 1;
        }
        may
    }

    /// Relaxes the brick until nothing changes or [`MAX_PASSES`] is reached; returns `true` in the
    /// latter case. After the first pass, only groups adjacent to a changed group are processed.
    /// All threads of the block must call this.
    #[inline(always)]
    pub fn relax(&self) -> bool {
        let threads = thread::block_dim_x();
        let thread_index = thread::thread_idx_x();
        let mut group = thread_index as usize;
        while group < GROUPS {
            self.last_change.write(group, 0);
            group += threads as usize;
        }
        thread::sync_threads();
        let mut pass = 0;
        while pass < MAX_PASSES {
            let mut any_changed = 0;
            let mut thread_changed = 0;
            let mut first = 0;
            while first < BRICK_VOXELS {
                let sample = first + thread_index;
                let mut min = f64::INFINITY;
                let mut improves = false;
                let at = staged_index(sample_position(sample));
                if sample < BRICK_VOXELS && self.may_change(sample / GROUP, pass) {
                    let edge_weight = self.edge_weights.read(at);
                    if edge_weight < f64::INFINITY {
                        min = self.min_cost(at, edge_weight);
                        improves = min < self.costs.read(at);
                    }
                }
                thread::sync_threads();
                if improves {
                    self.costs.write(at, min);
                    let group = (sample / GROUP) as usize + 2;
                    self.last_change.atomic_store(group, pass + 1, Relaxed);
                    thread_changed = 1;
                }
                any_changed = thread::sync_threads_or(thread_changed);
                first += threads;
            }
            if any_changed == 0 {
                return false;
            }
            pass += 1;
        }
        true
    }
}

/// Returns the neighbouring bricks, as bits, that a sample of a brick touches.
#[inline(always)]
pub(super) fn touched_bricks(position: [u32; 3]) -> u32 {
    let mut bits = 0;
    let mut bit = 0;
    while bit < NEIGHBOURHOOD as u32 {
        let direction = [bit % 3, bit / 3 % 3, bit / 9];
        let mut touches = true;
        let mut axis = 0;
        while axis < 3 {
            touches &= match direction[axis] {
                0 => position[axis] == 0,
                1 => true,
                _ => position[axis] == BRICK - 1,
            };
            axis += 1;
        }
        if touches {
            bits |= 1 << bit;
        }
        bit += 1;
    }
    bits & !(1 << (NEIGHBOURHOOD / 2))
}
