//! What a surface encloses: the voxels that no path of face neighbours joins to the border of the
//! grid without a site.
//!
//! The outside is spread from the border along whole lines of words: to the end of a row by the
//! carries of additions, up and down columns by words, until a round along all three axes changes
//! nothing. A round reaches whatever one bend after the other along x, y and z leads to, so that
//! the number of rounds is that of bends, not of voxels.

use super::sites::BitRows;
use crate::{
    arith::div_rem,
    grid::{X, Y},
    rows::Items,
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{View, ViewMut, kernel};

/// Words of a line that are read at a time, so that their reads are in flight together.
const AHEAD: usize = 8;

/// Writes which voxels are no site, and which of these lie at the border: in the first or last
/// plane across an axis of more than one voxel.
///
/// A thread takes single words: it reads one and writes two. Nothing is shared in the block.
///
/// # Safety
/// `sites`, `free` and `outside` hold `bits.words()` elements, which `items` counts.
#[kernel]
pub unsafe fn begin_outside(
    sites: View<u32>,
    bits: BitRows,
    items: Items,
    free: ViewMut<u32>,
    outside: ViewMut<u32>,
) {
    items.for_each(|word| {
        let [in_row, y, z] = bits.place(word as u64);
        let without_site = bits.voxels_of(in_row) & !sites.read(word);
        let is_end = |at: u32, count: u32| count > 1 && (at == 0 || at + 1 == count);
        let mut border = 0;
        if bits.grid.nx > 1 {
            border |= (in_row == 0) as u32;
            if in_row + 1 == bits.per_row {
                border |= 1 << ((bits.grid.nx - 1) & 31);
            }
        }
        if is_end(y, bits.grid.ny) || is_end(z, bits.grid.nz) || bits.grid.samples() == 1 {
            border = u32::MAX;
        }
        free.write(word, without_site);
        outside.write(word, without_site & border);
    });
}

/// The voxels of `free` that seeds reach within a word; seeds are in `free`.
#[inline(always)]
fn fill(free: u32, seeds: u32) -> u32 {
    let up = fill_up(free, seeds);
    fill_up(free.reverse_bits(), up.reverse_bits()).reverse_bits()
}

/// The voxels of `free` that seeds reach towards higher bits: an addition carries through a run of
/// ones.
#[inline(always)]
fn fill_up(free: u32, seeds: u32) -> u32 {
    let carried = free.wrapping_add(seeds);
    free & ((carried ^ free) | seeds)
}

/// A line of words that one thread goes along.
#[derive(Clone, Copy)]
struct Line<'a> {
    free: View<'a, u32>,
    outside: ViewMut<'a, u32>,
    first: usize,
    step: usize,
    count: u32,
    /// Whether the line is a row: then a word passes on its end's voxel alone.
    in_row: bool,
}

impl Line<'_> {
    /// Spreads along the line, upwards or downwards; whether that changed anything.
    #[inline(always)]
    fn spread(&self, upwards: bool) -> bool {
        let mut changed = false;
        let mut passed = 0;
        let mut start = 0;
        while start < self.count {
            let place = |item: usize| {
                let from_start = start + item as u32;
                if from_start >= self.count {
                    None
                } else if upwards {
                    Some(self.first + from_start as usize * self.step)
                } else {
                    Some(self.first + (self.count - 1 - from_start) as usize * self.step)
                }
            };
            let (mut free, mut before) = ([0; AHEAD], [0; AHEAD]);
            let mut item = 0;
            while item < AHEAD {
                if let Some(at) = place(item) {
                    free[item] = self.free.read(at);
                    before[item] = self.outside.read(at);
                }
                item += 1;
            }
            let mut item = 0;
            while item < AHEAD {
                if let Some(at) = place(item) {
                    let entering = if !self.in_row {
                        passed
                    } else if upwards {
                        passed >> 31
                    } else {
                        passed << 31
                    };
                    let seeds = before[item] | entering & free[item];
                    let after = fill(free[item], seeds);
                    if after != before[item] {
                        self.outside.write(at, after);
                        changed = true;
                    }
                    passed = after;
                }
                item += 1;
            }
            start += AHEAD as u32;
        }
        changed
    }
}

/// Spreads the outside along all lines of an axis, in both directions, unless the round before
/// changed nothing.
///
/// A thread takes whole lines of words: rows, or columns of words along y or z, neighbouring
/// threads neighbouring columns. It reads both words of each place twice, and writes those that
/// change. `changed[round]` becomes 1 if any does; if `changed[round - 1]` is 0, nothing is done.
/// Nothing is shared in the block.
///
/// # Safety
/// `free` and `outside` hold `bits.words()` elements; `items` counts the lines along `axis`,
/// `bits.words()` by the words of a line; `changed` holds more than `round` elements.
#[kernel]
pub unsafe fn spread_outside(
    free: View<u32>,
    bits: BitRows,
    axis: u32,
    items: Items,
    round: u32,
    changed: ViewMut<u32>,
    outside: ViewMut<u32>,
) {
    if round > 0 && changed.read(round as usize - 1) == 0 {
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
        let line = Line {
            free,
            outside,
            first,
            step,
            count,
            in_row: axis == X,
        };
        // both loops are one, so that the kernel has its code once
        let mut direction = 0;
        while direction < 2 {
            any |= line.spread(direction == 0);
            direction += 1;
        }
    });
    if any && changed.atomic_load(round as usize, Relaxed) == 0 {
        changed.atomic_store(round as usize, 1, Relaxed);
    }
}

/// Replaces the outside by the voxels that are neither outside nor sites.
///
/// A thread takes single words: it reads two and writes one. Nothing is shared in the block.
///
/// # Safety
/// `free` and `outside` hold `items.count` elements.
#[kernel]
pub unsafe fn end_outside(free: View<u32>, items: Items, outside: ViewMut<u32>) {
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
        for round in 0..2000 {
            let free = match round {
                0 => u32::MAX,
                1 => 0,
                _ if round % 2 == 0 => draw() | draw(),
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
