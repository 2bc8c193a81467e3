//! Floating-point functions that the device's `core` has not.
//!
//! # The same bits on both machines
//!
//! | class | functions | result |
//! | --- | --- | --- |
//! | exact | `abs copysign signum floor ceil round round_ties_even trunc fract sqrt mul_add` | correctly rounded, equal bits everywhere |
//! | accurate | `sin exp ln powf …` | one algorithm on both machines: equal bits |
//! | fast | `fast_…` of [`FloatExt`] | the device's approximations; the CPU computes the accurate function |
//!
//! "Equal bits" leaves out the sign and payload of NaN, and supposes that the kernels are compiled
//! as they are by default: without flushing subnormals to zero and without fusing multiplications
//! and additions that the source does not fuse.
//!
//! # Errors
//!
//! Sines, cosines, tangents, the cube root of `f64` and Bessel functions are this module's own, the
//! others are the `libm` crate's. None has a stack on the device: a kernel that uses them keeps its
//! variables in registers (a test builds a kernel of each). The greatest errors that the tests
//! found, in units in the last place:
//!
//! | function | f64 | arguments | f32 | arguments |
//! | --- | --- | --- | --- | --- |
//! | `sin` | 0.53 | 517 | 0.50 | 42949 |
//! | `cos` | 0.50 | 517 | 0.50 | 42949 |
//! | `tan` | 0.54 | 517 | 0.50 | 42949 |
//! | `asin` | 0.59 | 84 | 0.61 | 42949 |
//! | `acos` | 0.69 | 84 | 0.76 | 42949 |
//! | `atan` | 0.54 | 164 | 0.68 | 42949 |
//! | `exp` | 0.66 | 102 | 0.79 | 42949 |
//! | `exp2` | 0.50 | 102 | 0.50 | 42949 |
//! | `exp_m1` | 0.64 | 100 | 0.70 | 42949 |
//! | `ln` | 0.52 | 127 | 0.69 | 42949 |
//! | `log2` | 0.50 | 127 | 0.74 | 42949 |
//! | `log10` | 0.50 | 127 | 0.74 | 42949 |
//! | `ln_1p` | 0.65 | 153 | 0.69 | 42949 |
//! | `cbrt` | 0.50 | 154 | 0.50 | 42949 |
//! | `sinh` | 0.96 | 100 | 1.54 | 42949 |
//! | `cosh` | 0.74 | 100 | 1.04 | 42949 |
//! | `tanh` | 1.01 | 100 | 1.72 | 42949 |
//! | `asinh` | 1.05 | 164 | 1.26 | 42949 |
//! | `acosh` | 1.00 | 81 | 1.28 | 42949 |
//! | `atanh` | 0.98 | 84 | 1.35 | 42949 |
//! | `error_function` | 0.55 | 80 | 0.74 | 42949 |
//! | `complementary_error_function` | 1.37 | 80 | 1.80 | 42949 |
//! | `gamma` | 3.42 | 100 | 0.50 | 42949 |
//! | `log_gamma` | 1.65 | 80 | 40.56 | 42949 |
//! | `j0` | 0.50 | 166 | 0.50 | 42949 |
//! | `j1` | 0.81 | 166 | 0.50 | 42949 |
//! | `y0` | 1.40 | 166 | 0.50 | 42949 |
//! | `y1` | 0.84 | 164 | 0.50 | 42949 |
//! | `powf` | 0.59 | 99 | 0.78 | 42949 |
//! | `atan2` | 0.77 | 90 | 1.06 | 42949 |
//! | `hypot` | 0.76 | 90 | 0.83 | 42949 |
//!
//! The results of `f64` are held against MPFR's, of arguments of all exponents, of the multiples of
//! π/2 that are nearest to a number, and of those where a function's method changes; the results of
//! `f32` against those of `f64`. Of a Bessel function beyond 1, of the second kind beyond 1/2, the
//! unit is that of the wave's height, also near a zero. `log_gamma` of negative numbers has zeros
//! beside which it has few right digits.
//!
//! # Methods and `std`
//!
//! In a build for the CPU `x.sin()` is `std`'s method, which a trait cannot replace, and `std`
//! takes the system's `sin`: its last bit may differ from the device's. The exact functions agree
//! however they are called. For the others write `GpuFloat::sin(x)`, which is this trait's function
//! on both machines. The [prelude](crate::prelude) brings both traits.

mod bessel;
mod coefficients;
mod exact;
mod ext;
mod fast;
mod gpu_float;
pub(crate) mod inverse;
mod pair;
mod polynomial;
mod range_reduction;
mod remainder;
mod root;
mod trigonometric;

pub use ext::FloatExt;
pub use gpu_float::GpuFloat;

/// The square root of 0 or of a number from 2⁻¹⁰⁰ to 2¹⁰⁰, exact (rounded once); of others
/// anything.
///
/// On the device five instructions without a branch: an approximation, and a step of Newton's
/// method with the remainder in a fused multiplication, as in the full square root, which looks at
/// the range first.
///
/// ```
/// assert_eq!(cuda_std::float::sqrt_normal(2.0), 2f32.sqrt());
/// assert_eq!(cuda_std::float::sqrt_normal(0.0), 0.0);
/// ```
#[inline(always)]
#[must_use]
pub fn sqrt_normal(x: f32) -> f32 {
    if cfg!(not(target_arch = "nvptx64")) {
        return GpuFloat::sqrt(x);
    }
    let inverse = fast::rsqrt_normal(x);
    let root = x * inverse;
    let rest = GpuFloat::mul_add(-root, root, x);
    let better = GpuFloat::mul_add(rest, 0.5 * inverse, root);
    if x == 0.0 { 0.0 } else { better }
}

/// `1 / √x` within two units in the last place, for an `x` that is not subnormal: one instruction
/// on the device, where [`FloatExt::fast_rsqrt`] looks at the range first. 0 for infinity.
///
/// ```
/// assert_eq!(cuda_std::float::rsqrt_normal(4.0), 0.5);
/// ```
#[inline(always)]
#[must_use]
pub fn rsqrt_normal(x: f32) -> f32 {
    fast::rsqrt_normal(x)
}

/// `1 / x` within a unit in the last place, where neither `x` nor the result is subnormal: one
/// instruction on the device. 0 for infinity.
///
/// ```
/// assert_eq!(cuda_std::float::recip_normal(4.0), 0.25);
/// ```
#[inline(always)]
#[must_use]
pub fn recip_normal(x: f32) -> f32 {
    fast::recip_normal(x)
}

/// `x * factor + addend`, rounded down once. One instruction on the device.
///
/// ```
/// use cuda_std::float::mul_add_round_down;
///
/// assert_eq!(mul_add_round_down(2.0, 3.0, 1.0), 7.0);
/// // next to 2²⁴ steps are of two above and of one below
/// assert_eq!(mul_add_round_down(0.5, 3.0, 16_777_216.0), 16_777_216.0);
/// assert_eq!(mul_add_round_down(-0.5, 0.5, 16_777_216.0), 16_777_215.0);
/// ```
#[inline(always)]
#[must_use]
pub fn mul_add_round_down(x: f32, factor: f32, addend: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let sum: f32;
        // SAFETY: the instruction computes a number from numbers.
        unsafe {
            core::arch::asm!(
                "fma.rm.f32 {}, {}, {}, {};",
                out(reg32) sum,
                in(reg32) x,
                in(reg32) factor,
                in(reg32) addend,
                options(pure, nomem, nostack)
            );
        }
        sum
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        // the product is exact, and so is what the sum has lost
        let (product, addend) = (f64::from(x) * f64::from(factor), f64::from(addend));
        let sum = product + addend;
        let part = sum - product;
        let lost = (product - (sum - part)) + (addend - part);
        let rounded = sum as f32;
        let above = f64::from(rounded);
        if above > sum || (above == sum && lost < 0.0) {
            rounded.next_down()
        } else {
            rounded
        }
    }
}

/// The square root of an integer below 2²³, exact (rounded once). On the device as
/// [`sqrt_normal`], without a question for 0.
///
/// ```
/// assert_eq!(cuda_std::float::sqrt_small_integer(2), 2f32.sqrt());
/// assert_eq!(cuda_std::float::sqrt_small_integer(0), 0.0);
/// ```
#[inline(always)]
#[must_use]
pub fn sqrt_small_integer(x: u32) -> f32 {
    let value = x as f32;
    if cfg!(not(target_arch = "nvptx64")) {
        return GpuFloat::sqrt(value);
    }
    // 2⁻⁶³ is lost, but for 0: then the inverse is not infinite
    let inverse = fast::rsqrt_normal(value + f32::from_bits(0x2000_0000));
    let root = value * inverse;
    let rest = GpuFloat::mul_add(-root, root, value);
    GpuFloat::mul_add(rest, 0.5 * inverse, root)
}

/// `x^exponent` for an `x` that is not subnormal, by logarithms: an error of about 2⁻²² times the
/// exponent and the logarithm. What would be subnormal is 0 on the device.
///
/// ```
/// let cube = cuda_std::float::pow_normal(2.0, 3.0);
/// assert!((cube - 8.0).abs() < 1e-5);
/// ```
#[inline(always)]
#[must_use]
pub fn pow_normal(x: f32, exponent: f32) -> f32 {
    fast::exp2_normal(exponent * fast::log2_normal(x))
}

mod sealed {
    /// Only `f32` and `f64` are floats, so functions can be added to the traits.
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
