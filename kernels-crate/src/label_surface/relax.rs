//! Relaxation of vertices within their cells.

use crate::{rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Minimum distance of a vertex from the boundary of its cell, in voxels.
pub const MARGIN: f32 = 0.02;

/// Maximum distance along each axis of a vertex from its start, in a cell with several vertices, in
/// voxels. Vertices of one label in one cell start at least 0.25 apart along an axis, and stay
/// apart.
pub const MAX_SHIFT: f32 = 0.1;

/// Returns a coordinate limited to the cell and, if `is_bound`, to the surroundings of its start.
#[inline(always)]
pub(super) fn limit(coordinate: f32, start: f32, is_bound: bool) -> f32 {
    let (mut low, mut high) = (MARGIN, 1.0 - MARGIN);
    if is_bound {
        low = larger(low, start - MAX_SHIFT);
        high = smaller(high, start + MAX_SHIFT);
    }
    smaller(larger(coordinate, low), high)
}

#[inline(always)]
fn larger(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

#[inline(always)]
fn smaller(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

/// Moves each vertex by `factor` towards the mean of its neighbours, within its limits: one step of
/// Taubin's filter (1995), whose steps alternate between a positive and a negative factor.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per vertex: its list of
/// neighbours, three coordinates for each, and eight numbers of its own read; three coordinates
/// written.
///
/// # Safety
/// `starts`, `counts` and `neighbours` are those of
/// [`list_relaxation_neighbours`](super::list_relaxation_neighbours); `bound` has one element per
/// item, 1 for vertices that share their cell; `origins` (the starts of the vertices), `from` and
/// `to` have three.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn relax_label_vertices<I: Count>(
    items: Items,
    starts: View<u64>,
    counts: View<u8>,
    neighbours: View<I>,
    bound: View<u8>,
    origins: View<f32>,
    from: View<f32>,
    factor: f32,
    to: ViewMut<f32>,
) {
    items.for_each(|vertex| {
        let first = starts.read(vertex) as usize;
        let count = counts.read(vertex) as usize;
        let own = [
            from.read(vertex * 3),
            from.read(vertex * 3 + 1),
            from.read(vertex * 3 + 2),
        ];
        let mut sum = [0.0_f32; 3];
        let mut at = 0;
        while at < count {
            let entry = neighbours.read(first + at).widen();
            let (neighbour, direction) = ((entry / 8) as usize * 3, entry as u32 & 7);
            let step = if direction & 1 == 1 { 1.0 } else { -1.0 };
            let mut axis = 0;
            while axis < 3 {
                let offset = if direction >> 1 == axis as u32 {
                    step
                } else {
                    0.0
                };
                sum[axis] += from.read(neighbour + axis) + offset - own[axis];
                axis += 1;
            }
            at += 1;
        }
        let scale = if count == 0 {
            0.0
        } else {
            factor / count as f32
        };
        let is_bound = bound.read(vertex) != 0;
        let mut axis = 0;
        while axis < 3 {
            let origin = origins.read(vertex * 3 + axis);
            let moved = limit(own[axis] + scale * sum[axis], origin, is_bound);
            to.write(vertex * 3 + axis, moved);
            axis += 1;
        }
    });
}
