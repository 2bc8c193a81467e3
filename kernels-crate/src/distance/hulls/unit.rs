//! From squared distances to distances.

use cuda_std::{GpuFloat, KernelType, float::sqrt_small_integer, misc::max_registers};

/// What the root of a squared distance is multiplied with: 1 in 32 bits, a power of two in 32 bits
/// of floating point, or whatever it is in 64.
pub trait Unit: KernelType + Copy {
    /// Limits the registers of a kernel: a thread's, of blocks of up to 1024 threads.
    fn limit_registers();

    /// The root of a squared distance times the unit, rounded as by
    /// [`Cost::root`](crate::distance::separable::Cost::root).
    fn distance(self, squared: u32) -> f32;
}

impl Unit for u32 {
    #[inline(always)]
    fn limit_registers() {
        max_registers::<40>();
    }

    #[inline(always)]
    fn distance(self, squared: u32) -> f32 {
        sqrt_small_integer(squared)
    }
}

/// Of squares below 2^24: then a root is rounded once, as one in 64 bits that is rounded again
/// (there are more than twice as many bits), and the product is not.
impl Unit for f32 {
    #[inline(always)]
    fn limit_registers() {
        max_registers::<40>();
    }

    #[inline(always)]
    fn distance(self, squared: u32) -> f32 {
        self * sqrt_small_integer(squared)
    }
}

impl Unit for f64 {
    #[inline(always)]
    fn limit_registers() {
        max_registers::<64>();
    }

    #[inline(always)]
    fn distance(self, squared: u32) -> f32 {
        (self * GpuFloat::sqrt(squared as f64)) as f32
    }
}
