//! Positions and normals of the vertices.

use super::{
    edges::stride,
    interpolate::{IndexToWorld, crossing, gradient},
};
use crate::{grid::Grid, rows::Items, sample::Sample};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Writes the positions of the vertices: stages 5 and 6 of the document.
///
/// A thread takes single vertices. It reads the slot of the vertex's edge and the samples at both ends, and writes three
/// coordinates. Nothing is shared in the block.
///
/// # Safety
/// `samples` holds `grid.samples()` elements; `active_edges` holds `items.count` slots of edges of `grid` that exist, one
/// for each vertex; `positions` holds three elements for each.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn emit_vertices<T: Sample>(
    samples: View<T>,
    grid: Grid,
    items: Items,
    iso: f32,
    to_world: IndexToWorld,
    active_edges: View<u64>,
    positions: ViewMut<f32>,
) {
    items.for_each(|vertex| {
        let edge = Edge::read(samples, grid, active_edges.read(vertex));
        let t = crossing(edge.here, edge.there, iso);
        let [x, y, z] = edge.low.map(f64::from);
        let [dx, dy, dz] = unit(edge.axis);
        let position = to_world.position([x + dx * t, y + dy * t, z + dz * t]);
        positions.write(vertex * 3, position[0]);
        positions.write(vertex * 3 + 1, position[1]);
        positions.write(vertex * 3 + 2, position[2]);
    });
}

/// Writes the unit normals of the vertices: stage 8 of the document.
///
/// A thread takes single vertices. It reads the slot of the vertex's edge and up to fourteen samples (the gradients at both
/// ends), and writes three components. The gradient is interpolated to the vertex, taken to world space by
/// `gradient_to_world` (the transpose of the inverse of the volume's linear part, row by row) and multiplied by `outward`:
/// −1 where inside is above, 1 where it is below. Where it vanishes or is not finite, the normal is the edge's direction,
/// outward. Nothing is shared in the block.
///
/// # Safety
/// As for [`emit_vertices`]; `normals` holds three elements for each vertex.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn emit_normals<T: Sample>(
    samples: View<T>,
    grid: Grid,
    items: Items,
    iso: f32,
    gradient_to_world: [f32; 9],
    outward: f32,
    active_edges: View<u64>,
    normals: ViewMut<f32>,
) {
    items.for_each(|vertex| {
        let edge = Edge::read(samples, grid, active_edges.read(vertex));
        let t = crossing(edge.here, edge.there, iso) as f32;
        let [x, y, z] = edge.low;
        let along = unit(edge.axis).map(|step| step as f32);
        let [dx, dy, dz] = along.map(|step| step as u32);
        let low = gradient(samples, grid, [x, y, z]);
        let high = gradient(samples, grid, [x + dx, y + dy, z + dz]);
        let blend = |k: usize| (1.0 - t) * low[k] + t * high[k];
        let gradient = [blend(0), blend(1), blend(2)];
        let normal = unit_vector(gradient_to_world, gradient, outward).unwrap_or_else(|| {
            let rising = if edge.there > edge.here {
                outward
            } else {
                -outward
            };
            unit_vector(gradient_to_world, along, rising).unwrap_or(along)
        });
        normals.write(vertex * 3, normal[0]);
        normals.write(vertex * 3 + 1, normal[1]);
        normals.write(vertex * 3 + 2, normal[2]);
    });
}

/// An edge of the grid with the samples at its ends.
struct Edge {
    axis: u32,
    low: [u32; 3],
    here: f32,
    there: f32,
}

impl Edge {
    #[inline(always)]
    fn read<T: Sample>(samples: View<T>, grid: Grid, slot: u64) -> Self {
        let (axis, low) = grid.edge_at(slot);
        let at = grid.sample(low[0], low[1], low[2]);
        Self {
            axis,
            low,
            here: samples.read(at).value(),
            there: samples.read(at + stride(grid, axis)).value(),
        }
    }
}

/// The unit vector along an axis.
#[inline(always)]
fn unit(axis: u32) -> [f64; 3] {
    [
        (axis == 0) as u32 as f64,
        (axis == 1) as u32 as f64,
        (axis == 2) as u32 as f64,
    ]
}

/// `matrix · vector · sign` at unit length, if it has a direction.
#[inline(always)]
fn unit_vector(matrix: [f32; 9], vector: [f32; 3], sign: f32) -> Option<[f32; 3]> {
    let [x, y, z] = vector;
    let row = |r: usize| (matrix[r] * x + matrix[r + 1] * y + matrix[r + 2] * z) * sign;
    let world = [row(0), row(3), row(6)];
    // scaled by the largest component, so that no square over- or underflows
    let largest = max(world[0].abs(), max(world[1].abs(), world[2].abs()));
    let finite = world[0].is_finite() && world[1].is_finite() && world[2].is_finite();
    if !finite || largest < f32::MIN_POSITIVE {
        return None;
    }
    let [x, y, z] = world.map(|component| component / largest);
    let length = GpuFloat::sqrt(x * x + y * y + z * z);
    Some([x / length, y / length, z / length])
}

#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}
