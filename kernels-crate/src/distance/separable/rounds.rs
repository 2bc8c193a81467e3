//! The best places of each group's first output.
//!
//! Costs along a line are a Monge array: of two outputs, the later one's best place is not before
//! the earlier one's. The first round finds the best places of seven outputs that cut the line in
//! eight, among all places. Each later round does so for three or seven outputs within each part,
//! among the places between the best ones of its ends; so each round looks at every place about
//! once.
//!
//! Threads share the places, not the outputs: of those there may be many for some places and few
//! for others. A thread has a chunk of a line. For each part of the line whose places are among its
//! own it proposes a place for each of the part's outputs; then the best of what was proposed is
//! taken. Places are looked at in pairs, and parts begin with the even one: a place more does no
//! harm.

use super::{
    cost::{Cost, Fan},
    tile::{NOWHERE, Span, Tile},
    tiling::{FIRST, GROUP},
};
use cuda_std::{misc::opaque, thread};

/// Where proposals are: the one of chunk c at `first + c · apart`, for places from `low` to `high`.
#[derive(Clone, Copy)]
struct Slots {
    first: u32,
    apart: u32,
    low: u32,
    high: u32,
}

impl<C: Cost> Tile<C> {
    /// Stores the costs of all lines, and finds the best places of the first round's outputs.
    /// Whether there is any site. Two barriers are in it; all threads of the block call it.
    ///
    /// `line` begins at a place of a column; what it returns tells the costs from there on, one
    /// after the other: its argument is whether the place is in the tile, otherwise the cost is
    /// that of no site.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn first_round<N: FnMut(bool) -> C>(
        &self,
        columns: u32,
        line: impl Fn(u32, u32) -> N,
    ) -> bool {
        let (tiling, axis) = (&self.tiling, &self.axis);
        let apart = GROUP << tiling.first_step_log2;
        let fan = Fan::new(axis, apart, apart);
        let mut any = false;
        self.teams.for_each(tiling.chunks(), |chunk, column| {
            let start = chunk << tiling.chunk_log2;
            let inside = if column < columns {
                tiling.len - start
            } else {
                0
            };
            let mut next = line(start, column);
            let mut bests = [C::NO_BEST; FIRST as usize];
            let mut span = Span::NONE;
            let mut four = |at: u32| {
                let a = next(at < inside);
                let b = next(at + 1 < inside);
                let c = next(at + 2 < inside);
                let d = next(at + 3 < inside);
                [a, b, c, d]
            };
            // the next ones are on their way while these are compared
            let mut ahead = four(0);
            let mut at = 0;
            while at < tiling.chunk() {
                let place = start + at;
                let [a, b, c, d] = ahead;
                ahead = four(at + 4);
                let stored = C::stored(axis, [a, b, c, d], place, at);
                let pairs = [[stored[0], stored[1]], [stored[2], stored[3]]];
                self.put_pair(place, column, pairs[0]);
                self.put_pair(place + 2, column, pairs[1]);
                if a.least(b).least(c.least(d)) < axis.none {
                    span.first = if span.first == NOWHERE {
                        place
                    } else {
                        span.first
                    };
                    span.last = place + 3;
                    self.compare(&fan, pairs[0], place, &mut bests);
                    self.compare(&fan, pairs[1], place + 2, &mut bests);
                }
                at += 4;
            }
            self.put_span(chunk, column, span);
            if span.first != NOWHERE {
                any = true;
                let mut k = 0;
                while k < FIRST {
                    let best = C::best_place(bests[k as usize], start);
                    self.propose(chunk * FIRST + k, column, best);
                    k += 1;
                }
            }
        });
        if thread::sync_threads_or(any as u32) == 0 {
            return false;
        }
        self.teams.for_each(FIRST + 1, |k, column| {
            if k == FIRST {
                self.find_ends(column);
                return;
            }
            let group = (k + 1) << tiling.first_step_log2;
            if group < tiling.groups() {
                let slots = Slots {
                    first: k,
                    apart: FIRST,
                    low: 0,
                    high: (tiling.chunks() << tiling.chunk_log2) - 1,
                };
                self.choose(group, column, slots);
            }
        });
        thread::sync_threads();
        true
    }

    /// Compares a pair of places for all outputs of a fan.
    #[inline(always)]
    fn compare<const F: usize>(
        &self,
        fan: &Fan<C>,
        pair: [C; 2],
        place: u32,
        bests: &mut [C::Best; F],
    ) {
        let [here, next]: [[C; F]; 2] = C::along(&self.axis, fan, pair, place);
        let mut k = 0;
        while k < F {
            bests[k] = C::better(bests[k], here[k], next[k], place);
            k += 1;
        }
    }

    /// The first and the last place with a site; where there is none, the line's first place is
    /// both.
    #[inline(always)]
    fn find_ends(&self, column: u32) {
        let (mut first, mut last, mut chunk) = (NOWHERE, 0, 0);
        while chunk < self.tiling.chunks() {
            let span = self.span(chunk, column);
            if span.first != NOWHERE {
                first = if first == NOWHERE { span.first } else { first };
                last = span.last;
            }
            chunk += 1;
        }
        self.put_best(0, column, if first == NOWHERE { 0 } else { first });
        self.put_best(self.tiling.groups(), column, last);
    }

    /// Takes the best of the proposals for a group's first output.
    #[inline(always)]
    fn choose(&self, group: u32, column: u32, slots: Slots) {
        let fan = Fan::new(&self.axis, group * GROUP, 1);
        let (mut least, mut best) = (C::MOST, slots.low);
        let mut chunk = slots.low >> self.tiling.chunk_log2;
        let last = slots.high >> self.tiling.chunk_log2;
        while chunk <= last {
            if self.span(chunk, column).meets(slots.low, slots.high) {
                let place = self.proposal(slots.first + chunk * slots.apart, column);
                let stored = self.cost(place, column).without_place();
                let [[here], _] = C::along(&self.axis, &fan, [stored; 2], place);
                if here < least {
                    (least, best) = (here, place);
                }
            }
            chunk += 1;
        }
        self.put_best(group, column, best);
    }

    /// The rounds after the first. All threads of the block call it, and end with a barrier.
    #[inline(always)]
    pub fn later_rounds(&self) {
        let mut step_log2 = self.tiling.first_step_log2;
        while step_log2 > 0 {
            if step_log2 == 3 || step_log2 >= 5 {
                self.round::<7>(step_log2, step_log2 - 3);
                step_log2 -= 3;
            } else {
                let inner_log2 = step_log2.saturating_sub(2);
                self.round::<3>(step_log2, inner_log2);
                step_log2 = inner_log2;
            }
        }
    }

    /// A round for parts of 2^`step_log2` groups, which finds the best places for groups
    /// 2^`inner_log2` apart.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn round<const F: usize>(&self, step_log2: u32, inner_log2: u32) {
        let tiling = &self.tiling;
        let (step, inner) = (1 << step_log2, 1 << inner_log2);
        self.teams.for_each(tiling.chunks(), |chunk, column| {
            self.propose_in_parts::<F>(chunk, column, step_log2, inner);
        });
        thread::sync_threads();
        let parts = ((tiling.groups() - 1) >> step_log2) + 1;
        self.teams.for_each(parts * F as u32, |item, column| {
            let (part, k) = (item / F as u32, item % F as u32);
            let group = part * step + (k + 1) * inner;
            if group < tiling.groups() && (k + 1) * inner < step {
                let slots = Slots {
                    first: part * F as u32 + k,
                    apart: F as u32,
                    low: self.best(part * step, column),
                    high: self.best(self.part_end(part * step, step), column),
                };
                self.choose(group, column, slots);
            }
        });
        thread::sync_threads();
    }

    /// The group after a part's last.
    #[inline(always)]
    fn part_end(&self, group: u32, step: u32) -> u32 {
        let groups = self.tiling.groups();
        if groups - group < step {
            groups
        } else {
            group + step
        }
    }

    /// Goes through a chunk's places and the parts that they are of.
    ///
    /// Of chunks and parts that meet, no two have the same sum of numbers: that is where the
    /// proposals are.
    #[inline(always)]
    fn propose_in_parts<const F: usize>(
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
        if span.first == NOWHERE {
            return;
        }
        // the last part that begins before the chunk's first site may end in it
        let beyond = self.first_beyond(span.first, column, step_log2);
        let part = beyond.saturating_sub(1);
        let mut group = part << step_log2;
        let low = self.best(group, column);
        let mut high = self.best(self.part_end(group, step), column);
        if !span.meets(low, high) {
            return;
        }
        let mut place = if low > span.first {
            low & !1
        } else {
            span.first
        };
        let mut slot = (chunk + part) * F as u32;
        let mut fan = Fan::new(axis, (group + inner) * GROUP, inner * GROUP);
        let mut bests = [C::NO_BEST; F];
        // one way back to the beginning, of which the compiler cannot tell where it comes from:
        // threads stay together
        let mut goes_on = 1;
        while goes_on != 0 {
            let pair = self.pair(place, column);
            self.compare(&fan, pair, place, &mut bests);
            let stop = if high < span.last { high } else { span.last };
            place += 2;
            if place > stop {
                let mut k = 0;
                while k < F as u32 {
                    let best = C::best_place(bests[k as usize], start);
                    self.propose(slot + k, column, best);
                    k += 1;
                }
                group += step;
                slot += F as u32;
                goes_on = u32::from(group < tiling.groups() && high <= span.last);
                if goes_on != 0 {
                    place = high & !1;
                    high = self.best(self.part_end(group, step), column);
                    fan = fan.at(axis, (group + inner) * GROUP);
                    bests = [C::NO_BEST; F];
                }
            }
            goes_on = opaque(goes_on);
        }
    }
}
