//! Positions of vertices in fairing.

use super::super::frame::doubled_area;
use crate::{isosurface::interpolate::IndexToWorld, rows::Items};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Maximum distance of a vertex from its start along each axis, in voxels, if the surface around it
/// is [flat](MIN_FLAT_COSINE).
const MAX_SHIFT: f64 = 0.5;

/// Maximum distance elsewhere: less than half of the distance between opposite walls of a single
/// voxel, so that thin parts do not collapse.
const MAX_THIN_SHIFT: f64 = 0.25;

/// Minimum cosine of the angle between the normals of a vertex and of each neighbour where the
/// surface counts as flat.
const MIN_FLAT_COSINE: f64 = 0.4;

/// Returns three neighbouring numbers.
#[inline(always)]
pub(super) fn read3(values: View<f64>, index: usize) -> [f64; 3] {
    let at = index * 3;
    [values.read(at), values.read(at + 1), values.read(at + 2)]
}

/// Returns the area vector of a triangle, with the length of twice its area.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn triangle_area(
    corners: View<u32>,
    positions: View<f64>,
    triangle: usize,
) -> ([f64; 3], [f64; 3]) {
    let corner = |corner: usize| read3(positions, corners.read(triangle * 3 + corner) as usize);
    let [a, b, c] = [corner(0), corner(1), corner(2)];
    (a, doubled_area([a, b, c]))
}

/// Returns a position limited to the surroundings of its start along each axis.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn limit(position: [f64; 3], start: [f64; 3], is_thin: bool) -> [f64; 3] {
    let max_shift = if is_thin { MAX_THIN_SHIFT } else { MAX_SHIFT };
    let along = |axis: usize| {
        let (low, high) = (start[axis] - max_shift, start[axis] + max_shift);
        let raised = if position[axis] > low {
            position[axis]
        } else {
            low
        };
        if raised < high { raised } else { high }
    };
    [along(0), along(1), along(2)]
}

/// Computes the position of each vertex in voxels.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per vertex: three coordinates
/// read, three written.
///
/// # Safety
/// `vertices` and `positions` hold three elements per item.
#[kernel(baseline)]
pub unsafe fn find_grid_positions(
    items: Items,
    to_index: [f64; 9],
    origin: [f64; 3],
    vertices: View<f32>,
    positions: ViewMut<f64>,
) {
    items.for_each(|vertex| {
        let at = vertex * 3;
        let x = vertices.read(at) as f64 - origin[0];
        let y = vertices.read(at + 1) as f64 - origin[1];
        let z = vertices.read(at + 2) as f64 - origin[2];
        let m = &to_index;
        positions.write(at, m[0] * x + m[1] * y + m[2] * z);
        positions.write(at + 1, m[3] * x + m[4] * y + m[5] * z);
        positions.write(at + 2, m[6] * x + m[7] * y + m[8] * z);
    });
}

/// Computes the unit normal of each vertex, from its triangles weighted by their areas; 0 if that
/// has no direction.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per incident triangle: an
/// index, three corners and nine coordinates read; per vertex: three numbers written.
///
/// # Safety
/// `starts`, `lengths` and `lists` are those of
/// [`list_fairing_neighbours`](super::list_fairing_neighbours) for `corners`; `positions` and
/// `normals` hold three elements per item.
#[kernel(baseline)]
pub unsafe fn compute_fairing_normals(
    items: Items,
    corners: View<u32>,
    starts: View<u64>,
    lengths: View<u64>,
    lists: View<u32>,
    positions: View<f64>,
    normals: ViewMut<f64>,
) {
    items.for_each(|vertex| {
        let start = starts.read(vertex) as usize;
        let end = start + lengths.read(vertex) as usize;
        let mut sum = [0.0; 3];
        let mut at = start;
        while at < end {
            let (_, area) = triangle_area(corners, positions, lists.read(at) as usize);
            sum = [sum[0] + area[0], sum[1] + area[1], sum[2] + area[2]];
            at += 1;
        }
        let length = GpuFloat::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        normals.write(vertex * 3, sum[0] * scale);
        normals.write(vertex * 3 + 1, sum[1] * scale);
        normals.write(vertex * 3 + 2, sum[2] * scale);
    });
}

/// Marks with 1 each vertex at which the surface is not flat, with 0 each other.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per neighbour: an index and
/// three numbers read; per vertex: one byte written.
///
/// # Safety
/// `starts`, `counts` and `neighbours` are those of
/// [`list_fairing_neighbours`](super::list_fairing_neighbours); `normals` holds three elements per
/// item, `thin` one.
#[kernel(baseline)]
pub unsafe fn limit_fairing(
    items: Items,
    starts: View<u64>,
    counts: View<u32>,
    neighbours: View<u32>,
    normals: View<f64>,
    thin: ViewMut<u8>,
) {
    items.for_each(|vertex| {
        let start = starts.read(vertex) as usize;
        let end = start + counts.read(vertex) as usize;
        let own = read3(normals, vertex);
        let mut is_flat = true;
        let mut at = start;
        while at < end {
            let other = read3(normals, neighbours.read(at) as usize);
            let cosine = own[0] * other[0] + own[1] * other[1] + own[2] * other[2];
            is_flat &= cosine > MIN_FLAT_COSINE;
            at += 1;
        }
        thin.write(vertex, !is_flat as u8);
    });
}

/// Moves each vertex by `factor` towards the mean of its neighbours, within its limits: one step of
/// Taubin's filter (1995), whose steps alternate between a positive and a negative factor.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per vertex: its list of
/// neighbours, three coordinates for each, and eight numbers of its own read; three written.
///
/// # Safety
/// `starts`, `counts` and `neighbours` are those of
/// [`list_fairing_neighbours`](super::list_fairing_neighbours); `thin` holds one element per item,
/// `origins` (the starts of the vertices), `from` and `to` three.
#[kernel(baseline)]
pub unsafe fn fair_vertices(
    items: Items,
    starts: View<u64>,
    counts: View<u32>,
    neighbours: View<u32>,
    thin: View<u8>,
    origins: View<f64>,
    factor: f64,
    from: View<f64>,
    to: ViewMut<f64>,
) {
    items.for_each(|vertex| {
        let start = starts.read(vertex) as usize;
        let count = counts.read(vertex) as usize;
        let own = read3(from, vertex);
        let mut sum = [0.0; 3];
        let mut at = start;
        while at < start + count {
            let other = read3(from, neighbours.read(at) as usize);
            sum = [sum[0] + other[0], sum[1] + other[1], sum[2] + other[2]];
            at += 1;
        }
        let mut moved = own;
        if count != 0 {
            let len = count as f64;
            let towards = |axis: usize| own[axis] + factor * (sum[axis] / len - own[axis]);
            let target = [towards(0), towards(1), towards(2)];
            moved = limit(target, read3(origins, vertex), thin.read(vertex) != 0);
        }
        to.write(vertex * 3, moved[0]);
        to.write(vertex * 3 + 1, moved[1]);
        to.write(vertex * 3 + 2, moved[2]);
    });
}

/// Computes the position of each vertex in world units, or copies the original one of a reverted
/// vertex.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per vertex: four numbers read,
/// three written.
///
/// # Safety
/// `reverted` holds one element per item, `positions`, `original` and `vertices` three.
#[kernel(baseline)]
pub unsafe fn place_faired_vertices(
    items: Items,
    to_world: IndexToWorld,
    positions: View<f64>,
    reverted: View<u32>,
    original: View<f32>,
    vertices: ViewMut<f32>,
) {
    items.for_each(|vertex| {
        let at = vertex * 3;
        let placed = if reverted.read(vertex) != 0 {
            [
                original.read(at),
                original.read(at + 1),
                original.read(at + 2),
            ]
        } else {
            to_world.position(read3(positions, vertex))
        };
        vertices.write(at, placed[0]);
        vertices.write(at + 1, placed[1]);
        vertices.write(at + 2, placed[2]);
    });
}
