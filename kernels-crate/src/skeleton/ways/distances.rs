//! Squared distances to the nearest voxel outside, and prices.

use super::steps::Solid;
use crate::{distance::sites::BitRows, rows::Rows, skeleton::field::Ranks};
use cuda_std::{View, ViewMut, kernel};

/// Writes for each voxel of an object the squared distance to the nearest that is not of it in its row; 0 for others.
///
/// A thread takes single samples of the grid: it reads the words of its run, and writes a number. Nothing is shared in the block.
///
/// # Safety
/// `words` hold `bits.words()` elements, of an object that has no voxel at the border of the grid; `squares` hold one for each sample of the grid, which
/// `rows` count.
#[kernel]
pub unsafe fn squares_along_x(
    words: View<u32>,
    bits: BitRows,
    weight: f64,
    rows: Rows,
    squares: ViewMut<f64>,
) {
    let solid = Solid { words, bits };
    rows.for_each_run(|run| {
        let mut x = run.start;
        while x < run.end {
            let at = [x, run.y, run.z];
            let mut square = 0.0;
            if solid.has(at) {
                let (ahead, back) = (solid.ahead_along_x(at), solid.back_along_x(at));
                let steps = if ahead < back { ahead } else { back } as f64;
                square = weight * steps * steps;
            }
            squares.write(bits.grid.sample(x, run.y, run.z), square);
            x += 1;
        }
    });
}

/// Writes for each voxel of an object the least of the squares of its line along y, each plus the squared distance to it; 0 for others.
///
/// A thread takes single samples of the grid: it reads two numbers for each step until no farther one can be less, and writes one. Nothing is shared in the
/// block.
///
/// # Safety
/// `from` and `to` hold an element for each sample of the grid of `bits`, which `rows` count: `from` what `squares_along_x` leaves.
#[kernel]
pub unsafe fn squares_along_y(
    from: View<f64>,
    bits: BitRows,
    weight: f64,
    rows: Rows,
    to: ViewMut<f64>,
) {
    let line = bits.grid.nx as usize;
    rows.for_each_run(|run| {
        let mut x = run.start;
        while x < run.end {
            let at = bits.grid.sample(x, run.y, run.z);
            to.write(at, least_along(from, at, line, weight));
            x += 1;
        }
    });
}

/// The least of a line's squares, each plus the squared distance to it. Lines end where the object ends, with a square of 0.
#[inline(always)]
fn least_along(from: View<f64>, at: usize, line: usize, weight: f64) -> f64 {
    let mut best = from.read(at);
    let mut steps = 1;
    let (mut goes_on, mut goes_back) = (true, true);
    while goes_on || goes_back {
        let far = weight * steps as f64 * steps as f64;
        if far >= best {
            break;
        }
        if goes_on {
            let there = from.read(at + steps * line);
            goes_on = there > 0.0;
            best = if there + far < best {
                there + far
            } else {
                best
            };
        }
        if goes_back {
            let there = from.read(at - steps * line);
            goes_back = there > 0.0;
            best = if there + far < best {
                there + far
            } else {
                best
            };
        }
        steps += 1;
    }
    best
}

/// The price of so many steps along an axis whose squared spacing is `weight`.
#[inline(always)]
fn price_of(steps: u32, weight: f64) -> f64 {
    let square = steps as f64 * steps as f64 * weight;
    1.0 / (square * square)
}

/// Writes the squared distance of each voxel of an object to the nearest that is not of it, and the price of each sample of the grid: the fourth power of the reciprocal
/// distance and of those along the axes in both directions, infinite outside of the object. Writes infinity as each sample's cost.
///
/// A thread takes single samples of the grid: it reads two numbers for each step along z until no farther one can be less, and a word for each step
/// out of the object along y and z; it writes up to three numbers. Nothing is shared in the block.
///
/// # Safety
/// `words` hold `bits.words()` elements, of an object that has no voxel at the border of the grid, `before` how many of its voxels come before each; `from` what
/// `squares_along_y` leaves; `squares` an element for each voxel, `prices` and `costs` one for each sample of the grid, which `rows` count. `weights` are the squared spacings.
#[kernel]
pub unsafe fn price_samples(
    words: View<u32>,
    before: View<u64>,
    from: View<f64>,
    bits: BitRows,
    weights: [f64; 3],
    rows: Rows,
    squares: ViewMut<f64>,
    prices: ViewMut<f32>,
    costs: ViewMut<f64>,
) {
    let solid = Solid { words, bits };
    let ranks = Ranks {
        words,
        before,
        bits,
    };
    let plane = bits.grid.nx as usize * bits.grid.ny as usize;
    rows.for_each_run(|run| {
        let mut x = run.start;
        while x < run.end {
            let voxel = [x, run.y, run.z];
            let at = bits.grid.sample(x, run.y, run.z);
            let mut price = f32::INFINITY;
            if let Some(number) = ranks.of(voxel) {
                let square = least_along(from, at, plane, weights[2]);
                squares.write(number as usize, square);
                let mut sum = 1.0 / (square * square);
                sum += price_of(solid.back_along_x(voxel), weights[0]);
                sum += price_of(solid.ahead_along_x(voxel), weights[0]);
                let row = bits.per_row as u64;
                sum += price_of(solid.across_rows(voxel, row, false), weights[1]);
                sum += price_of(solid.across_rows(voxel, row, true), weights[1]);
                let plane = bits.per_plane();
                sum += price_of(solid.across_rows(voxel, plane, false), weights[2]);
                sum += price_of(solid.across_rows(voxel, plane, true), weights[2]);
                price = sum as f32;
            }
            prices.write(at, price);
            costs.write(at, f64::INFINITY);
            x += 1;
        }
    });
}
