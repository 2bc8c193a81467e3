//! Metrics on the voxel grid: squared lengths, vectors and gradients in world units.

use cuda_std::GpuFloat;

/// Maps exact differences of voxel coordinates to lengths and vectors in the world. Only the
/// results are rounded.
pub trait VoxelMetric: Copy {
    /// `true` if sources have weights.
    const WEIGHTED: bool;

    /// Contribution of the differences along y and z, shared by all targets of a run.
    type Transverse: Copy;

    /// Computes the contribution of the differences along y and z.
    fn transverse(self, dy: f32, dz: f32) -> Self::Transverse;

    /// Returns the squared length of a difference.
    fn squared(self, dx: f32, transverse: Self::Transverse) -> f32;

    /// Returns the world vector of a coordinate difference, or of a weighted sum of differences.
    fn to_world(self, difference: [f64; 3]) -> [f64; 3];

    /// Returns the world gradient of a function with the given derivatives along the voxel axes.
    fn gradient_from_slopes(self, slopes: [f64; 3]) -> [f64; 3];
}

/// Metric of cubic voxels; the unit is their side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitMetric;

impl VoxelMetric for UnitMetric {
    const WEIGHTED: bool = false;

    type Transverse = f32;

    #[inline(always)]
    fn transverse(self, dy: f32, dz: f32) -> f32 {
        GpuFloat::mul_add(dy, dy, dz * dz)
    }

    #[inline(always)]
    fn squared(self, dx: f32, transverse: f32) -> f32 {
        GpuFloat::mul_add(dx, dx, transverse)
    }

    #[inline(always)]
    fn to_world(self, difference: [f64; 3]) -> [f64; 3] {
        difference
    }

    #[inline(always)]
    fn gradient_from_slopes(self, slopes: [f64; 3]) -> [f64; 3] {
        slopes
    }
}

/// Metric of anisotropic or oblique voxels. The world is rotated such that x is along the first
/// voxel axis and y in the plane of the first two; the unit is the smallest spacing.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldMetric {
    /// Upper triangular matrix whose columns are the voxel axes: xx, xy, xz, yy, yz, zz.
    pub upper: [f64; 6],
}

impl VoxelMetric for WorldMetric {
    const WEIGHTED: bool = true;

    /// Offset along x, and the squared length across x.
    type Transverse = [f32; 2];

    #[cuda_std::inline_closures]
    #[inline(always)]
    fn transverse(self, dy: f32, dz: f32) -> [f32; 2] {
        let [_, xy, xz, yy, yz, zz] = self.upper.map(|length| length as f32);
        let along_y = GpuFloat::mul_add(yy, dy, yz * dz);
        let along_z = zz * dz;
        [
            GpuFloat::mul_add(xy, dy, xz * dz),
            GpuFloat::mul_add(along_y, along_y, along_z * along_z),
        ]
    }

    #[inline(always)]
    fn squared(self, dx: f32, [along_x_offset, transverse]: [f32; 2]) -> f32 {
        let along_x = GpuFloat::mul_add(self.upper[0] as f32, dx, along_x_offset);
        GpuFloat::mul_add(along_x, along_x, transverse)
    }

    #[inline(always)]
    fn to_world(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [xx, xy, xz, yy, yz, zz] = self.upper;
        [xx * x + xy * y + xz * z, yy * y + yz * z, zz * z]
    }

    #[inline(always)]
    fn gradient_from_slopes(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [xx, xy, xz, yy, yz, zz] = self.upper;
        // a slope is the gradient's component along a voxel axis
        let x = x / xx;
        let y = (y - xy * x) / yy;
        [x, y, (z - xz * x - yz * y) / zz]
    }
}

impl WorldMetric {
    /// Returns the world's area vector of a surface element, given its area vector in voxel units.
    #[inline(always)]
    pub fn area_vector(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [xx, xy, xz, yy, yz, zz] = self.upper;
        // cross products of pairs of axes
        [
            yy * zz * x,
            zz * xx * y - xy * zz * x,
            xx * yy * z - yz * xx * y + (xy * yz - yy * xz) * x,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squared_lengths_match_world_vectors() {
        let oblique = WorldMetric {
            upper: [1.0, -0.25, 0.5, 1.25, 0.75, 2.5],
        };
        for difference in [[3.0, -4.0, 7.0], [0.0, 0.0, 1.0], [-20.0, 5.0, 0.0]] {
            let vector = oblique.to_world(difference);
            let squared_length: f64 = vector.iter().map(|along| along * along).sum();
            let [dx, dy, dz] = difference.map(|along| along as f32);
            let actual = f64::from(oblique.squared(dx, oblique.transverse(dy, dz)));
            assert!(
                (actual / squared_length - 1.0).abs() < 1e-6,
                "{difference:?}"
            );
        }
        // a function with this gradient has these slopes along the axes
        let gradient = [0.5, -2.0, 3.0];
        let steps = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let slopes = steps.map(|step| {
            let step = oblique.to_world(step);
            (0..3).map(|axis| step[axis] * gradient[axis]).sum()
        });
        for (actual, expected) in oblique
            .gradient_from_slopes(slopes)
            .into_iter()
            .zip(gradient)
        {
            assert!((actual - expected).abs() < 1e-12, "{slopes:?}");
        }
        // the area vector of a parallelogram is the cross product of its sides
        let transverse = |a: [f64; 3], b: [f64; 3]| {
            let minor = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
            [minor(1, 2), minor(2, 0), minor(0, 1)]
        };
        let steps = [[3.0, -4.0, 7.0], [1.0, 2.0, -1.0]];
        let [a, b] = steps.map(|step| oblique.to_world(step));
        let area_vector = oblique.area_vector(transverse(steps[0], steps[1]));
        for (actual, expected) in area_vector.into_iter().zip(transverse(a, b)) {
            assert!((actual - expected).abs() < 1e-9, "{area_vector:?}");
        }
        assert_eq!(
            UnitMetric.squared(1.0, UnitMetric.transverse(2.0, 3.0)),
            14.0
        );
        assert_eq!(UnitMetric.to_world([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    }
}
