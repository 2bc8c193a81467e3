//! Positions and normals of the vertices on grid edges.

use super::interpolate::{IndexToWorld, cubic_crossing, gradient, linear_crossing};
use crate::{grid::Grid, rows::Items, sample::Sample};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Writes the positions of the vertices on edges: stages 5 and 6 of the staged method.
///
/// If `inner_offsets` is not empty, the vertices of a plane are preceded by the inner vertices of
/// all cells below that plane.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per vertex: its edge slot and
/// the two samples at the ends of the edge read, with `cubic` not 0 also the samples before and
/// after; three coordinates written.
///
/// # Safety
/// `samples` holds `grid.samples()` elements; `active_edges` holds `items.count` slots of existing
/// edges of `grid`, one per vertex; `inner_offsets` is empty or holds `grid.cells() + 1` elements;
/// `positions` holds three elements per vertex, inner vertices included.
#[kernel(T = crate::sample::sample_types!)]
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
        let value = reader(samples, grid);
        let edge = ActiveEdge::new(axis, low, value);
        let at = edge.crossing(grid, iso, cubic != 0, value);
        let vertex = on_edge + inner_vertices_before(inner_offsets, grid, low[2]) as usize;
        write3(positions, vertex, edge.position(at, 0, &to_world));
    });
}

/// Writes the unit normals of the vertices on edges: stage 8 of the staged method.
///
/// The gradient of the field is interpolated to the vertex and transformed to world space by
/// `rule`. If it vanishes or is not finite, the normal is the outward direction of the edge.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per vertex: its edge slot and
/// up to fourteen samples (the gradients at both ends) read, two more with `cubic` not 0; three
/// components written.
///
/// # Safety
/// As for [`emit_vertices`]; `normals` holds three elements per vertex.
#[kernel(T = crate::sample::sample_types!)]
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
        let value = reader(samples, grid);
        let edge = ActiveEdge::new(axis, low, value);
        let at = edge.crossing(grid, iso, cubic != 0, value);
        let normal = edge.normal(at, grid, &rule, value);
        let vertex = on_edge + inner_vertices_before(inner_offsets, grid, low[2]) as usize;
        write3(normals, vertex, normal);
    });
}

/// Returns a function that reads the sample at a grid index, for a grid of which all samples are
/// stored.
#[inline(always)]
fn reader<T: Sample>(samples: View<T>, grid: Grid) -> impl Fn([u32; 3]) -> f32 + Copy {
    move |[x, y, z]| samples.read(grid.sample(x, y, z)).value()
}

/// Parameters that derive a normal from a gradient.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalRule {
    /// Transposed inverse of the linear part of the volume's affine map, in row-major order:
    /// transforms per-voxel gradients to directions of world-space gradients.
    pub gradient_to_world: [f32; 9],
    /// Sign that turns a gradient outward: -1 if the solid is above the isovalue, 1 if it is below.
    pub outward: f32,
    /// Flag: 1 to use the gradient of the trilinear interpolant, averaged over the cells around an
    /// edge; 0 to interpolate the gradient of the samples.
    pub uses_trilinear_gradient: u32,
}

/// An active edge with the values of the samples at its ends.
pub(super) struct ActiveEdge {
    axis: u32,
    low: [u32; 3],
    low_value: f32,
    high_value: f32,
}

impl ActiveEdge {
    /// Reads the ends of the edge that leaves `low` along `axis`.
    #[inline(always)]
    pub fn new(axis: u32, low: [u32; 3], value: impl Fn([u32; 3]) -> f32) -> Self {
        let high = offset_along(low, axis, 1);
        Self {
            axis,
            low,
            low_value: value(low),
            high_value: value(high),
        }
    }

    /// Returns the parameter in 0..1 at which the linear interpolant equals the isovalue.
    #[inline(always)]
    pub fn linear_crossing(&self, iso: f32) -> f64 {
        linear_crossing(self.low_value, self.high_value, iso)
    }

    /// Returns the parameter in 0..1 at which the linear interpolant or, if `cubic`, the
    /// [cubic](cubic_crossing) through the neighbouring samples equals the isovalue.
    #[cuda_std::inline_closures]
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
        let along = |coordinates: [u32; 3]| match self.axis {
            0 => coordinates[0],
            1 => coordinates[1],
            _ => coordinates[2],
        };
        let index = along(self.low);
        let count = along([grid.nx, grid.ny, grid.nz]);
        let before = if index > 0 {
            value(offset_along(self.low, self.axis, u32::MAX))
        } else {
            f32::NAN
        };
        let after = if index + 2 < count {
            value(offset_along(self.low, self.axis, 2))
        } else {
            f32::NAN
        };
        cubic_crossing([before, self.low_value, self.high_value, after], iso)
    }

    /// Returns the world position of the vertex at parameter `t` of the edge, if plane 0 of the
    /// grid is plane `plane` of the volume.
    #[inline(always)]
    pub fn position(&self, t: f64, plane: u32, to_world: &IndexToWorld) -> [f32; 3] {
        let [x, y, z] = self.low;
        let [x, y, z] = [x, y, z + plane].map(f64::from);
        let [dx, dy, dz] = axis_unit(self.axis);
        to_world.position([x + dx * t, y + dy * t, z + dz * t])
    }

    /// Returns the outward unit normal of the vertex at parameter `t` of the edge.
    ///
    /// It is the gradient of the samples interpolated between the ends, or the gradient of the
    /// trilinear interpolant, which differs in the component along the edge only. If that vanishes
    /// or is not finite, the normal is the direction of the edge.
    #[cuda_std::inline_closures]
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
        let high = gradient(grid, offset_along(self.low, self.axis, 1), value);
        let blend = |k: usize| {
            if rule.uses_trilinear_gradient != 0 && k as u32 == self.axis {
                self.high_value - self.low_value
            } else {
                (1.0 - t) * low[k] + t * high[k]
            }
        };
        let gradient = [blend(0), blend(1), blend(2)];
        unit_vector(rule.gradient_to_world, gradient, rule.outward).unwrap_or_else(|| {
            let along = axis_unit(self.axis).map(|step| step as f32);
            let rising = if self.high_value > self.low_value {
                rule.outward
            } else {
                -rule.outward
            };
            unit_vector(rule.gradient_to_world, along, rising).unwrap_or(along)
        })
    }
}

/// Returns the grid index `steps` after `low` along `axis`, modulo 2³².
#[cuda_std::inline_closures]
#[inline(always)]
fn offset_along(low: [u32; 3], axis: u32, steps: u32) -> [u32; 3] {
    let along = |this: u32| if this == axis { steps } else { 0 };
    [
        low[0].wrapping_add(along(0)),
        low[1].wrapping_add(along(1)),
        low[2].wrapping_add(along(2)),
    ]
}

/// Returns the unit vector along an axis.
#[inline(always)]
fn axis_unit(axis: u32) -> [f64; 3] {
    [
        (axis == 0) as u32 as f64,
        (axis == 1) as u32 as f64,
        (axis == 2) as u32 as f64,
    ]
}

/// Returns `matrix · vector · sign` normalised to unit length, or `None` if it has no direction.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn unit_vector(matrix: [f32; 9], vector: [f32; 3], sign: f32) -> Option<[f32; 3]> {
    let [x, y, z] = vector;
    let row = |r: usize| (matrix[r] * x + matrix[r + 1] * y + matrix[r + 2] * z) * sign;
    let world = [row(0), row(3), row(6)];
    // scaled by the largest component, so that no square overflows or underflows
    let largest = max(world[0].abs(), max(world[1].abs(), world[2].abs()));
    let finite = world[0].is_finite() && world[1].is_finite() && world[2].is_finite();
    if !finite || largest < f32::MIN_POSITIVE {
        return None;
    }
    let [x, y, z] = world.map(|component| component / largest);
    let length = GpuFloat::sqrt(x * x + y * y + z * z);
    Some([x / length, y / length, z / length])
}

/// Returns the number of inner vertices of all cells below a plane of samples.
#[inline(always)]
pub(super) fn inner_vertices_before(inner_offsets: View<u64>, grid: Grid, plane: u32) -> u64 {
    if inner_offsets.is_empty() {
        return 0;
    }
    inner_offsets.read(grid.cell(0, 0, plane) as usize)
}

/// Writes the three components of a vertex attribute.
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
