//! Windowed sinc smoothing (Taubin, Zhang and Golub 1996): a polynomial of the mesh Laplacian,
//! evaluated by its Chebyshev recurrence.
//!
//! With `K x = x - mean(neighbours of x)`, the terms are `x₁ = x₀ - K x₀ / 2` and
//! `xₙ₊₁ = 2 xₙ - K xₙ - xₙ₋₁`. The kernels store each term as a displacement from the
//! vertex, `dₙ = xₙ - x₀`: it is at most some voxels long, regardless of the position in world
//! space, so that little precision is lost in `f32`. Then
//! `d₁ = (mean(x₀ of the neighbours) - x₀) / 2` and
//! `dₙ₊₁ = dₙ + mean(dₙ of the neighbours) - dₙ₋₁ + 2 d₁`. A vertex without neighbours is fixed.

use crate::{rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Returns the mean difference of the neighbours' values from `own`, and 0 without neighbours;
/// summed in list order.
#[cuda_std::inline_closures]
#[inline(always)]
fn mean_difference<I: Count>(
    values: View<f32>,
    own: [f32; 3],
    start: u64,
    len: u64,
    lists: View<I>,
) -> [f64; 3] {
    let own = own.map(|x| x as f64);
    let mut sum = [0.0f64; 3];
    let mut at = start as usize;
    let end = at + len as usize;
    while at < end {
        let neighbour = read3(values, lists.read(at).widen() as usize);
        sum[0] += neighbour[0] as f64 - own[0];
        sum[1] += neighbour[1] as f64 - own[1];
        sum[2] += neighbour[2] as f64 - own[2];
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

/// Computes the first Chebyshev term: writes `d₁` of each vertex, and `d₁` times `coefficient` to
/// `sum`.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per vertex: its neighbour
/// list, and three coordinates per neighbour, read; six numbers written.
///
/// # Safety
/// `positions`, `first` and `sum` hold three elements per item; `starts`, `lengths` and `lists` are
/// the output of [`select_smoothing_neighbours`](super::neighbours::select_smoothing_neighbours).
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn smooth_first_term<I: Count>(
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
        let own = read3(positions, vertex);
        let (start, len) = (starts.read(vertex), lengths.read(vertex));
        let mean = mean_difference(positions, own, start, len, lists);
        let mut axis = 0;
        while axis < 3 {
            let at = vertex * 3 + axis;
            let displacement = 0.5 * mean[axis];
            first.write(at, displacement as f32);
            sum.write(at, (coefficient * displacement) as f32);
            axis += 1;
        }
    });
}

/// Computes a further Chebyshev term: from `dₙ` in `current`, `dₙ₋₁` in `previous` and `d₁` in
/// `first`, writes `dₙ₊₁` to `previous`, and adds it, times `coefficient`, to `sum`.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per vertex: its neighbour
/// list, three components per neighbour, and 12 of its own read; six numbers written.
///
/// # Safety
/// As for [`smooth_first_term`], for each of the four arrays.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn smooth_next_term<I: Count>(
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
        let own = read3(current, vertex);
        let (start, len) = (starts.read(vertex), lengths.read(vertex));
        let mean = mean_difference(current, own, start, len, lists);
        let mut axis = 0;
        while axis < 3 {
            let at = vertex * 3 + axis;
            // mean(dₙ of the neighbours) = mean difference + dₙ, hence the factor 2
            let twice = 2.0 * (own[axis] as f64 + first.read(at) as f64);
            let next = twice + mean[axis] - previous.read(at) as f64;
            previous.write(at, next as f32);
            sum.write(at, (sum.read(at) as f64 + coefficient * next) as f32);
            axis += 1;
        }
    });
}

/// Adds its displacement to each coordinate.
///
/// **Mapping:** one coordinate per thread; no shared memory. **Traffic** per coordinate: two reads,
/// one write.
///
/// # Safety
/// Both arrays hold one element per item.
#[kernel(baseline)]
pub unsafe fn add_displacements(items: Items, sum: View<f32>, positions: ViewMut<f32>) {
    items.for_each(|at| {
        let moved = positions.read(at) as f64 + sum.read(at) as f64;
        positions.write(at, moved as f32);
    });
}
