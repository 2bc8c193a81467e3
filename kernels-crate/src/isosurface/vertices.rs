//! Positions and normals of the vertices.

use super::interpolate::{IndexToWorld, crossing, cubic_crossing, gradient};
use crate::{grid::Grid, rows::Items, sample::Sample};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Writes the positions of the vertices: stages 5 and 6 of the topology page (2011).
///
/// A thread takes single vertices. It reads the slot of the vertex's edge and the samples at both
/// ends, with `cubic` not 0 also those before and after, and writes three coordinates. Nothing is
/// shared in the block. Unless `inner_offsets` is empty, the vertices are after the inner ones of
/// all cells in planes below.
///
/// # Safety
/// `samples` holds `grid.samples()` elements; `active_edges` holds `items.count` slots of edges of
/// `grid` that exist, one for each vertex; `inner_offsets`, unless empty, `grid.cells() + 1`
/// elements; `positions` holds three elements for each vertex, inner ones too.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn emit_vertices<T: Sample>(
    samples: View<T>,
    grid: Grid,
    items: Items,
    iso: f32,
    cubic: u32,
    to_world: IndexToWorld,
    active_edges: View<u64>,
    inner_offsets: View<u64>,
    positions: ViewMut<f32>,
) {
    items.for_each(|on_edge| {
        let (axis, low) = grid.edge_at(active_edges.read(on_edge));
        let value = stored(samples, grid);
        let ends = Ends::new(axis, low, value);
        let at = ends.crossing(grid, iso, cubic != 0, value);
        let vertex = on_edge + inner_before_plane(inner_offsets, grid, low[2]) as usize;
        write3(positions, vertex, ends.position(at, 0, &to_world));
    });
}

/// Writes the unit normals of the vertices: stage 8 of the topology page (2011).
///
/// A thread takes single vertices. It reads the slot of the vertex's edge and up to fourteen
/// samples (the gradients at both ends), with `cubic` not 0 two more, and writes three components.
/// The gradient is interpolated to the vertex, taken to world space by `rule`. Where it vanishes or
/// is not finite, the normal is the edge's direction, outward. Nothing is shared in the block.
///
/// # Safety
/// As for [`emit_vertices`]; `normals` holds three elements for each vertex.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn emit_normals<T: Sample>(
    samples: View<T>,
    grid: Grid,
    items: Items,
    iso: f32,
    cubic: u32,
    rule: NormalRule,
    active_edges: View<u64>,
    inner_offsets: View<u64>,
    normals: ViewMut<f32>,
) {
    items.for_each(|on_edge| {
        let (axis, low) = grid.edge_at(active_edges.read(on_edge));
        let value = stored(samples, grid);
        let ends = Ends::new(axis, low, value);
        let at = ends.crossing(grid, iso, cubic != 0, value);
        let normal = ends.normal(at, grid, &rule, value);
        let vertex = on_edge + inner_before_plane(inner_offsets, grid, low[2]) as usize;
        write3(normals, vertex, normal);
    });
}

/// The values of samples all of which are stored.
#[inline(always)]
fn stored<T: Sample>(samples: View<T>, grid: Grid) -> impl Fn([u32; 3]) -> f32 + Copy {
    move |[x, y, z]| samples.read(grid.sample(x, y, z)).value()
}

/// How normals come from gradients.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalRule {
    /// Takes gradients per voxel to the directions of world gradients: the transpose of the inverse
    /// of the volume's linear part, row by row.
    pub gradient_to_world: [f32; 9],
    /// -1 where inside is above, 1 where it is below.
    pub outward: f32,
    /// 0 for the gradient of the samples, interpolated; else for that of the trilinear interpolant,
    /// on an edge the mean of those of the cells around it.
    pub of_interpolant: u32,
}

/// An active edge with the samples at its ends.
pub(super) struct Ends {
    axis: u32,
    low: [u32; 3],
    here: f32,
    there: f32,
}

impl Ends {
    /// The edge that leaves `low` along `axis`.
    #[inline(always)]
    pub fn new(axis: u32, low: [u32; 3], value: impl Fn([u32; 3]) -> f32) -> Self {
        let high = moved(low, axis, 1);
        Self {
            axis,
            low,
            here: value(low),
            there: value(high),
        }
    }

    /// Where the linear interpolant takes the isovalue, from 0 to 1.
    #[inline(always)]
    pub fn linear_crossing(&self, iso: f32) -> f64 {
        crossing(self.here, self.there, iso)
    }

    /// The same, or where the cubic through the neighbours too takes it.
    #[inline(always)]
    pub fn crossing(
        &self,
        grid: Grid,
        iso: f32,
        cubic: bool,
        value: impl Fn([u32; 3]) -> f32,
    ) -> f64 {
        if !cubic {
            return self.linear_crossing(iso);
        }
        let along = |three: [u32; 3]| match self.axis {
            0 => three[0],
            1 => three[1],
            _ => three[2],
        };
        let place = along(self.low);
        let count = along([grid.nx, grid.ny, grid.nz]);
        let before = if place > 0 {
            value(moved(self.low, self.axis, u32::MAX))
        } else {
            f32::NAN
        };
        let after = if place + 2 < count {
            value(moved(self.low, self.axis, 2))
        } else {
            f32::NAN
        };
        cubic_crossing([before, self.here, self.there, after], iso)
    }

    /// Where the vertex is in the world, from 0 to 1 on its edge, if plane 0 of the grid is `plane`
    /// of the volume.
    #[inline(always)]
    pub fn position(&self, t: f64, plane: u32, to_world: &IndexToWorld) -> [f32; 3] {
        let [x, y, z] = self.low;
        let [x, y, z] = [x, y, z + plane].map(f64::from);
        let [dx, dy, dz] = unit(self.axis);
        to_world.position([x + dx * t, y + dy * t, z + dz * t])
    }

    /// The outward unit normal of the vertex, from 0 to 1 on its edge: of the gradient,
    /// interpolated between the ends, or of the interpolant's, which differs along the edge only;
    /// of the edge's direction where that vanishes or is not finite.
    #[inline(always)]
    pub fn normal(
        &self,
        t: f64,
        grid: Grid,
        rule: &NormalRule,
        value: impl Fn([u32; 3]) -> f32 + Copy,
    ) -> [f32; 3] {
        let t = t as f32;
        let low = gradient(grid, self.low, value);
        let high = gradient(grid, moved(self.low, self.axis, 1), value);
        let blend = |k: usize| {
            if rule.of_interpolant != 0 && k as u32 == self.axis {
                self.there - self.here
            } else {
                (1.0 - t) * low[k] + t * high[k]
            }
        };
        let gradient = [blend(0), blend(1), blend(2)];
        unit_vector(rule.gradient_to_world, gradient, rule.outward).unwrap_or_else(|| {
            let along = unit(self.axis).map(|step| step as f32);
            let rising = if self.there > self.here {
                rule.outward
            } else {
                -rule.outward
            };
            unit_vector(rule.gradient_to_world, along, rising).unwrap_or(along)
        })
    }
}

/// The sample so many steps after `low` along an axis, modulo 2³².
#[inline(always)]
fn moved(low: [u32; 3], axis: u32, steps: u32) -> [u32; 3] {
    let along = |this: u32| if this == axis { steps } else { 0 };
    [
        low[0].wrapping_add(along(0)),
        low[1].wrapping_add(along(1)),
        low[2].wrapping_add(along(2)),
    ]
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
pub(super) fn unit_vector(matrix: [f32; 9], vector: [f32; 3], sign: f32) -> Option<[f32; 3]> {
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

/// The inner vertices of the cells in the planes before a plane.
#[inline(always)]
pub(super) fn inner_before_plane(inner_offsets: View<u64>, grid: Grid, plane: u32) -> u64 {
    if inner_offsets.is_empty() {
        return 0;
    }
    inner_offsets.read(grid.cell(0, 0, plane) as usize)
}

/// Writes the three numbers of vertex `vertex`.
#[inline(always)]
pub(super) fn write3(to: ViewMut<f32>, vertex: usize, values: [f32; 3]) {
    to.write(vertex * 3, values[0]);
    to.write(vertex * 3 + 1, values[1]);
    to.write(vertex * 3 + 2, values[2]);
}

#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}
