//! The least of each output.

use super::{
    NONE,
    goal::{Goal, Within},
    labels::Clamp,
    level::Level,
    tile::{ENTRY, STARTS, Tile, cost, link},
};
use cuda_std::{bits::bfind, misc::opaque};

/// What is asked about winners, in two steps before the answer: each is taken for the winner after,
/// or after next, so that memory has time to answer.
pub trait Winners: Copy {
    /// What the first step knows.
    type First: Copy + Default;
    /// What the second step knows.
    type Second: Copy + Default;
    /// What is asked for.
    type Name: Copy + Default;

    /// The first step, of the winner at a place.
    fn first(self, place: u32) -> Self::First;

    /// The second step.
    fn second(self, place: u32, first: Self::First) -> Self::Second;

    /// The answer.
    fn name(self, place: u32, second: Self::Second) -> Self::Name;
}

/// Nothing is asked.
impl Winners for () {
    type First = ();
    type Second = ();
    type Name = ();

    #[inline(always)]
    fn first(self, _place: u32) {}

    #[inline(always)]
    fn second(self, _place: u32, _first: ()) {}

    #[inline(always)]
    fn name(self, _place: u32, _second: ()) {}
}

impl Tile {
    /// Calls `done` with each of the chunk's outputs, from 0 on, the least squared distance there
    /// and what `winners` have of its winner. Where there is a bound, lines may be without a
    /// winner; it is the default then. Of labels, `clamp` has where they change.
    // what follows the last winner is not asked for
    #[allow(unused_assignments)]
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn outputs<L: Level, G: Goal, W: Winners>(
        &self,
        level: L,
        mut clamp: Clamp,
        winners: W,
        mut done: impl FnMut(u32, u32, W::Name),
    ) {
        let first = self.first();
        let mut starts = self.row(self.chunk, STARTS);
        let (mut before, mut squared, mut next) = (0, NONE, 0);
        let mut winner = W::Name::default();
        let (mut first_step, mut second_step) = (W::First::default(), W::Second::default());
        // the first winner begins at the first output
        if !G::BOUNDED || self.row(0, STARTS) & 1 != 0 {
            let place = if self.chunk == 0 {
                // there is no winner before
                starts ^= 1;
                self.first_winner()
            } else {
                self.entry()
            };
            let word = self.read(place);
            (squared, next) = (level.squared(cost(word)), link(word));
            before = first.wrapping_sub(place);
            winner = winners.name(place, winners.second(place, winners.first(place)));
            second_step = winners.second(next, winners.first(next));
            first_step = winners.first(link(self.read(next)));
        }
        let mut events = starts;
        if G::LABELS {
            events |= clamp.changes;
        }
        let inside = self.len - first;
        if inside >= 32 {
            for_32!(I => {
                if events & 1 << I != 0 {
                    if !G::LABELS || starts & 1 << I != 0 {
                        let place = opaque(next);
                        let word = self.read(place);
                        (squared, next) = (level.squared(cost(word)), link(word));
                        before = first.wrapping_sub(place);
                        winner = winners.name(place, second_step);
                        second_step = winners.second(next, first_step);
                        first_step = winners.first(link(self.read(next)));
                    }
                    if G::LABELS {
                        clamp.pass(I);
                    }
                }
                let mut least = squared.wrapping_add(level.along(before.wrapping_add(I)));
                if G::LABELS {
                    least = clamp.least(I, least);
                }
                done(I, least, winner);
            });
            return;
        }
        let mut i = 0;
        while i < inside {
            if starts & 1 != 0 {
                let place = next;
                let word = self.read(place);
                (squared, next) = (level.squared(cost(word)), link(word));
                before = first.wrapping_sub(place);
                winner = winners.name(place, second_step);
                second_step = winners.second(next, first_step);
                first_step = winners.first(link(self.read(next)));
            }
            starts >>= 1;
            let mut least = squared.wrapping_add(level.along(before.wrapping_add(i)));
            if G::LABELS {
                clamp.pass(i);
                least = clamp.least(i, least);
            }
            done(i, least, winner);
            i = opaque(i + 1);
        }
    }

    /// Whether the chunk may have outputs that count: whether a winner is in it, or near enough.
    #[inline(always)]
    pub fn reaches(&self, within: Within) -> bool {
        if self.hull(self.chunk) != 0 {
            return true;
        }
        let first = self.first();
        // how far the nearest place of the last chunk looked at is
        let (mut earlier, mut apart) = (self.chunk, 1);
        while earlier > 0 && apart <= within.apart {
            earlier -= 1;
            let hull = self.hull(earlier);
            if hull != 0 {
                if first - (earlier * 32 + bfind(hull)) <= within.apart {
                    return true;
                }
                break;
            }
            apart += 32;
        }
        let (mut later, mut apart) = (self.chunk + 1, 1);
        while later < self.chunks && apart <= within.apart {
            let hull = self.hull(later);
            if hull != 0 {
                return later * 32 + hull.trailing_zeros() - (first + 31) <= within.apart;
            }
            later += 1;
            apart += 32;
        }
        false
    }

    /// How many outputs the chunk has.
    #[inline(always)]
    pub fn inside(&self) -> u32 {
        let inside = self.len - self.first();
        if inside < 32 { inside } else { 32 }
    }

    /// The first winner of the line.
    #[inline(always)]
    fn first_winner(&self) -> u32 {
        let mut chunk = 0;
        let mut hull = self.hull(0);
        while hull == 0 && chunk + 1 < self.chunks {
            chunk += 1;
            hull = self.hull(chunk);
        }
        chunk * 32 + (31 - bfind(hull.reverse_bits()))
    }

    /// The winner before the chunk's first output.
    #[inline(always)]
    fn entry(&self) -> u32 {
        let mut entry = 0;
        let mut earlier = 0;
        while earlier < self.chunk {
            let other = self.row(earlier, ENTRY);
            entry = if other > entry { other } else { entry };
            earlier = opaque(earlier + 1);
        }
        entry
    }
}
