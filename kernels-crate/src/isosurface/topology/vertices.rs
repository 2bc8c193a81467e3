//! Vertex positions of a cell's patch in cell coordinates: from (0, 0, 0) at corner 0 to (1, 1, 1)
//! at corner 6.

use super::{
    hexagon::hexagon_corner,
    patch::{FIRST_INNER, unpack_triangle},
    subcase::{SliceDeterminant, Subcase},
    table::{first_triangle, triangle},
};
use crate::isosurface::{
    interpolate::MARGIN,
    table::{CORNERS, EDGE_OWNERS, EDGES},
};
use cuda_std::GpuFloat;

/// Minimum distance of the centre of a tunnel's inner box from the faces of the cell.
pub const MIN_CENTER: f64 = 1.0 / 16.0;

/// Minimum half width of a tunnel's inner box, and minimum distance of the box from the faces of
/// the cell.
pub const MIN_HALF_WIDTH: f64 = 1.0 / 32.0;

/// Number of inner vertices of a tube.
pub const HEXAGON_VERTICES: u32 = 6;

impl Subcase {
    /// Returns the index of the patch's first triangle in the [table](super::table), and the number
    /// of triangles.
    #[inline(always)]
    pub fn triangles(&self) -> (u32, u32) {
        let (first, _) = first_triangle(self.row);
        let (last, _) = first_triangle(self.row + 1);
        (first, last - first)
    }

    /// Returns the number of inner vertices: 0, 1 at the centroid of a loop, or 6 around a tunnel.
    #[inline(always)]
    pub fn inner_vertices(&self) -> u32 {
        if self.has_tube() {
            HEXAGON_VERTICES
        } else {
            first_triangle(self.row).1 as u32
        }
    }

    /// Returns the positions of the inner vertices as a box: see [`InnerBox::vertex`]. For a
    /// centroid the box is a single point.
    #[inline(always)]
    pub fn inner_box(&self, values: &[f64; 8]) -> InnerBox {
        if self.has_tube() {
            InnerBox::from_values(values)
        } else {
            let centroid = self.centroid(values);
            InnerBox {
                low: centroid,
                high: centroid,
            }
        }
    }

    /// Returns the mean of the vertices on the edges of the loop that has an inner vertex.
    #[inline(always)]
    fn centroid(&self, values: &[f64; 8]) -> [f64; 3] {
        let (first, count) = self.triangles();
        let mut sum = [0.0; 3];
        let mut edges = 0.0;
        let mut at = 0;
        while at < count {
            let [edge, _, inner] = unpack_triangle(triangle(first + at));
            if inner == FIRST_INNER {
                let [x, y, z] = edge_vertex(values, edge);
                sum = [sum[0] + x, sum[1] + y, sum[2] + z];
                edges += 1.0;
            }
            at += 1;
        }
        [sum[0] / edges, sum[1] / edges, sum[2] / edges]
    }
}

/// Corners, axis and lower corner offset of each edge; the length is a power of two, so that an
/// edge's index is masked instead of bounds-checked.
static EDGE_GEOMETRY: [([u32; 2], u32, [u32; 3]); 16] = {
    let mut edges = [([0; 2], 0, [0; 3]); 16];
    let mut edge = 0;
    while edge < 12 {
        let (axis, corner) = EDGE_OWNERS[edge];
        edges[edge] = (EDGES[edge], axis, corner);
        edge += 1;
    }
    edges
};

/// Returns the position of the vertex on an edge whose ends differ in sign: the root of the linear
/// interpolant, at least [`MARGIN`] from both ends.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn edge_vertex(values: &[f64; 8], edge: u32) -> [f64; 3] {
    let ([low, high], axis, corner) = EDGE_GEOMETRY[edge as usize & 15];
    let (low_value, high_value) = (value_at(values, low), value_at(values, high));
    let along = (low_value / (low_value - high_value)).clamp(MARGIN, 1.0 - MARGIN);
    let coordinate = |k: u32| {
        if k == axis {
            along
        } else {
            corner[k as usize] as f64
        }
    };
    [coordinate(0), coordinate(1), coordinate(2)]
}

/// Returns the value at a corner that is only known at run time, without indexing into local memory
/// on a GPU.
#[inline(always)]
fn value_at(values: &[f64; 8], corner: u32) -> f64 {
    let mut value = values[0];
    let mut k = 1;
    while k < 8 {
        if k == corner {
            value = values[k as usize];
        }
        k += 1;
    }
    value
}

/// Returns the gradient of the trilinear interpolant at a point of the cell, per cell size.
#[inline(always)]
pub fn trilinear_gradient(values: &[f64; 8], at: [f64; 3]) -> [f64; 3] {
    let mut gradient = [0.0; 3];
    let mut corner = 0;
    while corner < 8 {
        let mut axis = 0;
        while axis < 3 {
            let mut weight = values[corner];
            let mut k = 0;
            while k < 3 {
                let upper = CORNERS[corner][k] == 1;
                weight *= match (k == axis, upper) {
                    (true, true) => 1.0,
                    (true, false) => -1.0,
                    (false, true) => at[k],
                    (false, false) => 1.0 - at[k],
                };
                k += 1;
            }
            gradient[axis] += weight;
            axis += 1;
        }
        corner += 1;
    }
    gradient
}

/// The box whose corners are the vertices of a tunnel's hexagon.
///
/// Along each axis it extends between the two slices whose saddles lie on the surface, clamped such
/// that it stays inside the cell and its corners stay distinct.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InnerBox {
    /// Lower ends along x, y and z.
    pub low: [f64; 3],
    /// Upper ends along x, y and z.
    pub high: [f64; 3],
}

impl InnerBox {
    /// Computes the box of a cell with a tunnel.
    #[inline(always)]
    pub fn from_values(values: &[f64; 8]) -> Self {
        let (x, y, z) = (
            SliceDeterminant::along_x(values),
            SliceDeterminant::along_y(values),
            SliceDeterminant::along_z(values),
        );
        let discriminant = z.discriminant();
        // can be negative by rounding, or for values that are decided at an infinitesimally lower
        // isovalue
        let root = if discriminant > 0.0 {
            GpuFloat::sqrt(discriminant)
        } else {
            0.0
        };
        let [x, y, z] = [ends(&x, root), ends(&y, root), ends(&z, root)];
        Self {
            low: [x[0], y[0], z[0]],
            high: [x[1], y[1], z[1]],
        }
    }

    /// Returns vertex `index` of the hexagon around a diagonal.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn vertex(&self, diagonal: u32, index: u32) -> [f64; 3] {
        let upper = hexagon_corner(diagonal, index);
        let end = |axis: usize| {
            if upper >> axis & 1 == 1 {
                self.high[axis]
            } else {
                self.low[axis]
            }
        };
        [end(0), end(1), end(2)]
    }
}

/// Returns the ends of the box along one axis.
#[inline(always)]
fn ends(slices: &SliceDeterminant, root: f64) -> [f64; 2] {
    // the three terms have a common sign, or are 0
    let sum = slices.first - slices.middle + slices.last;
    let [middle, half] = if sum == 0.0 {
        [0.5, 0.0]
    } else {
        let scale = 0.5 / sum;
        [
            (2.0 * slices.first - slices.middle) * scale,
            (root * scale).abs(),
        ]
    };
    let middle = middle.clamp(MIN_CENTER, 1.0 - MIN_CENTER);
    let half = half.max(MIN_HALF_WIDTH);
    [
        (middle - half).max(MIN_HALF_WIDTH),
        (middle + half).min(1.0 - MIN_HALF_WIDTH),
    ]
}
