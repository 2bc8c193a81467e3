//! What differences of coordinates are in the world.

use cuda_std::GpuFloat;

/// How differences of coordinates make vectors and lengths. Differences are exact; what is made of
/// them is rounded.
pub trait Lengths: Copy {
    /// Whether sources have weights.
    const WEIGHTED: bool;

    /// Differences along y and z, as far as they are the same for all targets of a run.
    type Across: Copy;

    /// What differences along y and z make.
    fn across(self, dy: f32, dz: f32) -> Self::Across;

    /// The squared length of a difference along x and these.
    fn squared(self, dx: f32, across: Self::Across) -> f32;

    /// The vector of a difference, or of a sum of differences with weights.
    fn vector(self, difference: [f64; 3]) -> [f64; 3];

    /// The gradient of what changes so much with each coordinate.
    fn gradient(self, slopes: [f64; 3]) -> [f64; 3];
}

/// Voxels are cubes, and their side is the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cubes;

impl Lengths for Cubes {
    const WEIGHTED: bool = false;

    type Across = f32;

    #[inline(always)]
    fn across(self, dy: f32, dz: f32) -> f32 {
        GpuFloat::mul_add(dy, dy, dz * dz)
    }

    #[inline(always)]
    fn squared(self, dx: f32, across: f32) -> f32 {
        GpuFloat::mul_add(dx, dx, across)
    }

    #[inline(always)]
    fn vector(self, difference: [f64; 3]) -> [f64; 3] {
        difference
    }

    #[inline(always)]
    fn gradient(self, slopes: [f64; 3]) -> [f64; 3] {
        slopes
    }
}

/// Voxels of any form. The world is turned so that x is along the first axis, and y in the plane of
/// the first two; the unit is the smallest spacing.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct World {
    /// The matrix whose columns are the axes, an upper triangle: xx, xy, xz, yy, yz, zz.
    pub upper: [f64; 6],
}

impl Lengths for World {
    const WEIGHTED: bool = true;

    /// What is added along x, and the square of the rest.
    type Across = [f32; 2];

    #[inline(always)]
    fn across(self, dy: f32, dz: f32) -> [f32; 2] {
        let [_, xy, xz, yy, yz, zz] = self.upper.map(|length| length as f32);
        let along_y = GpuFloat::mul_add(yy, dy, yz * dz);
        let along_z = zz * dz;
        [
            GpuFloat::mul_add(xy, dy, xz * dz),
            GpuFloat::mul_add(along_y, along_y, along_z * along_z),
        ]
    }

    #[inline(always)]
    fn squared(self, dx: f32, [beside, across]: [f32; 2]) -> f32 {
        let along_x = GpuFloat::mul_add(self.upper[0] as f32, dx, beside);
        GpuFloat::mul_add(along_x, along_x, across)
    }

    #[inline(always)]
    fn vector(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [xx, xy, xz, yy, yz, zz] = self.upper;
        [xx * x + xy * y + xz * z, yy * y + yz * z, zz * z]
    }

    #[inline(always)]
    fn gradient(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [xx, xy, xz, yy, yz, zz] = self.upper;
        // a slope is the gradient's part along an axis
        let x = x / xx;
        let y = (y - xy * x) / yy;
        [x, y, (z - xz * x - yz * y) / zz]
    }
}

impl World {
    /// The area vector in the world of an area across some steps of the grid, which is that vector
    /// where voxels are cubes.
    #[inline(always)]
    pub fn area(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [xx, xy, xz, yy, yz, zz] = self.upper;
        // products of pairs of axes, as vectors
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
    fn squares_are_those_of_vectors() {
        let leaning = World {
            upper: [1.0, -0.25, 0.5, 1.25, 0.75, 2.5],
        };
        for difference in [[3.0, -4.0, 7.0], [0.0, 0.0, 1.0], [-20.0, 5.0, 0.0]] {
            let vector = leaning.vector(difference);
            let square: f64 = vector.iter().map(|along| along * along).sum();
            let [dx, dy, dz] = difference.map(|along| along as f32);
            let found = f64::from(leaning.squared(dx, leaning.across(dy, dz)));
            assert!((found / square - 1.0).abs() < 1e-6, "{difference:?}");
        }
        // what grows along a gradient grows by as much along each axis as it has slopes
        let gradient = [0.5, -2.0, 3.0];
        let steps = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let slopes = steps.map(|step| {
            let way = leaning.vector(step);
            (0..3).map(|axis| way[axis] * gradient[axis]).sum()
        });
        for (found, expected) in leaning.gradient(slopes).into_iter().zip(gradient) {
            assert!((found - expected).abs() < 1e-12, "{slopes:?}");
        }
        // across two steps: what their vectors make
        let across = |a: [f64; 3], b: [f64; 3]| {
            let of = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
            [of(1, 2), of(2, 0), of(0, 1)]
        };
        let steps = [[3.0, -4.0, 7.0], [1.0, 2.0, -1.0]];
        let [a, b] = steps.map(|step| leaning.vector(step));
        let area = leaning.area(across(steps[0], steps[1]));
        for (found, expected) in area.into_iter().zip(across(a, b)) {
            assert!((found - expected).abs() < 1e-9, "{area:?}");
        }
        assert_eq!(Cubes.squared(1.0, Cubes.across(2.0, 3.0)), 14.0);
        assert_eq!(Cubes.vector([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0]);
    }
}
