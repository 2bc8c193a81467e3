//! Squared Euclidean distances between voxels and points, and the conversion to lengths.

use cuda_std::KernelType;

/// Number type of squared distances: `f32` if all relevant values are integers below 2²⁴, for which
/// its sums are exact, otherwise `f64`.
pub trait Real: KernelType + Copy + PartialOrd + Send + Sync + 'static {
    /// Zero.
    const ZERO: Self;
    /// Positive infinity.
    const INFINITY: Self;

    /// Converts a coordinate.
    fn from_coordinate(coordinate: f32) -> Self;

    /// Converts from `f64`, rounding once.
    fn narrow(value: f64) -> Self;

    /// Converts to `f64` exactly.
    fn widen(self) -> f64;

    /// Returns `(factor · (a - b))²`.
    fn squared_along(factor: Self, a: Self, b: Self) -> Self;

    /// Returns the sum of two numbers.
    fn plus(self, other: Self) -> Self;

    /// Returns the smaller of two numbers, neither of which may be NaN.
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
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
                fn from_coordinate(coordinate: f32) -> Self {
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

/// Returns the squared distance between two positions in voxel coordinates, for voxels of size
/// `factors` along x, y and z.
///
/// Every method adds the squares in this order, so that all of them produce the same bits.
#[inline(always)]
pub fn squared<C: Real>(factors: [C; 3], a: [C; 3], b: [C; 3]) -> C {
    let [fx, fy, fz] = factors;
    C::squared_along(fx, a[0], b[0])
        .plus(C::squared_along(fy, a[1], b[1]))
        .plus(C::squared_along(fz, a[2], b[2]))
}

/// Unit of length, and the voxel size in this unit.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Voxel size along x, y and z in units; integers if the spacings allow it.
    pub factors: [f64; 3],
    /// Length of one unit in world coordinates.
    pub unit: f64,
    /// Distance at which maps are truncated, in world coordinates; infinite without truncation.
    pub max_distance: f64,
}

impl Scale {
    /// Returns the squared maximum distance, in squared units: larger squared distances are
    /// replaced by it.
    #[inline(always)]
    pub fn max_squared(&self) -> f64 {
        let max_length = self.max_distance / self.unit;
        max_length * max_length
    }

    /// Converts a squared distance in squared units to a world distance, rounded once and truncated
    /// at the maximum distance.
    #[inline(always)]
    pub fn root(&self, squared: f64) -> f32 {
        self.length(cuda_std::GpuFloat::sqrt(squared))
    }

    /// Converts a length in units to a world distance, rounded once and truncated at the maximum
    /// distance.
    #[inline(always)]
    pub fn length(&self, units: f64) -> f32 {
        let length = (self.unit * units) as f32;
        let max_distance = self.max_distance as f32;
        if length < max_distance {
            length
        } else {
            max_distance
        }
    }
}
