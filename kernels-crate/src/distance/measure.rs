//! Squared distances between voxels and points.

use cuda_std::KernelType;

/// What squared distances are computed in: `f32` where all that matter are integers below 2²⁴,
/// which it adds exactly, else `f64`.
pub trait Real: KernelType + Copy + PartialOrd + Send + Sync + 'static {
    /// Nothing.
    const ZERO: Self;
    /// More than any.
    const INFINITY: Self;

    /// A coordinate.
    fn of(coordinate: f32) -> Self;

    /// From more bits.
    fn narrow(value: f64) -> Self;

    /// In 64 bits.
    fn widen(self) -> f64;

    /// The square of `factor · (a - b)`.
    fn squared_along(factor: Self, a: Self, b: Self) -> Self;

    /// The sum.
    fn plus(self, other: Self) -> Self;

    /// The lesser of two numbers, neither of which is NaN.
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        if other < self { other } else { self }
    }
}

macro_rules! reals {
    ($($ty:ident)+) => {
        $(
            impl Real for $ty {
                const ZERO: Self = 0.0;
                const INFINITY: Self = $ty::INFINITY;

                #[inline(always)]
                fn of(coordinate: f32) -> Self {
                    coordinate as $ty
                }

                #[inline(always)]
                fn narrow(value: f64) -> Self {
                    value as $ty
                }

                #[inline(always)]
                fn widen(self) -> f64 {
                    self as f64
                }

                #[inline(always)]
                fn squared_along(factor: Self, a: Self, b: Self) -> Self {
                    let along = factor * (a - b);
                    along * along
                }

                #[inline(always)]
                fn plus(self, other: Self) -> Self {
                    self + other
                }
            }
        )+
    };
}

reals!(f32 f64);

/// The square of the distance between two places, if a voxel is `factors` long along x, y and z.
///
/// Every method adds the squares in this order, so that all get the same bits.
#[inline(always)]
pub fn squared<C: Real>(factors: [C; 3], a: [C; 3], b: [C; 3]) -> C {
    let [fx, fy, fz] = factors;
    C::squared_along(fx, a[0], b[0])
        .plus(C::squared_along(fy, a[1], b[1]))
        .plus(C::squared_along(fz, a[2], b[2]))
}

/// A unit of length, and how long a voxel is in it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The length of a voxel along x, y and z, in units: integers where spacings allow it.
    pub factors: [f64; 3],
    /// The unit in the world.
    pub unit: f64,
    /// The largest distance of interest, in the world; infinite if there is none.
    pub bound: f64,
}

impl Scale {
    /// A squared distance beyond which the map has the bound.
    #[inline(always)]
    pub fn most_squared(&self) -> f64 {
        let most = self.bound / self.unit;
        most * most
    }

    /// The distance of a squared distance, rounded once, and no more than the bound.
    #[inline(always)]
    pub fn root(&self, squared: f64) -> f32 {
        self.length(cuda_std::GpuFloat::sqrt(squared))
    }

    /// The same of a length in units.
    #[inline(always)]
    pub fn length(&self, units: f64) -> f32 {
        let length = (self.unit * units) as f32;
        let bound = self.bound as f32;
        if length < bound { length } else { bound }
    }
}
