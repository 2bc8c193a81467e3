//! Minimum cost of each output, from the argmins found by the [passes](super::argmin_passes).
//!
//! Each thread traverses a range of positions again, together with the groups of outputs whose
//! first argmin lies in it: pairs of positions are compared for all outputs of a group, up to the
//! argmin of the next group's first output, where the next group begins. Many groups may start at
//! one position and few at others, so the pairs of positions and the groups together are
//! distributed evenly over the threads.

use super::{
    cost::{Cost, OutputSet},
    tile::{NO_POSITION, Tile},
    tiling::{GROUP, HALF},
};
use crate::arith::div_ceil_u32;
use cuda_std::misc::opaque;

/// Accumulator for the candidates of one output.
pub trait Accumulator<C: Cost>: Copy {
    /// Accumulator without any candidates.
    const EMPTY: Self;

    /// Returns the accumulator updated with the candidates at `position` and at the next one.
    fn update(self, current: C, next: C, position: u32) -> Self;
}

/// Minimum cost.
#[derive(Clone, Copy)]
pub struct MinCost<C>(pub C);

impl<C: Cost> Accumulator<C> for MinCost<C> {
    const EMPTY: Self = Self(C::MAX);

    #[inline(always)]
    fn update(self, current: C, next: C, _position: u32) -> Self {
        Self(self.0.smaller(current.smaller(next)))
    }
}

/// Minimum cost and the first candidate that attains it.
#[derive(Clone, Copy)]
pub struct MinCandidate<C> {
    min_cost: C,
    /// Position of the candidate.
    pub position: u32,
}

impl<C: Cost> MinCandidate<C> {
    #[inline(always)]
    fn update_one(self, current: C, position: u32) -> Self {
        let min_cost = current.without_position();
        if min_cost < self.min_cost {
            Self { min_cost, position }
        } else {
            self
        }
    }
}

impl<C: Cost> Accumulator<C> for MinCandidate<C> {
    const EMPTY: Self = Self {
        min_cost: C::MAX,
        position: 0,
    };

    #[inline(always)]
    fn update(self, current: C, next: C, position: u32) -> Self {
        self.update_one(current, position)
            .update_one(next, position + 1)
    }
}

impl<C: Cost> Tile<C> {
    /// Calls `write` for each group of outputs with its index, its column, and the accumulators of
    /// both halves. All threads of the block must call it; a barrier must precede and another one
    /// follow.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn for_each_group<K: Accumulator<C>>(
        &self,
        write: impl Fn(u32, u32, [[K; HALF as usize]; 2]),
    ) {
        let tiling = &self.tiling;
        self.teams.for_each(tiling.chunks(), |chunk, column| {
            // Pairs of positions and groups are distributed evenly: each chunk receives the average
            // number per chunk.
            let share = tiling.chunk() / 2 + div_ceil_u32(tiling.chunk(), GROUP);
            let (start, end) = (chunk * share, (chunk + 1) * share);
            let mut group = self.first_group_after(start, column);
            if group >= tiling.groups() {
                return;
            }
            let low = self.best(group, column);
            if low / 2 + group >= end {
                return;
            }
            let mut high = self.best(group + 1, column);
            let mut position = low & !1;
            let mut chunk_stop = self.chunk_stop(position, high, column);
            let mut output_sets = self.output_sets(group);
            let mut accumulators = [[K::EMPTY; HALF as usize]; 2];
            // A single loop with an opaque condition keeps threads converged, as in the passes.
            let mut is_active = 1;
            while is_active != 0 {
                let pair = self.pair(position, column);
                self.accumulate(&output_sets[0], pair, position, &mut accumulators[0]);
                self.accumulate(&output_sets[1], pair, position, &mut accumulators[1]);
                position += 2;
                if position > chunk_stop && chunk_stop < high {
                    // Continue at the next positions with sites.
                    let next = self.next_site_position(position, column);
                    position = next;
                    chunk_stop = self.chunk_stop(next, high, column);
                } else if position > chunk_stop {
                    write(group, column, accumulators);
                    group += 1;
                    is_active = u32::from(group < tiling.groups() && high / 2 + group < end);
                    if is_active != 0 {
                        position = high & !1;
                        high = self.best(group + 1, column);
                        chunk_stop = self.chunk_stop(position, high, column);
                        output_sets = self.output_sets(group);
                        accumulators = [[K::EMPTY; HALF as usize]; 2];
                    }
                }
                is_active = opaque(is_active);
            }
        });
    }

    /// Returns the first group preceded by at least `pair_count` pairs of positions and groups, or
    /// the number of groups if there is none.
    #[inline(always)]
    fn first_group_after(&self, pair_count: u32, column: u32) -> u32 {
        let (mut low, mut high) = (0, self.tiling.groups());
        while low < high {
            let middle = (low + high) / 2;
            if self.best(middle, column) / 2 + middle < pair_count {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Returns the last position up to `high` to visit before continuing in another chunk.
    #[inline(always)]
    fn chunk_stop(&self, position: u32, high: u32, column: u32) -> u32 {
        let chunk = position >> self.tiling.chunk_log2;
        if chunk == high >> self.tiling.chunk_log2 {
            return high;
        }
        let last = self.span(chunk, column).last;
        if last > position { last } else { position }
    }

    /// Returns the first position with a site in the chunks after that of the position before
    /// `position`. There must be one.
    #[inline(always)]
    fn next_site_position(&self, position: u32, column: u32) -> u32 {
        let mut chunk = (position - 1) >> self.tiling.chunk_log2;
        loop {
            chunk += 1;
            let first = self.span(chunk, column).first;
            if first != NO_POSITION || chunk + 1 >= self.tiling.chunks() {
                return first;
            }
        }
    }

    /// Returns the outputs of both halves of a group.
    #[inline(always)]
    fn output_sets(&self, group: u32) -> [OutputSet<C>; 2] {
        let first = group * GROUP;
        let outputs = OutputSet::new(&self.axis, first, 1);
        [outputs, outputs.starting_at(&self.axis, first + HALF)]
    }

    /// Adds a pair of candidates to the accumulators of half a group.
    #[inline(always)]
    fn accumulate<K: Accumulator<C>>(
        &self,
        outputs: &OutputSet<C>,
        pair: [C; 2],
        position: u32,
        accumulators: &mut [K; HALF as usize],
    ) {
        let [current, next]: [[C; HALF as usize]; 2] =
            C::compared(&self.axis, outputs, pair, position);
        let mut k = 0;
        while k < HALF as usize {
            accumulators[k] = accumulators[k].update(current[k], next[k], position);
            k += 1;
        }
    }
}
