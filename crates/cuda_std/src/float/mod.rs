//! Floating-point functions that the device's `core` has not.
//!
//! # The same bits on both machines
//!
//! | class | functions | result |
//! | --- | --- | --- |
//! | exact | `abs copysign signum floor ceil round round_ties_even trunc fract sqrt mul_add` | correctly rounded, equal bits everywhere |
//! | accurate | `sin exp ln powf …` | one algorithm (the `libm` crate) on both machines: equal bits |
//! | fast | `fast_…` of [`FloatExt`] | the device's approximations; the CPU computes the accurate function |
//!
//! "Equal bits" leaves out the sign and payload of NaN, and supposes that the kernels are compiled as they are by default: without
//! flushing subnormals to zero and without fusing multiplications and additions that the source does not fuse.
//!
//! # Methods and `std`
//!
//! In a build for the CPU `x.sin()` is `std`'s method, which a trait cannot replace, and `std` takes the system's `sin`: its last bit
//! may differ from the device's. The exact functions agree however they are called. For the others write `GpuFloat::sin(x)`,
//! which is this trait's function on both machines. The [prelude](crate::prelude) brings both traits.

mod exact;
mod ext;
mod fast;
mod gpu_float;
mod remainder;

pub use ext::FloatExt;
pub use gpu_float::GpuFloat;

/// The square root of 0 or of a number from 2⁻¹⁰⁰ to 2¹⁰⁰, exact (rounded once); of others anything.
///
/// On the device five instructions without a branch: an approximation, and a step of Newton's method with the remainder in a fused
/// multiplication, as in the full square root, which looks at the range first.
///
/// ```
/// assert_eq!(cuda_std::float::sqrt_of_normal(2.0), 2f32.sqrt());
/// assert_eq!(cuda_std::float::sqrt_of_normal(0.0), 0.0);
/// ```
#[inline(always)]
#[must_use]
pub fn sqrt_of_normal(x: f32) -> f32 {
    if cfg!(not(target_arch = "nvptx64")) {
        return GpuFloat::sqrt(x);
    }
    let inverse = fast::rsqrt_of_normal(x);
    let root = x * inverse;
    let rest = GpuFloat::mul_add(-root, root, x);
    let better = GpuFloat::mul_add(rest, 0.5 * inverse, root);
    if x == 0.0 { 0.0 } else { better }
}

mod sealed {
    /// Only `f32` and `f64` are floats, so functions can be added to the traits.
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
