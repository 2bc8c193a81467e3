//! Row scan: nearest sites along x, from site bits.

use crate::{
    arith::div_ceil_u32,
    grid::Grid,
    warp::{self, AnyWarps, Warps},
};
use cuda_std::{View, ViewMut, kernel, thread};

/// Number of fields stored per word of bits: the word itself, the distance from its first voxel to
/// the last site before it, the distance from its last voxel to the first site after it
/// ([`NO_SITE_DISTANCE`] if there is none), and padding to a power of two.
pub const FIELDS_PER_WORD: u32 = 4;

/// Distance stored if there is no site; exceeds every distance.
pub const NO_SITE_DISTANCE: u32 = u32::MAX - 31;

/// Range of words of each row.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordRange {
    /// Index of the first word.
    pub first: u32,
    /// Number of words.
    pub count: u32,
}

/// Computes the fields of each word of each row: the word and the distances to the nearest sites on
/// both sides.
///
/// **Mapping:** one row per warp, with one word per lane at a time: first from the end to the
/// beginning for the sites after each word, then from the beginning to the end. Lanes vote on which
/// of their words contain a site, and read its position from the nearest such lane. **Global
/// memory:** per word of 32 voxels, reads 8 bytes and writes 16; 4 more of both in rows with more
/// words than lanes. Shared memory is not used.
///
/// # Safety
/// `bits` holds one word per 32 voxels of each row, `row_scan` 4 fields per word of the range
/// `words` of each row.
#[kernel]
pub unsafe fn scan_row_words(
    bits: View<u32>,
    grid: Grid,
    words: WordRange,
    row_scan: ViewMut<u32>,
) {
    let per_row = div_ceil_u32(grid.nx, 32);
    let rows = grid.ny as u64 * grid.nz as u64;
    let warps = div_ceil_u32(thread::block_dim_x(), 32) as u64;
    let mut row = thread::block_idx_x() as u64 * warps + (thread::thread_idx_x() / 32) as u64;
    while row < rows {
        let fields = (words.count * FIELDS_PER_WORD) as usize;
        let scanner = RowScanner {
            bits: bits.slice((row * per_row as u64) as usize, per_row as usize),
            row_scan: row_scan.slice(row as usize * fields, fields),
            per_row,
            words,
        };
        let after = scanner.scan_backward();
        scanner.scan_forward(after);
        row += warps * thread::grid_dim_x() as u64;
    }
}

/// Sentinel for the absence of a position.
const NO_POSITION: u32 = u32::MAX;

/// Row processed by a warp.
#[derive(Clone, Copy)]
struct RowScanner<'a> {
    bits: View<'a, u32>,
    row_scan: ViewMut<'a, u32>,
    per_row: u32,
    words: WordRange,
}

impl RowScanner<'_> {
    /// Returns a word, or 0 past the end of the row.
    #[inline(always)]
    fn word(&self, word: u32) -> u32 {
        if word < self.per_row {
            self.bits.read(word as usize)
        } else {
            0
        }
    }

    /// Returns the index of the first field of a word, if the word is in the requested range.
    #[inline(always)]
    fn field_index(&self, word: u32) -> Option<usize> {
        // For words before the range the subtraction wraps around to a number above every count.
        let from_first = word.wrapping_sub(self.words.first);
        if from_first < self.words.count {
            Some((from_first * FIELDS_PER_WORD) as usize)
        } else {
            None
        }
    }

    /// Writes the position of the first site after each word; returns that of the lane's word among
    /// the first words of the row.
    #[inline(always)]
    fn scan_backward(&self) -> u32 {
        let (width, lane) = (AnyWarps::width(), warp::lane());
        let mut start = (div_ceil_u32(self.per_row, width) - 1) * width;
        let mut nearest_beyond = NO_POSITION;
        loop {
            let word = start + lane;
            let sites = self.word(word);
            let first = word * 32 + sites.trailing_zeros();
            let with_sites = warp::ballot::<AnyWarps>(sites != 0);
            // Two shifts, because a shift by 32 is undefined.
            let later = with_sites >> lane >> 1;
            let from = if later != 0 {
                lane + 1 + later.trailing_zeros()
            } else {
                lane
            };
            let next = warp::broadcast::<u32, AnyWarps>(first, from);
            let after = if later != 0 { next } else { nearest_beyond };
            if start == 0 {
                return after;
            }
            if let Some(field_index) = self.field_index(word) {
                self.row_scan.write(field_index + 2, after);
            }
            if with_sites != 0 {
                nearest_beyond =
                    warp::broadcast::<u32, AnyWarps>(first, with_sites.trailing_zeros());
            }
            start -= width;
        }
    }

    /// Writes all fields of each word; `after` is the position of the first site after the lane's
    /// word among the first words of the row.
    #[inline(always)]
    fn scan_forward(&self, after: u32) {
        let (width, lane) = (AnyWarps::width(), warp::lane());
        let end = self.words.first + self.words.count;
        let mut start = 0;
        let mut nearest_beyond = NO_POSITION;
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
            let before = if earlier != 0 { next } else { nearest_beyond };
            if let Some(field_index) = self.field_index(word) {
                let after = if start == 0 {
                    after
                } else {
                    self.row_scan.read(field_index + 2)
                };
                let first = word * 32;
                let before = if before == NO_POSITION {
                    NO_SITE_DISTANCE
                } else {
                    first - before
                };
                let after = if after == NO_POSITION {
                    NO_SITE_DISTANCE
                } else {
                    after - (first + 31)
                };
                self.row_scan
                    .write_vector(field_index, [sites, before, after, 0]);
            }
            if with_sites != 0 {
                let from = 31 - with_sites.leading_zeros();
                nearest_beyond = warp::broadcast::<u32, AnyWarps>(last, from);
            }
            start += width;
        }
    }
}

/// Sites of a word, and the nearest sites before and after it in its row.
#[derive(Clone, Copy)]
pub struct RowScan {
    sites: u32,
    /// Distance from the site before the word to its first voxel.
    before: u32,
    /// Distance from the word's last voxel to the site after it.
    after: u32,
}

impl RowScan {
    /// Row without a site.
    pub const NONE: Self = Self {
        sites: 0,
        before: NO_SITE_DISTANCE,
        after: NO_SITE_DISTANCE,
    };

    /// Reads the fields of a word.
    #[inline(always)]
    pub fn read(row_scan: View<u32>, word: usize) -> Self {
        let [sites, before, after, _] = row_scan.read_vector::<4>(word * FIELDS_PER_WORD as usize);
        Self {
            sites,
            before,
            after,
        }
    }

    /// Returns the distance from a voxel of the word to the nearest site of the row, and whether
    /// that site is at or before the voxel. The distance is at least [`NO_SITE_DISTANCE`] if there
    /// is none.
    #[inline(always)]
    pub fn distance(self, bit: u32) -> (u32, bool) {
        let (mut step_back, mut step_forward) = (self.before + bit, self.after + (31 - bit));
        if self.sites != 0 {
            let sites_up_to = self.sites << (31 - bit);
            let sites_from = self.sites >> bit;
            if sites_up_to != 0 {
                step_back = sites_up_to.leading_zeros();
            }
            if sites_from != 0 {
                step_forward = sites_from.trailing_zeros();
            }
        }
        if step_back <= step_forward {
            (step_back, true)
        } else {
            (step_forward, false)
        }
    }

    /// Returns the distances of `W` neighbouring voxels of the word to the nearest site of the row,
    /// from bit `first` on, as [`distance`](Self::distance) does. Voxels past the end of the word
    /// have unspecified distances.
    #[inline(always)]
    pub fn distances<const W: usize>(self, first: u32) -> [u32; W] {
        let reversed = self.sites.reverse_bits();
        let mut distances = [0; W];
        let mut k = 0;
        while k < W {
            let bit = (first + k as u32) & 31;
            let (up_to, from) = (reversed >> (31 - bit), self.sites >> bit);
            let step_back = if up_to != 0 {
                trailing_zeros(up_to)
            } else {
                self.before + bit
            };
            let step_forward = if from != 0 {
                trailing_zeros(from)
            } else {
                self.after + (31 - bit)
            };
            distances[k] = if step_back < step_forward {
                step_back
            } else {
                step_forward
            };
            k += 1;
        }
        distances
    }

    /// Returns the x of the site nearest to the voxel at `x`, the smaller one on ties. The row must
    /// contain a site.
    #[inline(always)]
    pub fn site_x(self, x: u32) -> u32 {
        let (distance, is_before) = self.distance(x % 32);
        if is_before {
            x - distance
        } else {
            x + distance
        }
    }
}

/// Returns the number of trailing zeros of a number other than 0: the exponent of its lowest bit as
/// a floating-point number, which processors without vector instructions for bits compute for
/// several numbers at once.
#[inline(always)]
pub(in crate::distance) fn trailing_zeros(number: u32) -> u32 {
    let lowest = number & number.wrapping_neg();
    ((lowest as i32 as f32).to_bits() >> 23 & 0xff).wrapping_sub(127)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_a_word_are_those_of_its_voxels() {
        let gaps = [1, 2, 40, NO_SITE_DISTANCE];
        for sites in [
            0,
            1,
            1 << 31,
            0x8000_0001,
            0x0001_8000,
            0x1234_5678,
            u32::MAX,
        ] {
            for (before, after) in gaps.iter().flat_map(|&a| gaps.map(|b| (a, b))) {
                let scan = RowScan {
                    sites,
                    before,
                    after,
                };
                let expected: [u32; 32] = core::array::from_fn(|bit| scan.distance(bit as u32).0);
                assert_eq!(
                    scan.distances::<32>(0),
                    expected,
                    "{sites:x} {before} {after}"
                );
                assert_eq!(scan.distances::<16>(16), expected[16..]);
            }
        }
    }
}
