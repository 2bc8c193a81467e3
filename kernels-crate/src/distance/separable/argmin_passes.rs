//! Argmins of each group's first output, by divide and conquer.
//!
//! The costs along a scanline form a Monge array: of two outputs, the argmin of the later one does
//! not precede that of the earlier one. The first pass finds the argmins of seven outputs that
//! divide the scanline into eight parts, among all positions. Each later pass does so for three or
//! seven outputs within each part, among the positions between the argmins at its ends; each pass
//! therefore visits every position about once.
//!
//! Work is divided among the threads by positions, not by outputs, because the number of outputs
//! per position varies widely. Each thread has a chunk of a scanline. For each part whose range
//! overlaps its chunk, it proposes a candidate for each of the part's outputs; then the best
//! proposal is selected, the first one on ties. Positions are visited in pairs, and ranges start at
//! an even position: comparing an additional position does not change the result.

use super::{
    cost::{Cost, OutputSet},
    tile::{NO_POSITION, Span, Tile},
    tiling::{FIRST_OUTPUTS, GROUP},
};
use cuda_std::{misc::opaque, thread};

/// Slots of the proposals for an output, and the range of positions of its candidates. The proposal
/// of chunk `c` is in slot `first + c · spacing`.
#[derive(Clone, Copy)]
struct ProposalRange {
    /// Slot of the proposal of chunk 0.
    first: u32,
    /// Stride of the slots from chunk to chunk.
    spacing: u32,
    /// First position of the range.
    low: u32,
    /// Last position of the range.
    high: u32,
}

impl<C: Cost> Tile<C> {
    /// Stores the costs of all scanlines in the tile and finds the argmins of the first pass.
    /// Returns `true` if there is any site. All threads of the block must call it; it contains two
    /// barriers.
    ///
    /// `line_costs` starts at a position of a column and returns a function that yields consecutive
    /// costs; its argument states whether the position lies in the tile, and if `false`, the cost
    /// is that of a position without a site.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn run_first_pass<N: FnMut(bool) -> C>(
        &self,
        columns: u32,
        line_costs: impl Fn(u32, u32) -> N,
    ) -> bool {
        let (tiling, axis) = (&self.tiling, &self.axis);
        let spacing = GROUP << tiling.first_step_log2;
        let outputs = OutputSet::new(axis, spacing, spacing);
        let mut has_sites = false;
        self.teams.for_each(tiling.chunks(), |chunk, column| {
            let start = chunk << tiling.chunk_log2;
            let remaining = if column < columns {
                tiling.len - start
            } else {
                0
            };
            let mut next = line_costs(start, column);
            let mut bests = [C::NO_BEST; FIRST_OUTPUTS as usize];
            let mut span = Span::NONE;
            let mut next_four = |offset: u32| {
                let a = next(offset < remaining);
                let b = next(offset + 1 < remaining);
                let c = next(offset + 2 < remaining);
                let d = next(offset + 3 < remaining);
                [a, b, c, d]
            };
            // The next costs are prefetched while these are compared.
            let mut prefetched = next_four(0);
            let mut offset = 0;
            while offset < tiling.chunk() {
                let position = start + offset;
                let [a, b, c, d] = prefetched;
                prefetched = next_four(offset + 4);
                let stored = C::encode(axis, [a, b, c, d], position, offset);
                let pairs = [[stored[0], stored[1]], [stored[2], stored[3]]];
                self.set_pair(position, column, pairs[0]);
                self.set_pair(position + 2, column, pairs[1]);
                if a.smaller(b).smaller(c.smaller(d)) < axis.no_site {
                    span.first = if span.first == NO_POSITION {
                        position
                    } else {
                        span.first
                    };
                    span.last = position + 3;
                    self.compare(&outputs, pairs[0], position, &mut bests);
                    self.compare(&outputs, pairs[1], position + 2, &mut bests);
                }
                offset += 4;
            }
            self.set_span(chunk, column, span);
            if span.first != NO_POSITION {
                has_sites = true;
                let mut k = 0;
                while k < FIRST_OUTPUTS {
                    let best = C::best_position(bests[k as usize], start);
                    self.propose(chunk * FIRST_OUTPUTS + k, column, best);
                    k += 1;
                }
            }
        });
        if thread::sync_threads_or(has_sites as u32) == 0 {
            return false;
        }
        self.teams.for_each(FIRST_OUTPUTS + 1, |k, column| {
            if k == FIRST_OUTPUTS {
                self.find_end_candidates(column);
                return;
            }
            let group = (k + 1) << tiling.first_step_log2;
            if group < tiling.groups() {
                let proposal_range = ProposalRange {
                    first: k,
                    spacing: FIRST_OUTPUTS,
                    low: 0,
                    high: (tiling.chunks() << tiling.chunk_log2) - 1,
                };
                self.select_best(group, column, proposal_range);
            }
        });
        thread::sync_threads();
        true
    }

    /// Compares a pair of candidates for all outputs of a set.
    #[inline(always)]
    fn compare<const F: usize>(
        &self,
        outputs: &OutputSet<C>,
        pair: [C; 2],
        position: u32,
        bests: &mut [C::Best; F],
    ) {
        let [current, next]: [[C; F]; 2] = C::compared(&self.axis, outputs, pair, position);
        let mut k = 0;
        while k < F {
            bests[k] = C::update_best(bests[k], current[k], next[k], position);
            k += 1;
        }
    }

    /// Stores the first and the last position with a site as the argmins of the two ends; without
    /// sites, both are the first position.
    #[inline(always)]
    fn find_end_candidates(&self, column: u32) {
        let (mut first, mut last, mut chunk) = (NO_POSITION, 0, 0);
        while chunk < self.tiling.chunks() {
            let span = self.span(chunk, column);
            if span.first != NO_POSITION {
                first = if first == NO_POSITION {
                    span.first
                } else {
                    first
                };
                last = span.last;
            }
            chunk += 1;
        }
        self.set_best(0, column, if first == NO_POSITION { 0 } else { first });
        self.set_best(self.tiling.groups(), column, last);
    }

    /// Selects the best of the proposals for a group's first output.
    #[inline(always)]
    fn select_best(&self, group: u32, column: u32, proposal_range: ProposalRange) {
        let outputs = OutputSet::new(&self.axis, group * GROUP, 1);
        let (mut min_value, mut best) = (C::MAX, proposal_range.low);
        let mut chunk = proposal_range.low >> self.tiling.chunk_log2;
        let last = proposal_range.high >> self.tiling.chunk_log2;
        while chunk <= last {
            if self
                .span(chunk, column)
                .overlaps(proposal_range.low, proposal_range.high)
            {
                let position = self.proposal(
                    proposal_range.first + chunk * proposal_range.spacing,
                    column,
                );
                let stored = self.cost(position, column).without_position();
                let [[current], _] = C::compared(&self.axis, &outputs, [stored; 2], position);
                if current < min_value {
                    (min_value, best) = (current, position);
                }
            }
            chunk += 1;
        }
        self.set_best(group, column, best);
    }

    /// Runs the passes after the first. All threads of the block must call it; ends with a barrier.
    #[inline(always)]
    pub fn run_later_passes(&self) {
        let mut step_log2 = self.tiling.first_step_log2;
        while step_log2 > 0 {
            if step_log2 == 3 || step_log2 >= 5 {
                self.run_pass::<7>(step_log2, step_log2 - 3);
                step_log2 -= 3;
            } else {
                let inner_log2 = step_log2.saturating_sub(2);
                self.run_pass::<3>(step_log2, inner_log2);
                step_log2 = inner_log2;
            }
        }
    }

    /// Runs a pass for parts of 2^`step_log2` groups, which finds the argmins of groups
    /// 2^`inner_log2` apart.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn run_pass<const F: usize>(&self, step_log2: u32, inner_log2: u32) {
        let tiling = &self.tiling;
        let (step, inner) = (1 << step_log2, 1 << inner_log2);
        self.teams.for_each(tiling.chunks(), |chunk, column| {
            self.propose_for_parts::<F>(chunk, column, step_log2, inner);
        });
        thread::sync_threads();
        let parts = ((tiling.groups() - 1) >> step_log2) + 1;
        self.teams.for_each(parts * F as u32, |item, column| {
            let (part, k) = (item / F as u32, item % F as u32);
            let group = part * step + (k + 1) * inner;
            if group < tiling.groups() && (k + 1) * inner < step {
                let proposal_range = ProposalRange {
                    first: part * F as u32 + k,
                    spacing: F as u32,
                    low: self.best(part * step, column),
                    high: self.best(self.part_end(part * step, step), column),
                };
                self.select_best(group, column, proposal_range);
            }
        });
        thread::sync_threads();
    }

    /// Returns the group after the last one of a part.
    #[inline(always)]
    fn part_end(&self, group: u32, step: u32) -> u32 {
        let groups = self.tiling.groups();
        if groups - group < step {
            groups
        } else {
            group + step
        }
    }

    /// Proposes candidates for all parts whose ranges overlap a chunk.
    ///
    /// The sum of chunk and part indices is unique among overlapping pairs, so it serves as the
    /// slot of the proposals.
    #[inline(always)]
    fn propose_for_parts<const F: usize>(
        &self,
        chunk: u32,
        column: u32,
        step_log2: u32,
        inner: u32,
    ) {
        let step = 1 << step_log2;
        let (tiling, axis) = (&self.tiling, &self.axis);
        let start = chunk << tiling.chunk_log2;
        let span = self.span(chunk, column);
        if span.first == NO_POSITION {
            return;
        }
        // The last part that starts before the chunk's first site may end in the chunk.
        let parts_before = self.first_group_from(span.first, column, step_log2);
        let part = parts_before.saturating_sub(1);
        let mut group = part << step_log2;
        let low = self.best(group, column);
        let mut high = self.best(self.part_end(group, step), column);
        if !span.overlaps(low, high) {
            return;
        }
        let mut position = if low > span.first {
            low & !1
        } else {
            span.first
        };
        let mut slot = (chunk + part) * F as u32;
        let mut outputs = OutputSet::new(axis, (group + inner) * GROUP, inner * GROUP);
        let mut bests = [C::NO_BEST; F];
        // A single loop with an opaque condition, so that the compiler keeps the threads converged.
        let mut is_active = 1;
        while is_active != 0 {
            let pair = self.pair(position, column);
            self.compare(&outputs, pair, position, &mut bests);
            let last_position = if high < span.last { high } else { span.last };
            position += 2;
            if position > last_position {
                let mut k = 0;
                while k < F as u32 {
                    let best = C::best_position(bests[k as usize], start);
                    self.propose(slot + k, column, best);
                    k += 1;
                }
                group += step;
                slot += F as u32;
                is_active = u32::from(group < tiling.groups() && high <= span.last);
                if is_active != 0 {
                    position = high & !1;
                    high = self.best(self.part_end(group, step), column);
                    outputs = outputs.starting_at(axis, (group + inner) * GROUP);
                    bests = [C::NO_BEST; F];
                }
            }
            is_active = opaque(is_active);
        }
    }
}
