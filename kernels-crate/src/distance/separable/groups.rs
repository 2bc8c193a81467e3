//! The least cost of each output.
//!
//! A thread goes through some places once more, and through the groups of outputs whose best places
//! begin in them: a pair of places is compared for all outputs of a group, up to the best place of
//! the next group's first output; there the next group begins. Many groups may begin at one place
//! and few at many others, so pairs of places and groups together are shared among the threads.

use super::{
    cost::{Cost, Fan},
    tile::{NOWHERE, Tile},
    tiling::{GROUP, HALF},
};
use crate::arith::quotient_up_u32;
use cuda_std::misc::opaque;

/// What is kept of the places that a group's outputs are compared at.
pub trait Keep<C: Cost>: Copy {
    /// Nothing yet.
    const NOTHING: Self;

    /// Those at `place` and at the next one, for one output.
    fn with(self, here: C, next: C, place: u32) -> Self;
}

/// The least.
#[derive(Clone, Copy)]
pub struct Least<C>(pub C);

impl<C: Cost> Keep<C> for Least<C> {
    const NOTHING: Self = Self(C::MOST);

    #[inline(always)]
    fn with(self, here: C, next: C, _place: u32) -> Self {
        Self(self.0.least(here.least(next)))
    }
}

/// The least, and the first place that has it.
#[derive(Clone, Copy)]
pub struct LeastAt<C> {
    least: C,
    /// The place.
    pub place: u32,
}

impl<C: Cost> LeastAt<C> {
    #[inline(always)]
    fn or(self, here: C, place: u32) -> Self {
        let least = here.without_place();
        if least < self.least {
            Self { least, place }
        } else {
            self
        }
    }
}

impl<C: Cost> Keep<C> for LeastAt<C> {
    const NOTHING: Self = Self {
        least: C::MOST,
        place: 0,
    };

    #[inline(always)]
    fn with(self, here: C, next: C, place: u32) -> Self {
        self.or(here, place).or(next, place + 1)
    }
}

impl<C: Cost> Tile<C> {
    /// Calls `done` with each group of outputs, its column, and what was kept for them. All threads
    /// of the block call it; a barrier lies before it, and one has to follow.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn for_each_group<K: Keep<C>>(&self, done: impl Fn(u32, u32, [[K; HALF as usize]; 2])) {
        let tiling = &self.tiling;
        self.teams.for_each(tiling.chunks(), |chunk, column| {
            // pairs of places and groups are shared evenly: of a chunk's as many as would be its
            // own on average
            let share = tiling.chunk() / 2 + quotient_up_u32(tiling.chunk(), GROUP);
            let (start, end) = (chunk * share, (chunk + 1) * share);
            let mut group = self.first_group(start, column);
            if group >= tiling.groups() {
                return;
            }
            let low = self.best(group, column);
            if low / 2 + group >= end {
                return;
            }
            let mut high = self.best(group + 1, column);
            let mut place = low & !1;
            let mut stop = self.stop(place, high, column);
            let mut fans = self.fans(group);
            let mut kept = [[K::NOTHING; HALF as usize]; 2];
            // as in the rounds
            let mut goes_on = 1;
            while goes_on != 0 {
                let pair = self.pair(place, column);
                self.keep(&fans[0], pair, place, &mut kept[0]);
                self.keep(&fans[1], pair, place, &mut kept[1]);
                place += 2;
                if place > stop && stop < high {
                    // on to the next places with sites
                    let next = self.next_site(place, column);
                    place = next;
                    stop = self.stop(next, high, column);
                } else if place > stop {
                    done(group, column, kept);
                    group += 1;
                    goes_on = u32::from(group < tiling.groups() && high / 2 + group < end);
                    if goes_on != 0 {
                        place = high & !1;
                        high = self.best(group + 1, column);
                        stop = self.stop(place, high, column);
                        fans = self.fans(group);
                        kept = [[K::NOTHING; HALF as usize]; 2];
                    }
                }
                goes_on = opaque(goes_on);
            }
        });
    }

    /// The first group before which there are at least so many pairs of places and groups; how many
    /// groups there are if there is none.
    #[inline(always)]
    fn first_group(&self, before: u32, column: u32) -> u32 {
        let (mut low, mut high) = (0, self.tiling.groups());
        while low < high {
            let middle = (low + high) / 2;
            if self.best(middle, column) / 2 + middle < before {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The last place up to `high` that is to be looked at before going on in another chunk.
    #[inline(always)]
    fn stop(&self, place: u32, high: u32, column: u32) -> u32 {
        let chunk = place >> self.tiling.chunk_log2;
        if chunk == high >> self.tiling.chunk_log2 {
            return high;
        }
        let last = self.span(chunk, column).last;
        if last > place { last } else { place }
    }

    /// The first place with a site in the chunks after that of the place before `place`. There is
    /// one.
    #[inline(always)]
    fn next_site(&self, place: u32, column: u32) -> u32 {
        let mut chunk = (place - 1) >> self.tiling.chunk_log2;
        loop {
            chunk += 1;
            let first = self.span(chunk, column).first;
            if first != NOWHERE || chunk + 1 >= self.tiling.chunks() {
                return first;
            }
        }
    }

    /// The outputs of both halves of a group.
    #[inline(always)]
    fn fans(&self, group: u32) -> [Fan<C>; 2] {
        let first = group * GROUP;
        let fan = Fan::new(&self.axis, first, 1);
        [fan, fan.at(&self.axis, first + HALF)]
    }

    /// Keeps what a pair of places has for half a group.
    #[inline(always)]
    fn keep<K: Keep<C>>(
        &self,
        fan: &Fan<C>,
        pair: [C; 2],
        place: u32,
        kept: &mut [K; HALF as usize],
    ) {
        let [here, next]: [[C; HALF as usize]; 2] = C::along(&self.axis, fan, pair, place);
        let mut k = 0;
        while k < HALF as usize {
            kept[k] = kept[k].with(here[k], next[k], place);
            k += 1;
        }
    }
}
