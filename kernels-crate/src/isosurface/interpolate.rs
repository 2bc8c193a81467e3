//! Position of the surface on a grid edge, and the gradient of the field.

use crate::grid::Grid;

/// Minimum distance of a vertex from the ends of its edge, as a fraction of the edge length:
/// 1/1024.
///
/// A sample that equals the isovalue would place the vertices of all its active edges on itself,
/// and every triangle between them would have zero area. The margin keeps them apart: the mesh is
/// closed and manifold, has no zero-area triangle, and no vertex is farther than 1/1024 of a voxel
/// from the linear interpolant. In `f32` the vertices stay distinct up to 8192 voxels from the
/// origin of their coordinates.
pub const MARGIN: f64 = 1.0 / 1024.0;

/// Affine map from index space to world space: `matrix · index + translation`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexToWorld {
    /// The linear part, in row-major order.
    pub matrix: [f64; 9],
    /// World position of sample (0, 0, 0).
    pub translation: [f64; 3],
}

impl IndexToWorld {
    /// Returns the world position of a (fractional) index position, rounded once to `f32`.
    ///
    /// Products are summed in a fixed order without fused multiply-adds, so that every device
    /// computes the same bits.
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

/// Returns the parameter in 0..1 at which the linear interpolant between two samples, exactly one
/// of which is below `iso`, equals `iso`: 0 at `from`, 1 at `to`, clamped to at least [`MARGIN`]
/// from both. Computed in `f64`, so that no finite samples overflow.
#[inline(always)]
pub fn linear_crossing(from: f32, to: f32, iso: f32) -> f64 {
    let t = (iso as f64 - from as f64) / (to as f64 - from as f64);
    t.clamp(MARGIN, 1.0 - MARGIN)
}

/// Absolute value from which on [`cubic_crossing`] ignores a neighbouring sample. The virtual
/// border of a closed volume has such values.
pub const FAR: f32 = 1e30;

/// Returns the parameter in 0..1 at which a cubic through two samples, exactly one of which is
/// below `iso`, and their neighbours on the same grid line equals `iso`; clamped like
/// [`linear_crossing`].
///
/// The polynomial interpolates `before`, `from`, `to` and `after`, which are one voxel apart. A
/// neighbour that is missing, non-finite, or at least [`FAR`] in absolute value is left out. Unless
/// the second differences at both ends are similar, as in smooth fields, the slopes at the ends are
/// limited to between 0 and 3 times the slope of the chord, which makes the cubic monotone between
/// them (Fritsch and Carlson 1980) and avoids overshoot. The root is found by at most 24 steps of
/// Newton's method, with bisection where a step leaves the bracket.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn cubic_crossing([before, from, to, after]: [f32; 4], iso: f32) -> f64 {
    let (start, rise) = (from as f64, to as f64 - from as f64);
    let target = (iso as f64 - start) / rise;
    let (a, d) = (
        (before as f64 - start) / rise,
        (after as f64 - start) / rise,
    );
    // slopes at 0 and 1 of the polynomial through 0 and 1 and the valid neighbours at -1 and 2
    let slopes = match (is_near(before), is_near(after)) {
        (true, true) => [(6.0 - 2.0 * a - d) / 6.0, (a + 3.0 + 2.0 * d) / 6.0],
        (true, false) => [0.5 * (1.0 - a), 0.5 * (3.0 + a)],
        (false, true) => [0.5 * (4.0 - d), 0.5 * d],
        (false, false) => [1.0, 1.0],
    };
    let second = [a + 1.0, d - 2.0].map(f64::abs);
    let max_second = if second[0] > second[1] {
        second[0]
    } else {
        second[1]
    };
    // with a neighbour missing, the field is not considered smooth
    let is_smooth = (d - a - 3.0).abs() <= 0.5 * max_second && is_near(before) && is_near(after);
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

/// Returns `true` if a sample is finite and less than [`FAR`] in absolute value.
#[inline(always)]
fn is_near(sample: f32) -> bool {
    sample.abs() < FAR
}

/// Returns the gradient of the samples at index (x, y, z), per voxel: central differences,
/// one-sided at the boundary, 0 along an axis with a single sample.
#[cuda_std::inline_closures]
#[inline(always)]
pub fn gradient(grid: Grid, at: [u32; 3], value: impl Fn([u32; 3]) -> f32) -> [f32; 3] {
    let along = |axis: usize, count: u32| {
        let index = at[axis];
        let (mut before, mut after) = (at, at);
        if index > 0 {
            before[axis] -= 1;
        }
        if index + 1 < count {
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
