//! Hulls of neighbouring chunks become one.

use super::{
    level::{Level, RAISE},
    tile::{Tile, link, with_link},
};
use cuda_std::{bits::bfind, thread};

impl Tile {
    /// Joins the hulls of all chunks, after a barrier. Barriers are in it, and one comes last.
    #[inline(always)]
    pub fn join<L: Level>(&self, level: L) {
        let mut apart = 1;
        while apart < self.chunks {
            if self.chunk & (2 * apart - 1) == 0 && self.chunk + apart < self.chunks {
                self.bridge(level, apart);
            }
            thread::sync_threads();
            apart *= 2;
        }
    }

    /// The same where many chunks have no vertices of any lane: barriers are only where there is
    /// anything to join.
    #[inline(always)]
    pub fn join_few<L: Level>(&self, level: L) {
        // a bit for each group of `apart` chunks, that of its first one; all warps have the same,
        // so barriers are met by all
        let mut groups = self.present();
        let mut apart = 1;
        let mut has_joined = false;
        while apart < self.chunks {
            let pairs = groups & groups >> apart & firsts_of_pairs(apart);
            if pairs != 0 {
                if has_joined {
                    thread::sync_threads();
                }
                if pairs >> self.chunk & 1 != 0 {
                    self.bridge(level, apart);
                }
                has_joined = true;
            }
            groups |= groups >> apart;
            apart *= 2;
        }
        if has_joined {
            thread::sync_threads();
        }
    }

    /// Joins the hull of the `apart` chunks from the thread's on, and that of as many after them.
    #[inline(always)]
    fn bridge<L: Level>(&self, level: L, apart: u32) {
        let middle = self.chunk + apart;
        let end = if middle + apart < self.chunks {
            middle + apart
        } else {
            self.chunks
        };
        let value = |word: u32, place: u32| level.value(word, place, 0, RAISE);
        // the last place before
        let mut left = middle - 1;
        let mut lefts = self.hull(left);
        while lefts == 0 && left > self.chunk {
            left -= 1;
            lefts = self.hull(left);
        }
        let mut right = middle;
        let mut rights = self.hull(right);
        while rights == 0 && right + 1 < end {
            right += 1;
            rights = self.hull(right);
        }
        if lefts == 0 || rights == 0 {
            return;
        }
        let mut a = left * 32 + bfind(lefts);
        let mut word = self.read(a);
        let (mut a_value, mut a_start) = (value(word, a), link(word) as i32);
        let mut b = right * 32 + rights.trailing_zeros();
        let mut b_word = self.read(b);
        let mut b_value = value(b_word, b);
        loop {
            let inverse = level.inverse(b - a);
            let begins = level.start::<false>([a_value, b_value], b - a, inverse, 0);
            let begins = if begins < 0 { 0 } else { begins };
            if begins <= a_start {
                lefts ^= 1_u32.rotate_left(a);
                if lefts == 0 {
                    self.put_hull(left, 0);
                    while lefts == 0 && left > self.chunk {
                        left -= 1;
                        lefts = self.hull(left);
                    }
                    if lefts == 0 {
                        self.put_hull(right, rights);
                        self.write(b, with_link(b_word, 0));
                        return;
                    }
                }
                a = left * 32 + bfind(lefts);
                word = self.read(a);
                a_value = value(word, a);
                a_start = link(word) as i32;
                continue;
            }
            // the place after b
            let mut after = rights & (rights - 1);
            let mut after_chunk = right;
            while after == 0 && after_chunk + 1 < end {
                after_chunk += 1;
                after = self.hull(after_chunk);
            }
            if after == 0 {
                if begins >= self.len as i32 {
                    rights = 0;
                } else {
                    self.write(b, with_link(b_word, begins as u32));
                }
                break;
            }
            let c = after_chunk * 32 + after.trailing_zeros();
            let c_word = self.read(c);
            if link(c_word) as i32 > begins {
                self.write(b, with_link(b_word, begins as u32));
                break;
            }
            if after_chunk != right {
                self.put_hull(right, 0);
                right = after_chunk;
            }
            rights = after;
            b = c;
            b_word = c_word;
            b_value = value(b_word, b);
        }
        self.put_hull(left, lefts);
        self.put_hull(right, rights);
    }
}

/// The multiples of `2 apart`, a bit each, where `apart` is a power of two up to 16.
#[inline(always)]
fn firsts_of_pairs(apart: u32) -> u32 {
    match apart {
        1 => 0x5555_5555,
        2 => 0x1111_1111,
        4 => 0x0101_0101,
        8 => 0x0001_0001,
        _ => 1,
    }
}
