//! Enclosed voxels: those that no path of face neighbours avoiding the sites connects to the border
//! of the grid.
//!
//! The exterior is propagated from the border along entire lines of words: within rows by the
//! carries of integer additions, along columns word by word, until a pass over all three axes
//! changes nothing. A pass follows any path with one straight segment each along x, y and z, so the
//! number of passes depends on the number of bends, not of voxels.

use super::sites::BitRows;
use crate::{
    arith::div_rem,
    grid::{X, Y},
    rows::Items,
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{View, ViewMut, kernel};

/// Number of words of a line that are read together, so that the reads are in flight at the same
/// time.
const PREFETCH: usize = 8;

/// Writes the mask of non-site voxels, and the mask of those at the border: in the first or last
/// plane of an axis with more than one voxel.
///
/// **Mapping:** one word per thread. **Global memory:** one read and two writes. Shared memory is
/// not used.
///
/// # Safety
/// `sites`, `free` and `outside` hold `bits.words()` elements, which is also the count of `items`.
#[kernel]
pub unsafe fn seed_outside(
    sites: View<u32>,
    bits: BitRows,
    items: Items,
    free: ViewMut<u32>,
    outside: ViewMut<u32>,
) {
    items.for_each(|word| {
        let [in_row, y, z] = bits.word_position(word as u64);
        let without_site = bits.voxel_mask(in_row) & !sites.read(word);
        let is_end = |at: u32, count: u32| count > 1 && (at == 0 || at + 1 == count);
        let mut border_mask = 0;
        if bits.grid.nx > 1 {
            border_mask |= (in_row == 0) as u32;
            if in_row + 1 == bits.per_row {
                border_mask |= 1 << ((bits.grid.nx - 1) & 31);
            }
        }
        if is_end(y, bits.grid.ny) || is_end(z, bits.grid.nz) || bits.grid.samples() == 1 {
            border_mask = u32::MAX;
        }
        free.write(word, without_site);
        outside.write(word, without_site & border_mask);
    });
}

/// Returns the voxels of `free` that are connected to `seeds` within a word; `seeds` is a subset of
/// `free`.
#[inline(always)]
fn fill(free: u32, seeds: u32) -> u32 {
    let up = fill_up(free, seeds);
    fill_up(free.reverse_bits(), up.reverse_bits()).reverse_bits()
}

/// Returns the voxels of `free` reached from `seeds` towards higher bits: an addition carries
/// through a run of ones.
#[inline(always)]
fn fill_up(free: u32, seeds: u32) -> u32 {
    let carried = free.wrapping_add(seeds);
    free & ((carried ^ free) | seeds)
}

/// Line of words processed by one thread.
#[derive(Clone, Copy)]
struct WordLine<'a> {
    free: View<'a, u32>,
    outside: ViewMut<'a, u32>,
    first: usize,
    step: usize,
    count: u32,
    /// `true` for a row along x, where only the last voxel of a word connects to the next word.
    in_row: bool,
}

impl WordLine<'_> {
    /// Propagates along the line, upwards or downwards. Returns `true` if any word changed.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn spread(&self, upwards: bool) -> bool {
        let mut changed = false;
        let mut carried_in = 0;
        let mut start = 0;
        while start < self.count {
            let index_at = |item: usize| {
                let from_start = start + item as u32;
                if from_start >= self.count {
                    None
                } else if upwards {
                    Some(self.first + from_start as usize * self.step)
                } else {
                    Some(self.first + (self.count - 1 - from_start) as usize * self.step)
                }
            };
            let (mut free, mut previous) = ([0; PREFETCH], [0; PREFETCH]);
            let mut item = 0;
            while item < PREFETCH {
                if let Some(at) = index_at(item) {
                    free[item] = self.free.read(at);
                    previous[item] = self.outside.read(at);
                }
                item += 1;
            }
            let mut item = 0;
            while item < PREFETCH {
                if let Some(at) = index_at(item) {
                    let incoming = if !self.in_row {
                        carried_in
                    } else if upwards {
                        carried_in >> 31
                    } else {
                        carried_in << 31
                    };
                    let seeds = previous[item] | incoming & free[item];
                    let updated = fill(free[item], seeds);
                    if updated != previous[item] {
                        self.outside.write(at, updated);
                        changed = true;
                    }
                    carried_in = updated;
                }
                item += 1;
            }
            start += PREFETCH as u32;
        }
        changed
    }
}

/// Propagates the exterior along all lines of an axis, in both directions, unless the previous pass
/// changed nothing.
///
/// **Mapping:** one line of words per thread: a row, or a column of words along y or z;
/// neighbouring threads process neighbouring columns. **Global memory:** reads both masks of each
/// word twice and writes the words that change; sets `changed[pass]` to 1 if any did. Returns at
/// once if `changed[pass - 1]` is 0. Shared memory is not used.
///
/// # Safety
/// `free` and `outside` hold `bits.words()` elements; `items` counts the lines along `axis`:
/// `bits.words()` divided by the words per line; `changed` holds more than `pass` elements.
#[kernel]
pub unsafe fn spread_outside(
    free: View<u32>,
    bits: BitRows,
    axis: u32,
    items: Items,
    pass: u32,
    changed: ViewMut<u32>,
    outside: ViewMut<u32>,
) {
    if pass > 0 && changed.read(pass as usize - 1) == 0 {
        return;
    }
    let row = bits.per_row as usize;
    let plane = bits.per_plane() as usize;
    let mut any = false;
    items.for_each(|line| {
        let (first, step, count) = if axis == X {
            (line * row, 1, bits.per_row)
        } else if axis == Y {
            let (z, in_row) = div_rem(line as u64, bits.per_row as u64);
            (z as usize * plane + in_row as usize, row, bits.grid.ny)
        } else {
            (line, plane, bits.grid.nz)
        };
        let line = WordLine {
            free,
            outside,
            first,
            step,
            count,
            in_row: axis == X,
        };
        // One loop for both directions keeps the kernel small.
        let mut direction = 0;
        while direction < 2 {
            any |= line.spread(direction == 0);
            direction += 1;
        }
    });
    if any && changed.atomic_load(pass as usize, Relaxed) == 0 {
        changed.atomic_store(pass as usize, 1, Relaxed);
    }
}

/// Replaces the exterior by the enclosed voxels: those that are neither exterior nor sites.
///
/// **Mapping:** one word per thread. **Global memory:** two reads and one write. Shared memory is
/// not used.
///
/// # Safety
/// `free` and `outside` hold `items.count` elements.
#[kernel]
pub unsafe fn keep_enclosed(free: View<u32>, items: Items, outside: ViewMut<u32>) {
    items.for_each(|word| {
        let inside = free.read(word) & !outside.read(word);
        outside.write(word, inside);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_fill_their_runs_and_no_other() {
        let mut state = 1u64;
        let mut draw = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 33) as u32
        };
        for case in 0..2000 {
            let free = match case {
                0 => u32::MAX,
                1 => 0,
                _ if case % 2 == 0 => draw() | draw(),
                _ => draw() | draw() << 3 | draw() << 1,
            };
            let seeds = free & draw() & draw() & draw();
            let mut expected = seeds;
            for _ in 0..32 {
                expected |= free & (expected << 1 | expected >> 1);
            }
            assert_eq!(fill(free, seeds), expected, "{free:b} {seeds:b}");
        }
    }
}
