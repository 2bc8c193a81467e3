//! Positions and normals of the vertices.

use super::{
    edges::stride,
    interpolate::{IndexToWorld, crossing, gradient},
};
use crate::{
    grid::Grid,
    rows::Rows,
    sample::{Count, Sample},
};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Writes the positions of the vertices on edges along `axis` to their places: stages 5 and 6 of the document.
///
/// A thread takes runs of neighbouring edges. Per edge it reads the flag; for an active one its scanned flag, which is
/// the vertex's number, and its two samples; it writes three coordinates. Nothing is shared in the block.
///
/// # Safety
/// `samples` holds `grid.samples()` elements; `flags` and `offsets` hold `grid.edges()`, `offsets` being the exclusive
/// scan of `flags`; `positions` holds three elements for each flag that is set; `rows` is the extent of the edges along
/// `axis`.
#[kernel(T = [u8, i8, u16, i16, f32], I = [u32, u64])]
pub unsafe fn emit_vertices<T: Sample, I: Count>(
    samples: View<T>,
    grid: Grid,
    rows: Rows,
    axis: u32,
    iso: f32,
    to_world: IndexToWorld,
    flags: View<u8>,
    offsets: View<I>,
    positions: ViewMut<f32>,
) {
    for_each_active_edge(
        samples,
        grid,
        rows,
        axis,
        flags,
        |x, y, z, here, there, slot| {
            let t = crossing(here, there, iso);
            let [dx, dy, dz] = unit(axis);
            let position =
                to_world.position([x as f64 + dx * t, y as f64 + dy * t, z as f64 + dz * t]);
            let first = offsets.read(slot).widen() as usize * 3;
            positions.write(first, position[0]);
            positions.write(first + 1, position[1]);
            positions.write(first + 2, position[2]);
        },
    );
}

/// Writes the unit normals of the vertices on edges along `axis` to their places: stage 8 of the document.
///
/// A thread takes runs of neighbouring edges. Per active edge it reads up to fourteen samples (the gradients at both ends)
/// and writes three components. The gradient is interpolated to the vertex, taken to world space by `gradient_to_world`
/// (the transpose of the inverse of the volume's linear part, row by row) and multiplied by `outward`: −1 where inside is
/// above, 1 where it is below. Where it vanishes or is not finite, the normal is the edge's direction, outward. Nothing
/// is shared in the block.
///
/// # Safety
/// As for [`emit_vertices`]; `normals` holds three elements for each flag that is set.
#[kernel(T = [u8, i8, u16, i16, f32], I = [u32, u64])]
pub unsafe fn emit_normals<T: Sample, I: Count>(
    samples: View<T>,
    grid: Grid,
    rows: Rows,
    axis: u32,
    iso: f32,
    gradient_to_world: [f32; 9],
    outward: f32,
    flags: View<u8>,
    offsets: View<I>,
    normals: ViewMut<f32>,
) {
    for_each_active_edge(
        samples,
        grid,
        rows,
        axis,
        flags,
        |x, y, z, here, there, slot| {
            let t = crossing(here, there, iso) as f32;
            let [dx, dy, dz] = unit(axis).map(|step| step as u32);
            let low = gradient(samples, grid, [x, y, z]);
            let high = gradient(samples, grid, [x + dx, y + dy, z + dz]);
            let blend = |k: usize| (1.0 - t) * low[k] + t * high[k];
            let normal = unit_vector(gradient_to_world, [blend(0), blend(1), blend(2)], outward)
                .unwrap_or_else(|| {
                    let along = if there > here { outward } else { -outward };
                    let edge = unit(axis).map(|step| step as f32);
                    unit_vector(gradient_to_world, edge, along).unwrap_or(edge)
                });
            let first = offsets.read(slot).widen() as usize * 3;
            normals.write(first, normal[0]);
            normals.write(first + 1, normal[1]);
            normals.write(first + 2, normal[2]);
        },
    );
}

/// Calls `visit` with lower end, samples at both ends and slot of each active edge of the calling thread.
#[inline(always)]
fn for_each_active_edge<T: Sample>(
    samples: View<T>,
    grid: Grid,
    rows: Rows,
    axis: u32,
    flags: View<u8>,
    mut visit: impl FnMut(u32, u32, u32, f32, f32, usize),
) {
    let other_end = stride(grid, axis);
    rows.for_each_run(|run| {
        let slots = grid.edge_row(axis, run.y, run.z);
        for x in run.start..run.end {
            let slot = slots.slot(x);
            if flags.read(slot) != 0 {
                let at = grid.sample(x, run.y, run.z);
                let here = samples.read(at).value();
                let there = samples.read(at + other_end).value();
                visit(x, run.y, run.z, here, there, slot);
            }
        }
    });
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
