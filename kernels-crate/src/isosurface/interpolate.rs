//! Where on an edge the surface crosses it, and how the field changes there.

use crate::grid::Grid;

/// How near to an end of its edge a vertex may lie, in lengths of the edge: 1/1024.
///
/// A sample that equals the isovalue would put the vertices of all its active edges on itself, and every triangle
/// between them would have no area. Kept this far from the sample, they stay apart: the mesh is closed and manifold and
/// has no zero-area triangle, and no vertex is further than 1/1024 of a voxel from the linear interpolant. In `f32`
/// the vertices stay distinct up to 8192 voxels from the world's origin.
pub const MARGIN: f64 = 1.0 / 1024.0;

/// Index space to world space: `matrix · index + translation`, row by row.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexToWorld {
    /// The linear part, row by row.
    pub matrix: [f64; 9],
    /// The world position of sample (0, 0, 0).
    pub translation: [f64; 3],
}

impl IndexToWorld {
    /// The world position of an index position, rounded once, to `f32`.
    ///
    /// The products are summed in a fixed order without fused operations, so that every device gives the same bits.
    #[inline(always)]
    pub fn position(&self, index: [f64; 3]) -> [f32; 3] {
        let [x, y, z] = index;
        let m = &self.matrix;
        let t = &self.translation;
        [
            (m[0] * x + m[1] * y + m[2] * z + t[0]) as f32,
            (m[3] * x + m[4] * y + m[5] * z + t[1]) as f32,
            (m[6] * x + m[7] * y + m[8] * z + t[2]) as f32,
        ]
    }
}

/// Where between two samples of which exactly one is below `iso` the linear interpolant takes that value: 0 at `here`, 1
/// at `there`, and at least [`MARGIN`] from both. In `f64`, so that no finite samples overflow.
#[inline(always)]
pub fn crossing(here: f32, there: f32, iso: f32) -> f64 {
    let t = (iso as f64 - here as f64) / (there as f64 - here as f64);
    t.clamp(MARGIN, 1.0 - MARGIN)
}

/// The gradient of the samples at (x, y, z), per voxel: central differences, one-sided at the border; 0 along an axis
/// with a single sample.
#[inline(always)]
pub fn gradient(grid: Grid, at: [u32; 3], value: impl Fn([u32; 3]) -> f32) -> [f32; 3] {
    let along = |axis: usize, count: u32| {
        let place = at[axis];
        let (mut before, mut after) = (at, at);
        if place > 0 {
            before[axis] -= 1;
        }
        if place + 1 < count {
            after[axis] += 1;
        }
        let difference = value(after) - value(before);
        if after[axis] - before[axis] == 2 {
            0.5 * difference
        } else {
            difference
        }
    };
    [along(0, grid.nx), along(1, grid.ny), along(2, grid.nz)]
}
