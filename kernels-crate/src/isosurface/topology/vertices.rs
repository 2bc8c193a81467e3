//! Where the vertices of a cell's patch are, in the cell: from (0, 0, 0) at corner 0 to (1, 1, 1)
//! at corner 6.

use super::{
    decide::{Shape, Slices},
    hexagon::hexagon,
    patch::{INNER, corners},
    table::{first_triangle, triangle},
};
use crate::isosurface::{
    interpolate::MARGIN,
    table::{CORNERS, EDGE_OWNERS, EDGES},
};
use cuda_std::GpuFloat;

/// The middle of a tunnel's inner box is no nearer than that to a face of the cell.
pub const LEAST_MIDDLE: f64 = 1.0 / 16.0;

/// Half the width of a tunnel's inner box, and its distance from the faces of the cell, are no less
/// than that.
pub const LEAST_WIDTH: f64 = 1.0 / 32.0;

/// The inner vertices of a hexagon.
pub const HEXAGON: u32 = 6;

impl Shape {
    /// The first triangle of the patch, for [`triangle`], and how many there are.
    #[inline(always)]
    pub fn triangles(&self) -> (u32, u32) {
        let (first, _) = first_triangle(self.row);
        let (last, _) = first_triangle(self.row + 1);
        (first, last - first)
    }

    /// How many inner vertices the patch has: 0, 1 at the centroid of a loop, or 6 of a hexagon.
    #[inline(always)]
    pub fn inner_vertices(&self) -> u32 {
        if self.has_tube() {
            HEXAGON
        } else {
            first_triangle(self.row).1 as u32
        }
    }

    /// The places of the inner vertices: the corners of a box, or one place at which all of them
    /// are. See [`InnerBox::vertex`].
    #[inline(always)]
    pub fn inner_box(&self, values: &[f64; 8]) -> InnerBox {
        if self.has_tube() {
            InnerBox::of(values)
        } else {
            let centroid = self.centroid(values);
            InnerBox {
                low: centroid,
                high: centroid,
            }
        }
    }

    /// The mean of the vertices on the edges of the loop that has an inner vertex.
    #[inline(always)]
    fn centroid(&self, values: &[f64; 8]) -> [f64; 3] {
        let (first, count) = self.triangles();
        let mut sum = [0.0; 3];
        let mut edges = 0.0;
        let mut at = 0;
        while at < count {
            let [edge, _, inner] = corners(triangle(first + at));
            if inner == INNER {
                let [x, y, z] = edge_vertex(values, edge);
                sum = [sum[0] + x, sum[1] + y, sum[2] + z];
                edges += 1.0;
            }
            at += 1;
        }
        [sum[0] / edges, sum[1] / edges, sum[2] / edges]
    }
}

/// For each edge its two corners, its axis, and its lower corner's place; of places up to a power
/// of two, so that an edge's number is masked, not checked.
static EDGE: [([u32; 2], u32, [u32; 3]); 16] = {
    let mut all = [([0; 2], 0, [0; 3]); 16];
    let mut edge = 0;
    while edge < 12 {
        let (axis, corner) = EDGE_OWNERS[edge];
        all[edge] = (EDGES[edge], axis, corner);
        edge += 1;
    }
    all
};

/// The place of the vertex on an edge whose ends differ in sign: where the linear interpolant
/// vanishes, and at least [`MARGIN`] from both ends.
#[inline(always)]
pub fn edge_vertex(values: &[f64; 8], edge: u32) -> [f64; 3] {
    let ([low, high], axis, corner) = EDGE[edge as usize & 15];
    let (here, there) = (value_at(values, low), value_at(values, high));
    let along = (here / (here - there)).clamp(MARGIN, 1.0 - MARGIN);
    let place = |k: u32| {
        if k == axis {
            along
        } else {
            corner[k as usize] as f64
        }
    };
    [place(0), place(1), place(2)]
}

/// The value at a corner that is not known when the code is compiled: without an array in memory on
/// a GPU.
#[inline(always)]
fn value_at(values: &[f64; 8], corner: u32) -> f64 {
    let mut value = values[0];
    let mut other = 1;
    while other < 8 {
        if other == corner {
            value = values[other as usize];
        }
        other += 1;
    }
    value
}

/// The slope of the interpolant at a place in the cell, per cell.
#[inline(always)]
pub fn slope(values: &[f64; 8], at: [f64; 3]) -> [f64; 3] {
    let mut slope = [0.0; 3];
    let mut corner = 0;
    while corner < 8 {
        let mut axis = 0;
        while axis < 3 {
            let mut weight = values[corner];
            let mut other = 0;
            while other < 3 {
                let upper = CORNERS[corner][other] == 1;
                weight *= match (other == axis, upper) {
                    (true, true) => 1.0,
                    (true, false) => -1.0,
                    (false, true) => at[other],
                    (false, false) => 1.0 - at[other],
                };
                other += 1;
            }
            slope[axis] += weight;
            axis += 1;
        }
        corner += 1;
    }
    slope
}

/// The box whose corners are the vertices of a tunnel's hexagon.
///
/// On each axis it is between the two slices whose saddles are on the surface. It is moved and
/// widened where it must be, so that it stays inside the cell and its corners stay apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InnerBox {
    /// Its lower ends along x, y, z.
    pub low: [f64; 3],
    /// Its upper ends.
    pub high: [f64; 3],
}

impl InnerBox {
    /// Of a cell with a tunnel.
    #[inline(always)]
    pub fn of(values: &[f64; 8]) -> Self {
        let (x, y, z) = (Slices::x(values), Slices::y(values), Slices::z(values));
        let discriminant = z.discriminant();
        // rounding, and values that are decided as if they were a little greater
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

    /// Vertex `number` of the hexagon round a diagonal.
    #[inline(always)]
    pub fn vertex(&self, diagonal: u32, number: u32) -> [f64; 3] {
        let upper = hexagon(diagonal, number);
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

/// The ends of the box on one axis.
#[inline(always)]
fn ends(slices: &Slices, root: f64) -> [f64; 2] {
    // the three have one sign, or are 0
    let whole = slices.first - slices.middle + slices.last;
    let [middle, half] = if whole == 0.0 {
        [0.5, 0.0]
    } else {
        let scale = 0.5 / whole;
        [
            (2.0 * slices.first - slices.middle) * scale,
            (root * scale).abs(),
        ]
    };
    let middle = middle.clamp(LEAST_MIDDLE, 1.0 - LEAST_MIDDLE);
    let half = half.max(LEAST_WIDTH);
    [
        (middle - half).max(LEAST_WIDTH),
        (middle + half).min(1.0 - LEAST_WIDTH),
    ]
}
