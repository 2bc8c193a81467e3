//! Lengths of steps between voxels on grids with oblique axes.

use crate::distance::metric::Scale;

/// Oblique grid axes as the columns of an upper triangular matrix, obtained by rotating the world
/// (QR decomposition by Gram–Schmidt). Maps a step along x, y and z, in voxels, to a vector in
/// units.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObliqueMetric {
    /// Unit and maximum distance; its `factors` are the diagonal of the matrix.
    pub scale: Scale,
    /// Elements above the diagonal: (y, x), (z, x) and (z, y), named by grid axis and rotated axis.
    pub upper: [f64; 3],
}

impl ObliqueMetric {
    /// Returns the contributions of a step along y and z: its first component, and the squares of
    /// the other two.
    #[inline(always)]
    pub fn across(&self, y: f64, z: f64) -> [f64; 3] {
        let [_, fy, fz] = self.scale.factors;
        let [yx, zx, zy] = self.upper;
        let (second, third) = (fy * y + zy * z, fz * z);
        [yx * y + zx * z, second * second, third * third]
    }

    /// Returns the squared length of a step from the result of [`across`](Self::across) and its x.
    #[inline(always)]
    pub fn squared_with_x(factor: f64, x: f64, [offset, second, third]: [f64; 3]) -> f64 {
        let first = factor * x + offset;
        first * first + second + third
    }

    /// Returns the squared length of a step. The result is identical for the opposite step, and on
    /// orthogonal axes equals that of [`squared`].
    ///
    /// [`squared`]: crate::distance::metric::squared
    #[inline(always)]
    pub fn squared(&self, [x, y, z]: [f64; 3]) -> f64 {
        Self::squared_with_x(self.scale.factors[0], x, self.across(y, z))
    }

    /// Returns the half extent along each of the rotated axes of a box with half extent (`x`, `y`,
    /// `z`) along the grid axes.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn half_extent(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let abs = |value: f64| if value < 0.0 { -value } else { value };
        let [fx, fy, fz] = self.scale.factors;
        let [yx, zx, zy] = self.upper;
        [
            fx * x + abs(yx) * y + abs(zx) * z,
            fy * y + abs(zy) * z,
            fz * z,
        ]
    }

    /// Returns a lower bound of the squared lengths of all steps that differ from the given one by
    /// at most `half_extent` along the rotated axes.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn min_squared(&self, [x, y, z]: [f64; 3], half_extent: [f64; 3]) -> f64 {
        let beyond = |value: f64, half_extent: f64| {
            let value = if value < 0.0 { -value } else { value } - half_extent;
            let value = if value > 0.0 { value } else { 0.0 };
            value * value
        };
        let [fx, fy, fz] = self.scale.factors;
        let [yx, zx, zy] = self.upper;
        beyond(fx * x + (yx * y + zx * z), half_extent[0])
            + beyond(fy * y + zy * z, half_extent[1])
            + beyond(fz * z, half_extent[2])
    }

    /// Returns the maximum over a box of the squared distance to a first site minus the squared
    /// distance to a second one. `middle` is the step from the first site to the middle of the box,
    /// `between` the step from the first to the second site, and `half` the half extent of the box.
    ///
    /// The difference is linear in the voxel position and therefore largest in a corner.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn max_gain(&self, middle: [f64; 3], between: [f64; 3], half: [f64; 3]) -> f64 {
        let abs = |value: f64| if value < 0.0 { -value } else { value };
        let [fx, fy, fz] = self.scale.factors;
        let [yx, zx, zy] = self.upper;
        let [x, y, z] = between;
        let (first, second, third) = (fx * x + (yx * y + zx * z), fy * y + zy * z, fz * z);
        let slope = abs(fx * first) * half[0]
            + abs(yx * first + fy * second) * half[1]
            + abs(zx * first + zy * second + fz * third) * half[2];
        let to_other = [middle[0] - x, middle[1] - y, middle[2] - z];
        self.squared(middle) - self.squared(to_other) + 2.0 * slope
    }
}
