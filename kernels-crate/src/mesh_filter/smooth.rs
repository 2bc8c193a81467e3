//! Windowed sinc smoothing (Taubin, Zhang and Golub 1996): a polynomial of the mesh's Laplacian, by
//! its Chebyshev terms.
//!
//! With `K x = x - mean of the neighbours' x` the terms are `x₁ = x₀ - K x₀ / 2` and
//! `xₙ₊₁ = 2 xₙ - K xₙ - xₙ₋₁`. What is kept is how far a term is from the vertex, `dₙ = xₙ - x₀`:
//! that is some voxels at most, wherever in the world the mesh is, so that little is lost in `f32`.
//! Then `d₁ = (mean of the neighbours' x₀ - x₀) / 2` and
//! `dₙ₊₁ = dₙ + mean of the neighbours' dₙ - dₙ₋₁ + 2 d₁`. A vertex without neighbours stays where
//! it is.

use crate::{rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// The mean over a vertex's neighbours of how far their values are from `here`, and 0 without
/// neighbours; sums in the order of the list.
#[inline(always)]
fn mean_difference<I: Count>(
    values: View<f32>,
    here: [f32; 3],
    start: u64,
    len: u64,
    lists: View<I>,
) -> [f64; 3] {
    let here = here.map(|x| x as f64);
    let mut sum = [0.0f64; 3];
    let mut at = start as usize;
    let end = at + len as usize;
    while at < end {
        let there = read3(values, lists.read(at).widen() as usize);
        sum[0] += there[0] as f64 - here[0];
        sum[1] += there[1] as f64 - here[1];
        sum[2] += there[2] as f64 - here[2];
        at += 1;
    }
    let count = if len == 0 { 1.0 } else { len as f64 };
    [sum[0] / count, sum[1] / count, sum[2] / count]
}

#[inline(always)]
pub(super) fn read3(values: View<f32>, vertex: usize) -> [f32; 3] {
    let at = vertex * 3;
    [values.read(at), values.read(at + 1), values.read(at + 2)]
}

/// The first term: writes for each vertex `d₁`, and `d₁` times `coefficient` to `sum`.
///
/// A thread takes single vertices: it reads the vertex's list, three coordinates for each
/// neighbour, and writes six numbers. Nothing is shared in the block.
///
/// # Safety
/// `positions`, `first` and `sum` hold three elements for each item; `starts`, `lengths` and
/// `lists` are what [`unite_neighbours`](super::neighbours::unite_neighbours) made.
#[kernel(I = [u32, u64])]
pub unsafe fn smooth_first<I: Count>(
    items: Items,
    starts: View<u64>,
    lengths: View<u64>,
    lists: View<I>,
    positions: View<f32>,
    coefficient: f64,
    first: ViewMut<f32>,
    sum: ViewMut<f32>,
) {
    items.for_each(|vertex| {
        let here = read3(positions, vertex);
        let (start, len) = (starts.read(vertex), lengths.read(vertex));
        let mean = mean_difference(positions, here, start, len, lists);
        let mut axis = 0;
        while axis < 3 {
            let at = vertex * 3 + axis;
            let way = 0.5 * mean[axis];
            first.write(at, way as f32);
            sum.write(at, (coefficient * way) as f32);
            axis += 1;
        }
    });
}

/// A further term: of `dₙ` in `current`, `dₙ₋₁` in `previous` and `d₁` in `first` writes `dₙ₊₁` to
/// `previous`, and adds it, times `coefficient`, to `sum`.
///
/// A thread takes single vertices: it reads the vertex's list, three numbers for each neighbour,
/// and 12 of its own, of which it writes six. Nothing is shared in the block.
///
/// # Safety
/// As [`smooth_first`], for each of the four arrays.
#[kernel(I = [u32, u64])]
pub unsafe fn smooth_next<I: Count>(
    items: Items,
    starts: View<u64>,
    lengths: View<u64>,
    lists: View<I>,
    first: View<f32>,
    current: View<f32>,
    coefficient: f64,
    previous: ViewMut<f32>,
    sum: ViewMut<f32>,
) {
    items.for_each(|vertex| {
        let here = read3(current, vertex);
        let (start, len) = (starts.read(vertex), lengths.read(vertex));
        let mean = mean_difference(current, here, start, len, lists);
        let mut axis = 0;
        while axis < 3 {
            let at = vertex * 3 + axis;
            // the mean of differences and `dₙ` is the neighbours' mean: dₙ twice
            let twice = 2.0 * (here[axis] as f64 + first.read(at) as f64);
            let next = twice + mean[axis] - previous.read(at) as f64;
            previous.write(at, next as f32);
            sum.write(at, (sum.read(at) as f64 + coefficient * next) as f32);
            axis += 1;
        }
    });
}

/// Adds to each coordinate how far it moves.
///
/// A thread takes single coordinates: it reads two numbers and writes one. Nothing is shared in the
/// block.
///
/// # Safety
/// Both arrays hold an element for each item.
#[kernel]
pub unsafe fn move_vertices(items: Items, sum: View<f32>, positions: ViewMut<f32>) {
    items.for_each(|at| {
        let moved = positions.read(at) as f64 + sum.read(at) as f64;
        positions.write(at, moved as f32);
    });
}
