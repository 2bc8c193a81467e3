//! Lengths of steps between voxels, where axes are not at right angles.

use crate::distance::measure::Scale;

/// An upper triangle whose columns are the axes, turned: in units, what a step along x, y and z is
/// in the world.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tilt {
    /// The diagonal as its factors, the unit, and the bound.
    pub scale: Scale,
    /// What stands above the diagonal: y along x, z along x, z along y.
    pub above: [f64; 3],
}

impl Tilt {
    /// What a step along y and z adds along the world's x, and the squares of what it is along the
    /// two others.
    #[inline(always)]
    pub fn across(&self, y: f64, z: f64) -> [f64; 3] {
        let [_, fy, fz] = self.scale.factors;
        let [yx, zx, zy] = self.above;
        let (second, third) = (fy * y + zy * z, fz * z);
        [yx * y + zx * z, second * second, third * third]
    }

    /// The squared length of a step, from [`across`](Self::across) and what it is along x.
    #[inline(always)]
    pub fn with_x(factor: f64, x: f64, [beside, second, third]: [f64; 3]) -> f64 {
        let first = factor * x + beside;
        first * first + second + third
    }

    /// The squared length of a step: the same bits for a step back, and those of [`squared`] where
    /// axes are at right angles.
    ///
    /// [`squared`]: crate::distance::measure::squared
    #[inline(always)]
    pub fn squared(&self, [x, y, z]: [f64; 3]) -> f64 {
        Self::with_x(self.scale.factors[0], x, self.across(y, z))
    }

    /// How far the steps of a box reach along each of the world's axes from its middle, if they are
    /// up to `half`.
    #[inline(always)]
    pub fn reach(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let abs = |value: f64| if value < 0.0 { -value } else { value };
        let [fx, fy, fz] = self.scale.factors;
        let [yx, zx, zy] = self.above;
        [
            fx * x + abs(yx) * y + abs(zx) * z,
            fy * y + abs(zy) * z,
            fz * z,
        ]
    }

    /// A lower bound of the squared lengths of the steps that differ from `middle` by no more than
    /// what reaches so far.
    #[inline(always)]
    pub fn least_squared(&self, [x, y, z]: [f64; 3], reach: [f64; 3]) -> f64 {
        let beyond = |value: f64, reach: f64| {
            let value = if value < 0.0 { -value } else { value } - reach;
            let value = if value > 0.0 { value } else { 0.0 };
            value * value
        };
        let [fx, fy, fz] = self.scale.factors;
        let [yx, zx, zy] = self.above;
        beyond(fx * x + (yx * y + zx * z), reach[0])
            + beyond(fy * y + zy * z, reach[1])
            + beyond(fz * z, reach[2])
    }

    /// How much farther from `other` than from `one` a voxel of a box is at the most, in squares:
    /// `middle` is from `one` to the middle of the box, `between` from `one` to `other`, and `half`
    /// from the middle to a corner.
    ///
    /// The difference is linear in the voxel, so that it is the largest in a corner.
    #[inline(always)]
    pub fn most_nearer(&self, middle: [f64; 3], between: [f64; 3], half: [f64; 3]) -> f64 {
        let abs = |value: f64| if value < 0.0 { -value } else { value };
        let [fx, fy, fz] = self.scale.factors;
        let [yx, zx, zy] = self.above;
        let [x, y, z] = between;
        let (first, second, third) = (fx * x + (yx * y + zx * z), fy * y + zy * z, fz * z);
        let slope = abs(fx * first) * half[0]
            + abs(yx * first + fy * second) * half[1]
            + abs(zx * first + zy * second + fz * third) * half[2];
        let there = [middle[0] - x, middle[1] - y, middle[2] - z];
        self.squared(middle) - self.squared(there) + 2.0 * slope
    }
}
