//! The least of each output.

use super::{
    NONE,
    goal::{Goal, Within},
    labels::Clamp,
    level::Level,
    tile::{ENTRY, STARTS, Tile, cost, link},
};
use cuda_std::{bits::highest, misc::opaque};

impl Tile {
    /// Calls `done` with each of the chunk's outputs, from 0 on, and the least squared distance there and its place. Of labels, `clamp` has where they change, and lines
    /// may be without a winner.
    // what follows the last winner is not asked for
    #[allow(unused_assignments)]
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn outputs<L: Level, G: Goal>(
        &self,
        level: L,
        mut clamp: Clamp,
        mut done: impl FnMut(u32, u32, u32),
    ) {
        let first = self.first();
        let mut starts = self.row(self.chunk, STARTS);
        let (mut place, mut squared, mut next) = (first, NONE, 0);
        // the first winner begins at the first output
        if !G::LABELS || self.row(0, STARTS) & 1 != 0 {
            place = if self.chunk == 0 {
                // there is no winner before
                starts ^= 1;
                self.first_winner()
            } else {
                self.entry()
            };
            let word = self.read(place);
            (squared, next) = (level.squared(cost(word)), link(word));
        }
        let inside = self.len - first;
        if inside >= 32 {
            let mut before = first.wrapping_sub(place);
            for_32!(I => {
                if starts & 1 << I != 0 {
                    let place = opaque(next);
                    let word = self.read(place);
                    (squared, next) = (level.squared(cost(word)), link(word));
                    before = first.wrapping_sub(place);
                }
                let mut least = squared.wrapping_add(level.along(before.wrapping_add(I)));
                if G::LABELS {
                    least = clamp.least(I, least);
                }
                done(I, least, first.wrapping_sub(before));
            });
            return;
        }
        let mut i = 0;
        while i < inside {
            if starts & 1 != 0 {
                place = next;
                let word = self.read(place);
                (squared, next) = (level.squared(cost(word)), link(word));
            }
            starts >>= 1;
            let mut least = squared.wrapping_add(level.along((first + i).wrapping_sub(place)));
            if G::LABELS {
                least = clamp.least(i, least);
            }
            done(i, least, place);
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
                if first - (earlier * 32 + highest(hull)) <= within.apart {
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
        chunk * 32 + (31 - highest(hull.reverse_bits()))
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
