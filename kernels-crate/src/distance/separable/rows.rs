//! The nearest sites along x, from bits.

use crate::{
    arith::quotient_up_u32,
    grid::Grid,
    warp::{self, AnyWarps, Warps},
};
use cuda_std::{View, ViewMut, kernel, thread};

/// Numbers kept of each word of bits: the word itself, how far the last site before it is from its
/// first voxel, how far the first site after it is from its last ([`FAR`] where there is none), and
/// one that makes their sizes a power of two.
pub const NUMBERS: u32 = 4;

/// Farther than anything.
pub const FAR: u32 = u32::MAX - 31;

/// Words `first` to `first + count` of each row.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// The first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// For each word of each row the sites nearest to it, on both sides.
///
/// A warp takes whole rows, as many words at a time as it has lanes: from the end to the beginning
/// for the sites after the words, and then from the beginning to the end. Lanes vote on which of
/// their words have a site, and ask the next one that has where. Per word of 32 voxels 8 bytes are
/// read, and 16 written; 4 more of both in rows of more words than lanes.
///
/// # Safety
/// `bits` hold a word for each 32 voxels of each row, `near` 4 numbers for each of the `words` of
/// each row.
#[kernel]
pub unsafe fn nearest_in_rows(bits: View<u32>, grid: Grid, words: Words, near: ViewMut<u32>) {
    let per_row = quotient_up_u32(grid.nx, 32);
    let rows = grid.ny as u64 * grid.nz as u64;
    let warps = quotient_up_u32(thread::block_dim_x(), 32) as u64;
    let mut row = thread::block_idx_x() as u64 * warps + (thread::thread_idx_x() / 32) as u64;
    while row < rows {
        let numbers = (words.count * NUMBERS) as usize;
        let row_words = Row {
            bits: bits.slice((row * per_row as u64) as usize, per_row as usize),
            near: near.slice(row as usize * numbers, numbers),
            per_row,
            words,
        };
        let after = row_words.find_after();
        row_words.find_before(after);
        row += warps * thread::grid_dim_x() as u64;
    }
}

/// No place.
const NOWHERE: u32 = u32::MAX;

/// A row, which a warp takes.
#[derive(Clone, Copy)]
struct Row<'a> {
    bits: View<'a, u32>,
    near: ViewMut<'a, u32>,
    per_row: u32,
    words: Words,
}

impl Row<'_> {
    /// A word; none of its voxels is a site where there is no word.
    #[inline(always)]
    fn word(&self, word: u32) -> u32 {
        if word < self.per_row {
            self.bits.read(word as usize)
        } else {
            0
        }
    }

    /// Where the numbers of a word are, if they are wanted.
    #[inline(always)]
    fn at(&self, word: u32) -> Option<usize> {
        // words before the first are farther from it than any count
        let from_first = word.wrapping_sub(self.words.first);
        if from_first < self.words.count {
            Some((from_first * NUMBERS) as usize)
        } else {
            None
        }
    }

    /// Writes the first site after each word; returns that of the lane's word among the row's first
    /// ones.
    #[inline(always)]
    fn find_after(&self) -> u32 {
        let (width, lane) = (AnyWarps::width(), warp::lane());
        let mut start = (quotient_up_u32(self.per_row, width) - 1) * width;
        let mut beyond = NOWHERE;
        loop {
            let word = start + lane;
            let sites = self.word(word);
            let first = word * 32 + sites.trailing_zeros();
            let with_sites = warp::ballot::<AnyWarps>(sites != 0);
            // by one twice: a shift by 32 is none
            let later = with_sites >> lane >> 1;
            let from = if later != 0 {
                lane + 1 + later.trailing_zeros()
            } else {
                lane
            };
            let next = warp::broadcast::<u32, AnyWarps>(first, from);
            let after = if later != 0 { next } else { beyond };
            if start == 0 {
                return after;
            }
            if let Some(at) = self.at(word) {
                self.near.write(at + 2, after);
            }
            if with_sites != 0 {
                beyond = warp::broadcast::<u32, AnyWarps>(first, with_sites.trailing_zeros());
            }
            start -= width;
        }
    }

    /// Writes all numbers of each word; `after` is the first site after the lane's word among the
    /// row's first ones.
    #[inline(always)]
    fn find_before(&self, after: u32) {
        let (width, lane) = (AnyWarps::width(), warp::lane());
        let end = self.words.first + self.words.count;
        let mut start = 0;
        let mut beyond = NOWHERE;
        while start < end {
            let word = start + lane;
            let sites = self.word(word);
            let last = word * 32 + (31 - (sites.leading_zeros() & 31));
            let with_sites = warp::ballot::<AnyWarps>(sites != 0);
            let earlier = with_sites & ((1 << lane) - 1);
            let from = if earlier != 0 {
                31 - earlier.leading_zeros()
            } else {
                lane
            };
            let next = warp::broadcast::<u32, AnyWarps>(last, from);
            let before = if earlier != 0 { next } else { beyond };
            if let Some(at) = self.at(word) {
                let after = if start == 0 {
                    after
                } else {
                    self.near.read(at + 2)
                };
                let first = word * 32;
                let before = if before == NOWHERE {
                    FAR
                } else {
                    first - before
                };
                let after = if after == NOWHERE {
                    FAR
                } else {
                    after - (first + 31)
                };
                self.near.write_vector(at, [sites, before, after, 0]);
            }
            if with_sites != 0 {
                let from = 31 - with_sites.leading_zeros();
                beyond = warp::broadcast::<u32, AnyWarps>(last, from);
            }
            start += width;
        }
    }
}

/// What is known of the sites nearest to a word.
#[derive(Clone, Copy)]
pub struct Near {
    sites: u32,
    /// From the site before to the word's first voxel.
    before: u32,
    /// From the word's last voxel to the site after it.
    after: u32,
}

impl Near {
    /// That of a row without a site.
    pub const NONE: Self = Self {
        sites: 0,
        before: FAR,
        after: FAR,
    };

    /// That of a word of a row.
    #[inline(always)]
    pub fn read(near: View<u32>, word: usize) -> Self {
        let [sites, before, after, _] = near.read_vector::<4>(word * NUMBERS as usize);
        Self {
            sites,
            before,
            after,
        }
    }

    /// The distance of a voxel of the word to the nearest site of the row, and whether it is before
    /// or at the voxel; [`FAR`] or more where there is none.
    #[inline(always)]
    pub fn distance(self, bit: u32) -> (u32, bool) {
        let (mut down, mut up) = (self.before + bit, self.after + (31 - bit));
        if self.sites != 0 {
            let here_or_before = self.sites << (31 - bit);
            let here_or_after = self.sites >> bit;
            if here_or_before != 0 {
                down = here_or_before.leading_zeros();
            }
            if here_or_after != 0 {
                up = here_or_after.trailing_zeros();
            }
        }
        if down <= up {
            (down, true)
        } else {
            (up, false)
        }
    }

    /// The x of the site nearest to a voxel of a row that has one; of two the one before. `x` is
    /// the voxel's.
    #[inline(always)]
    pub fn site(self, x: u32) -> u32 {
        let (distance, is_before) = self.distance(x % 32);
        if is_before {
            x - distance
        } else {
            x + distance
        }
    }
}
