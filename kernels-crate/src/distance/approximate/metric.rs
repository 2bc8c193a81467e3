//! City-block and chessboard distances, computed axis by axis. Each is exact in its own metric up
//! to one rounding per axis.

use super::super::sites::BitRows;
use crate::{
    arith::div_rem,
    grid::{Grid, Y},
    rows::{Items, Rows},
};
use cuda_std::{View, ViewMut, kernel};

/// Returns the length of `steps` steps of `spacing`, rounded once.
#[inline(always)]
fn length(spacing: f64, steps: u32) -> f32 {
    (spacing * steps as f64) as f32
}

/// Computes the distance of each voxel to the nearest site of its row, at most `max_distance`.
///
/// **Mapping:** one voxel per thread, neighbouring threads on neighbouring voxels. **Global
/// memory:** reads words in both directions until a site is found, and writes one distance. Shared
/// memory is not used.
///
/// # Safety
/// `rows` are the rows of `bits.grid`; `sites` holds `bits.words()` elements, `distances` holds
/// `bits.grid.samples()`.
#[kernel]
pub unsafe fn measure_rows(
    sites: View<u32>,
    bits: BitRows,
    rows: Rows,
    spacing: f64,
    max_distance: f32,
    distances: ViewMut<f32>,
) {
    rows.for_each_run(|run| {
        let row = bits.word_index(0, run.y, run.z);
        let first = bits.grid.sample(0, run.y, run.z);
        let mut x = run.start;
        while x < run.end {
            let current = x >> 5;
            let mut nearest = u32::MAX;
            // First the sites at or before x, then those at or after x.
            let mut word = current;
            let mut mask = u32::MAX >> (31 - (x & 31));
            loop {
                let found = sites.read(row + word as usize) & mask;
                if found != 0 {
                    nearest = x - (word * 32 + 31 - found.leading_zeros());
                }
                if found != 0 || word == 0 {
                    break;
                }
                word -= 1;
                mask = u32::MAX;
            }
            word = current;
            mask = u32::MAX << (x & 31);
            loop {
                let found = sites.read(row + word as usize) & mask;
                if found != 0 {
                    let steps = word * 32 + found.trailing_zeros() - x;
                    nearest = if steps < nearest { steps } else { nearest };
                }
                word += 1;
                if found != 0 || word == bits.per_row {
                    break;
                }
                mask = u32::MAX;
            }
            let mut distance = max_distance;
            if nearest != u32::MAX {
                distance = distance.min(length(spacing, nearest));
            }
            distances.write(first + x as usize, distance);
            x += 1;
        }
    });
}

/// Returns the first index, the stride and the length of a scanline along y or z.
#[inline(always)]
fn scanline(grid: Grid, axis: u32, scanline: usize) -> (usize, usize, u32) {
    let plane = grid.nx as usize * grid.ny as usize;
    if axis == Y {
        let (z, x) = div_rem(scanline as u64, grid.nx as u64);
        (z as usize * plane + x as usize, grid.nx as usize, grid.ny)
    } else {
        (scanline, plane, grid.nz)
    }
}

/// Replaces each distance by the minimum over its scanline along `axis` (y or z) of a distance plus
/// the length of the steps to it.
///
/// **Mapping:** one scanline per thread, neighbouring threads on neighbouring scanlines; one
/// forward and one backward sweep. **Global memory:** reads each distance twice and writes those
/// that change. Shared memory is not used.
///
/// # Safety
/// `distances` holds `grid.samples()` elements; `items` counts the scanlines along `axis`.
#[kernel]
pub unsafe fn spread_city_block(
    grid: Grid,
    axis: u32,
    items: Items,
    spacing: f64,
    distances: ViewMut<f32>,
) {
    items.for_each(|number| {
        let (first, step, count) = scanline(grid, axis, number);
        let mut direction = 0;
        while direction < 2 {
            // The propagated distance and the steps since then are kept apart, so that nothing is
            // rounded twice.
            let (mut from, mut steps) = (f32::INFINITY, 0);
            let mut i = 0;
            while i < count {
                let position = if direction == 0 { i } else { count - 1 - i };
                let at = first + position as usize * step;
                let current = distances.read(at);
                let candidate = (from as f64 + spacing * steps as f64) as f32;
                if candidate < current {
                    distances.write(at, candidate);
                } else {
                    (from, steps) = (current, 0);
                }
                steps += 1;
                i += 1;
            }
            direction += 1;
        }
    });
}

/// Computes, for each voxel, the minimum over its scanline along `axis` (y or z) of the larger of a
/// distance and the length of the steps to it.
///
/// **Mapping:** one voxel per thread, neighbouring threads on neighbouring voxels. **Global
/// memory:** reads in both directions while a smaller value is possible, and writes one value.
/// Shared memory is not used.
///
/// # Safety
/// `rows` are the rows of `grid`; `from` and `to` hold `grid.samples()` elements.
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
        let position = if axis == Y { run.y } else { run.z };
        let (before, after) = (position, count - 1 - position);
        let max_steps = if before > after { before } else { after };
        let first = grid.sample(0, run.y, run.z);
        let mut x = run.start;
        while x < run.end {
            let at = first + x as usize;
            let mut smallest = from.read(at);
            let mut steps = 1;
            while steps <= max_steps {
                let length = length(spacing, steps);
                if length >= smallest {
                    break;
                }
                let mut neighbour = f32::INFINITY;
                if steps <= before {
                    neighbour = from.read(at - steps as usize * step);
                }
                if steps <= after {
                    neighbour = neighbour.min(from.read(at + steps as usize * step));
                }
                smallest = smallest.min(neighbour.max(length));
                steps += 1;
            }
            to.write(at, smallest);
            x += 1;
        }
    });
}
