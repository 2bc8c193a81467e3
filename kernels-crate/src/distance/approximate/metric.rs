//! Distances along the axes, summed up or the largest of them. Each is exact in its own measure,
//! but for one rounding for each axis.

use super::super::sites::BitRows;
use crate::{
    arith::div_rem,
    grid::{Grid, Y},
    rows::{Items, Rows},
};
use cuda_std::{View, ViewMut, kernel};

/// Steps of `spacing` each, rounded once.
#[inline(always)]
fn length(spacing: f64, steps: u32) -> f32 {
    (spacing * steps as f64) as f32
}

/// The distance of each voxel to the nearest site of its row, at most `bound`.
///
/// A thread takes single voxels, neighbouring threads neighbouring ones: it reads words to both
/// sides until it finds a site, and writes one distance. Nothing is shared in the block.
///
/// # Safety
/// `rows` are those of `bits.grid`; `sites` holds `bits.words()` elements, `distances`
/// `bits.grid.samples()`.
#[kernel]
pub unsafe fn measure_rows(
    sites: View<u32>,
    bits: BitRows,
    rows: Rows,
    spacing: f64,
    bound: f32,
    distances: ViewMut<f32>,
) {
    rows.for_each_run(|run| {
        let row = bits.word_of(0, run.y, run.z);
        let first = bits.grid.sample(0, run.y, run.z);
        let mut x = run.start;
        while x < run.end {
            let own = x >> 5;
            let mut nearest = u32::MAX;
            // sites at x and before it, then those at x and after it
            let mut word = own;
            let mut kept = u32::MAX >> (31 - (x & 31));
            loop {
                let found = sites.read(row + word as usize) & kept;
                if found != 0 {
                    nearest = x - (word * 32 + 31 - found.leading_zeros());
                }
                if found != 0 || word == 0 {
                    break;
                }
                word -= 1;
                kept = u32::MAX;
            }
            word = own;
            kept = u32::MAX << (x & 31);
            loop {
                let found = sites.read(row + word as usize) & kept;
                if found != 0 {
                    let steps = word * 32 + found.trailing_zeros() - x;
                    nearest = if steps < nearest { steps } else { nearest };
                }
                word += 1;
                if found != 0 || word == bits.per_row {
                    break;
                }
                kept = u32::MAX;
            }
            let mut distance = bound;
            if nearest != u32::MAX {
                distance = distance.min(length(spacing, nearest));
            }
            distances.write(first + x as usize, distance);
            x += 1;
        }
    });
}

/// Lines along y or z.
#[inline(always)]
fn line(grid: Grid, axis: u32, line: usize) -> (usize, usize, u32) {
    let plane = grid.nx as usize * grid.ny as usize;
    if axis == Y {
        let (z, x) = div_rem(line as u64, grid.nx as u64);
        (z as usize * plane + x as usize, grid.nx as usize, grid.ny)
    } else {
        (line, plane, grid.nz)
    }
}

/// Replaces each distance by the least sum of another of its line along `axis`, y or z, and the
/// length of the steps to it.
///
/// A thread takes whole lines, neighbouring threads neighbouring ones: it goes along the line and
/// back, reads each distance twice, and writes those that change. Nothing is shared in the block.
///
/// # Safety
/// `distances` hold `grid.samples()` elements, `items` counts the lines: all voxels by those of a
/// line.
#[kernel]
pub unsafe fn spread_city_block(
    grid: Grid,
    axis: u32,
    items: Items,
    spacing: f64,
    distances: ViewMut<f32>,
) {
    items.for_each(|number| {
        let (first, step, count) = line(grid, axis, number);
        let mut direction = 0;
        while direction < 2 {
            // the distance that is passed on, and the steps since: so that nothing is rounded twice
            let (mut from, mut steps) = (f32::INFINITY, 0);
            let mut i = 0;
            while i < count {
                let place = if direction == 0 { i } else { count - 1 - i };
                let at = first + place as usize * step;
                let own = distances.read(at);
                let passed = (from as f64 + spacing * steps as f64) as f32;
                if passed < own {
                    distances.write(at, passed);
                } else {
                    (from, steps) = (own, 0);
                }
                steps += 1;
                i += 1;
            }
            direction += 1;
        }
    });
}

/// For each voxel the least, over its line along `axis`, y or z, of the greater of a distance there
/// and the length of the steps to it.
///
/// A thread takes single voxels, neighbouring threads neighbouring ones: it reads to both sides for
/// as long as a distance there could be less, and writes one. Nothing is shared in the block.
///
/// # Safety
/// `rows` are those of `grid`; `from` and `to` hold `grid.samples()` elements.
#[kernel]
pub unsafe fn spread_chessboard(
    from: View<f32>,
    grid: Grid,
    axis: u32,
    rows: Rows,
    spacing: f64,
    to: ViewMut<f32>,
) {
    let (step, count) = if axis == Y {
        (grid.nx as usize, grid.ny)
    } else {
        (grid.nx as usize * grid.ny as usize, grid.nz)
    };
    rows.for_each_run(|run| {
        let place = if axis == Y { run.y } else { run.z };
        let (before, after) = (place, count - 1 - place);
        let most = if before > after { before } else { after };
        let first = grid.sample(0, run.y, run.z);
        let mut x = run.start;
        while x < run.end {
            let at = first + x as usize;
            let mut least = from.read(at);
            let mut steps = 1;
            while steps <= most {
                let length = length(spacing, steps);
                if length >= least {
                    break;
                }
                let mut there = f32::INFINITY;
                if steps <= before {
                    there = from.read(at - steps as usize * step);
                }
                if steps <= after {
                    there = there.min(from.read(at + steps as usize * step));
                }
                least = least.min(there.max(length));
                steps += 1;
            }
            to.write(at, least);
            x += 1;
        }
    });
}
