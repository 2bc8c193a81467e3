//! Squared distances to the nearest voxel outside, and prices.

use super::steps::Solid;
use crate::{
    arith::div_rem,
    distance::sites::BitRows,
    rows::{Items, Rows},
    skeleton::field::Ranks,
};
use cuda_std::{View, ViewMut, kernel};

/// Writes for each voxel of an object the squared distance to the nearest that is not of it in its
/// row; 0 for others.
///
/// A thread takes single samples of the grid: it reads the words of its run, and writes a number.
/// Nothing is shared in the block.
///
/// # Safety
/// `words` hold `bits.words()` elements, of an object that has no voxel at the border of the grid;
/// `squares` hold one for each sample of the grid, which `rows` count.
#[kernel]
pub unsafe fn squares_along_x(
    words: View<u32>,
    bits: BitRows,
    weight: f64,
    rows: Rows,
    squares: ViewMut<f64>,
) {
    let solid = Solid { words, bits };
    rows.for_each(|at| {
        let mut square = 0.0;
        if solid.has(at) {
            let (ahead, back) = (solid.ahead_along_x(at), solid.back_along_x(at));
            let steps = if ahead < back { ahead } else { back } as f64;
            square = weight * steps * steps;
        }
        squares.write(bits.grid.sample(at[0], at[1], at[2]), square);
    });
}

/// Writes for each voxel of an object the least of the squares of its line along y or z, each plus
/// the squared distance to it; 0 for others.
///
/// A thread takes single samples of the grid: it reads two numbers for each step until no farther
/// one can be less, and writes one. Nothing is shared in the block.
///
/// # Safety
/// `from` and `to` hold an element for each sample of the grid, which `items` counts: `from` what
/// `squares_along_x` or this kernel leaves for another axis; `line` is from a sample to the next
/// along the axis.
#[kernel]
pub unsafe fn squares_along(
    from: View<f64>,
    line: u64,
    weight: f64,
    items: Items,
    to: ViewMut<f64>,
) {
    items.for_each(|at| to.write(at, least_along(from, at, line as usize, weight)));
}

/// The least of a line's squares, each plus the squared distance to it. Lines end where the object
/// ends, with a square of 0.
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

/// Lines of samples along an axis.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Columns {
    /// From a sample to the next along the axis.
    pub step: u64,
    /// Samples of a line.
    pub len: u64,
    /// So many lines begin at samples that follow each other.
    pub beside: u64,
    /// From the first of these to the first of the next so many.
    pub next: u64,
    /// The squared spacing along the axis.
    pub weight: f64,
}

/// Adds to each voxel's sum the price of its steps out of the object along a line, back and ahead.
///
/// A thread goes through single lines, and back again: it reads a number of each sample twice and
/// writes three, neighbouring threads those of neighbouring samples. Nothing is shared in the
/// block.
///
/// # Safety
/// `squares`, `steps` and `sums` hold an element for each sample of the columns, whose lines
/// `items` count; the squares are 0 outside of the object and there only.
#[kernel]
pub unsafe fn price_columns(
    squares: View<f64>,
    columns: Columns,
    items: Items,
    steps: ViewMut<f32>,
    sums: ViewMut<f64>,
) {
    items.for_each(|line| {
        let (group, beside) = div_rem(line as u64, columns.beside);
        let start = group * columns.next + beside;
        let mut count = 0;
        let mut place = 0;
        while place < columns.len {
            let at = (start + place * columns.step) as usize;
            count = if squares.read(at) > 0.0 { count + 1 } else { 0 };
            // lines are shorter than 2^24
            steps.write(at, count as f32);
            place += 1;
        }
        count = 0;
        while place > 0 {
            place -= 1;
            let at = (start + place * columns.step) as usize;
            let back = steps.read(at) as u32;
            count = if back > 0 { count + 1 } else { 0 };
            if back > 0 {
                let sum = sums.read(at) + price_of(back, columns.weight);
                sums.write(at, sum + price_of(count, columns.weight));
            }
        }
    });
}

/// Writes to each voxel's sum the price of its steps out of the object along x, back and ahead.
///
/// A thread takes single samples of the grid: it reads the words of its run, and writes a number
/// for a voxel. Nothing is shared in the block.
///
/// # Safety
/// `words` hold `bits.words()` elements, of an object that has no voxel at the border of the grid;
/// `sums` hold one for each sample of the grid, which `rows` count.
#[kernel]
pub unsafe fn price_rows(
    words: View<u32>,
    bits: BitRows,
    weight: f64,
    rows: Rows,
    sums: ViewMut<f64>,
) {
    let solid = Solid { words, bits };
    rows.for_each(|at| {
        if solid.has(at) {
            let back = price_of(solid.back_along_x(at), weight);
            let sum = back + price_of(solid.ahead_along_x(at), weight);
            sums.write(bits.grid.sample(at[0], at[1], at[2]), sum);
        }
    });
}

/// Lists the squared distances and the prices of voxels in their order, and writes the price of
/// each sample of the grid: the fourth power of the reciprocal distance to the nearest sample
/// outside and of those along the axes in both directions, infinite outside of the object. Writes
/// infinity as each sample's cost.
///
/// A thread takes single samples of the grid: it reads two numbers and writes up to four. Nothing
/// is shared in the block.
///
/// # Safety
/// `words` hold `bits.words()` elements, of an object in the grid, `before` how many of its voxels
/// come before each; `sums` and `costs` hold an element for each sample of the grid, which `rows`
/// count: prices along the axes, and squared distances; `prices` as many, `squares` and
/// `prices_of_voxels` one for each voxel.
#[kernel]
pub unsafe fn price_samples(
    words: View<u32>,
    before: View<u64>,
    bits: BitRows,
    sums: View<f64>,
    rows: Rows,
    squares: ViewMut<f64>,
    prices_of_voxels: ViewMut<f32>,
    prices: ViewMut<f32>,
    costs: ViewMut<f64>,
) {
    let ranks = Ranks {
        words,
        before,
        bits,
    };
    rows.for_each(|[x, y, z]| {
        let at = bits.grid.sample(x, y, z);
        let mut price = f32::INFINITY;
        if let Some(number) = ranks.of([x, y, z]) {
            let square = costs.read(at);
            squares.write(number as usize, square);
            price = (1.0 / (square * square) + sums.read(at)) as f32;
            prices_of_voxels.write(number as usize, price);
        }
        prices.write(at, price);
        costs.write(at, f64::INFINITY);
    });
}
