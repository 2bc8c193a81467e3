//! Conversion of squared distances to distances.

use cuda_std::{GpuFloat, KernelType, float::sqrt_small_integer, misc::max_registers};

/// Unit of length by which roots of squared distances are multiplied: `u32` for a unit of 1, `f32`
/// for a power of two, `f64` for any other unit.
pub trait LengthUnit: KernelType + Copy {
    /// Limits the number of registers per thread, for blocks of up to 1024 threads.
    fn limit_registers();

    /// Returns the root of a squared distance times the unit, rounded like
    /// [`Cost::root`](crate::distance::separable::Cost::root).
    fn distance(self, squared: u32) -> f32;
}

impl LengthUnit for u32 {
    #[inline(always)]
    fn limit_registers() {
        max_registers::<40>();
    }

    #[inline(always)]
    fn distance(self, squared: u32) -> f32 {
        sqrt_small_integer(squared)
    }
}

/// Valid for squared distances below 2^24: the root rounded directly to f32 then equals the f64
/// root rounded to f32, because f64 has more than twice as many significant bits, and the product
/// with a power of two is exact.
impl LengthUnit for f32 {
    #[inline(always)]
    fn limit_registers() {
        max_registers::<40>();
    }

    #[inline(always)]
    fn distance(self, squared: u32) -> f32 {
        self * sqrt_small_integer(squared)
    }
}

impl LengthUnit for f64 {
    #[inline(always)]
    fn limit_registers() {
        max_registers::<64>();
    }

    #[inline(always)]
    fn distance(self, squared: u32) -> f32 {
        (self * GpuFloat::sqrt(squared as f64)) as f32
    }
}
