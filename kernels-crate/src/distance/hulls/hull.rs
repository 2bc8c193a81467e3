//! The lower hull of a chunk.

use super::{
    goal::Goal,
    level::{Level, RAISE},
    tile::{COST_BITS, INVERSES, Tile, link, with_link},
};
use cuda_std::{
    bits::{bfind, bfind_shiftamt},
    warp,
};

impl Tile {
    /// The places of the chunk that win among them, a bit each, of those that `wins` names: first
    /// place highest. Their starts are put into their words. All lanes of a warp call it.
    #[inline(always)]
    pub fn hull_of_chunk<L: Level, G: Goal>(&self, level: L, wins: u32) -> u32 {
        let inverses = self.scratch(INVERSES);
        inverses.write(
            self.lane as usize,
            if self.lane == 0 {
                RAISE
            } else {
                level.inverse(self.lane).to_bits()
            },
        );
        // SAFETY: whole warps.
        unsafe { warp::sync_warp(u32::MAX) };
        let mut rest = wins;
        if rest == 0 {
            return 0;
        }
        let first = self.first();
        // from memory, so that it is in a register
        let raise = inverses.read(0);
        let value = |word: u32, place: u32| level.value(word, place, first, raise);
        let mut top = bfind_shiftamt(rest);
        rest ^= 0x8000_0000_u32.rotate_right(top);
        let word = self.read_own(top);
        self.write_own(top, with_link(word, 0));
        let mut top_value = value(word, top);
        let mut top_start = 0;
        let mut hull = 1_u32.rotate_left(top);
        while rest != 0 {
            let next = bfind_shiftamt(rest);
            rest ^= 0x8000_0000_u32.rotate_right(next);
            let word = self.read_own(next);
            let next_value = value(word, next);
            let mut begins;
            loop {
                let apart = next - top;
                let inverse = f32::from_bits(inverses.read(apart as usize));
                let start = if G::NEAREST {
                    level.start::<true>([top_value, next_value], apart, inverse, first)
                } else {
                    level.start::<false>([top_value, next_value], apart, inverse, first)
                };
                begins = if start < 0 { 0 } else { start };
                if begins > top_start {
                    break;
                }
                hull ^= 1_u32.rotate_left(top);
                if hull == 0 {
                    break;
                }
                top = bfind(hull);
                let word = self.read_own(top);
                top_value = value(word, top);
                top_start = link(word) as i32;
            }
            if begins < self.len as i32 {
                let linked = if G::NEAREST {
                    with_link(word, begins as u32)
                } else {
                    // a word that has no link yet
                    word + (begins as u32 * (1 << COST_BITS))
                };
                self.write_own(next, linked);
                hull |= 1_u32.rotate_left(next);
                top = next;
                top_value = next_value;
                top_start = begins;
            }
        }
        hull
    }
}
