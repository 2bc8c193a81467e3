//! The least of each output.

use super::tile::{ENTRY, Level, STARTS, Tile, cost, link};
use cuda_std::{bits::highest, misc::opaque};

impl Tile {
    /// Calls `done` with each of the chunk's outputs, from 0 on, and the least squared distance there and its place.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn outputs<L: Level>(&self, mut done: impl FnMut(u32, u32, u32)) {
        let mut starts = self.row(self.chunk, STARTS);
        let mut place = if self.chunk == 0 {
            // at the first output there is no winner before
            starts ^= 1;
            self.first_winner()
        } else {
            self.entry()
        };
        let mut word = self.read(place);
        let first = self.first();
        let inside = self.len - first;
        if inside >= 32 {
            let mut before = first.wrapping_sub(place);
            for_32!(I => {
                if starts & 1 << I != 0 {
                    let place = opaque(link(word));
                    word = self.read(place);
                    before = first.wrapping_sub(place);
                }
                let apart = before.wrapping_add(I);
                done(
                    I,
                    L::squared(cost(word)).wrapping_add(apart.wrapping_mul(apart)),
                    first.wrapping_sub(before),
                );
            });
            return;
        }
        let mut i = 0;
        while i < inside {
            if starts & 1 != 0 {
                place = link(word);
                word = self.read(place);
            }
            starts >>= 1;
            let apart = (first + i).wrapping_sub(place);
            done(
                i,
                L::squared(cost(word)).wrapping_add(apart.wrapping_mul(apart)),
                place,
            );
            i = opaque(i + 1);
        }
    }

    /// Whether the chunk may have outputs whose least squared distance is up to `most`: the line has a winner, and one begins in the chunk or the one before
    /// is not too far.
    #[inline(always)]
    pub fn reaches(&self, most: u32) -> bool {
        // the first winner begins at the first output
        if self.row(0, STARTS) & 1 == 0 {
            return false;
        }
        if self.chunk == 0 || self.row(self.chunk, STARTS) != 0 {
            return true;
        }
        let (place, first) = (self.entry(), self.first());
        let apart = if place < first {
            first - place
        } else {
            place.saturating_sub(first + 31)
        };
        apart * apart <= most
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
