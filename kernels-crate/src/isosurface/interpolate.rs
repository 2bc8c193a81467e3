//! Where on an edge the surface crosses it, and how the field changes there.

use crate::grid::Grid;

/// How near to an end of its edge a vertex may lie, in lengths of the edge: 1/1024.
///
/// A sample that equals the isovalue would put the vertices of all its active edges on itself, and
/// every triangle between them would have no area. Kept this far from the sample, they stay apart:
/// the mesh is closed and manifold and has no zero-area triangle, and no vertex is further than
/// 1/1024 of a voxel from the linear interpolant. In `f32` the vertices stay distinct up to 8192
/// voxels from the world's origin.
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
    /// The products are summed in a fixed order without fused operations, so that every device
    /// gives the same bits.
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

/// Where between two samples of which exactly one is below `iso` the linear interpolant takes that
/// value: 0 at `here`, 1 at `there`, and at least [`MARGIN`] from both. In `f64`, so that no finite
/// samples overflow.
#[inline(always)]
pub fn crossing(here: f32, there: f32, iso: f32) -> f64 {
    let t = (iso as f64 - here as f64) / (there as f64 - here as f64);
    t.clamp(MARGIN, 1.0 - MARGIN)
}

/// Samples from this absolute value on are no neighbours that [`cubic_crossing`] goes by: such are
/// those around a closed volume.
pub const FAR: f32 = 1e30;

/// Where between two samples of which exactly one is below `iso` the cubic through them and their
/// neighbours on the same line takes that value, as [`crossing`].
///
/// The polynomial goes through `before`, `here`, `there` and `after`, which are a voxel apart;
/// without a neighbour, or with one that is not finite or not less than [`FAR`], it is that of the
/// others. Unless the second differences at both ends are alike, as in smooth fields, its slopes at
/// the ends are kept between 0 and 3 times that of the straight line, so that it is monotone
/// between them (Fritsch and Carlson 1980) and does not swing past samples. A root is found by at
/// most 24 steps of Newton's method, halving where one leaves the bracket.
#[inline(always)]
pub fn cubic_crossing([before, here, there, after]: [f32; 4], iso: f32) -> f64 {
    let (from, rise) = (here as f64, there as f64 - here as f64);
    let target = (iso as f64 - from) / rise;
    let (a, d) = ((before as f64 - from) / rise, (after as f64 - from) / rise);
    // slopes of the polynomials through 0 and 1 at 0 and 1, with what there is at -1 and 2
    let slopes = match (is_near(before), is_near(after)) {
        (true, true) => [(6.0 - 2.0 * a - d) / 6.0, (a + 3.0 + 2.0 * d) / 6.0],
        (true, false) => [0.5 * (1.0 - a), 0.5 * (3.0 + a)],
        (false, true) => [0.5 * (4.0 - d), 0.5 * d],
        (false, false) => [1.0, 1.0],
    };
    let second = [a + 1.0, d - 2.0].map(f64::abs);
    let most = if second[0] > second[1] {
        second[0]
    } else {
        second[1]
    };
    // of a neighbour that is not there too: not smooth
    let is_smooth = (d - a - 3.0).abs() <= 0.5 * most && is_near(before) && is_near(after);
    let [s0, s1] = if is_smooth {
        slopes
    } else {
        slopes.map(|slope| slope.clamp(0.0, 3.0))
    };
    let (square, cube) = (3.0 - 2.0 * s0 - s1, s0 + s1 - 2.0);
    let (mut low, mut high) = (0.0, 1.0);
    let mut t = target;
    let mut step = 0;
    while step < 24 {
        let excess = ((cube * t + square) * t + s0) * t - target;
        if excess < 0.0 {
            low = t;
        } else {
            high = t;
        }
        let slope = (3.0 * cube * t + 2.0 * square) * t + s0;
        let newton = t - excess / slope;
        let next = if newton > low && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
        let change = next - t;
        t = next;
        if change.abs() < 1e-12 {
            break;
        }
        step += 1;
    }
    t.clamp(MARGIN, 1.0 - MARGIN)
}

/// Whether a sample is finite, and not far outside.
#[inline(always)]
fn is_near(sample: f32) -> bool {
    sample.abs() < FAR
}

/// The gradient of the samples at (x, y, z), per voxel: central differences, one-sided at the
/// border; 0 along an axis with a single sample.
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
