//! Floating-point functions that the device's `core` does not have.
//!
//! # Reproducibility
//!
//! | class | functions | result |
//! | --- | --- | --- |
//! | exact | `abs copysign signum floor ceil round round_ties_even` | correctly rounded |
//! | exact | `trunc fract sqrt mul_add` | correctly rounded |
//! | accurate | `sin exp ln powf …` | the same algorithm on both targets: equal bits |
//! | fast | `fast_…` of [`FloatExt`] | approximations on the device; accurate on the CPU |
//!
//! "Equal bits" excludes the sign and payload of NaN, and requires that kernels are compiled with
//! the default settings: without flushing subnormals to zero and without contracting
//! multiplications and additions.
//!
//! # Errors
//!
//! Sine, cosine, tangent, the cube root of `f64` and Bessel functions are implemented in this
//! module; the others come from the `libm` crate. None uses stack memory on the device (a test
//! builds a kernel of each). Maximum errors found by the tests, in units in the last place:
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
//! `f64` results are compared with MPFR for arguments of all exponents, for the multiples of π/2
//! closest to a representable number, and around the points where the method changes; `f32` results
//! are compared with `f64`. For Bessel functions beyond 1 (second kind: beyond 1/2) the unit is
//! that of the amplitude, also near zeros. `log_gamma` has zeros at negative numbers, near which
//! few digits are correct.
//!
//! # Methods and `std`
//!
//! In a build for the CPU `x.sin()` is `std`'s method, which a trait cannot override. It calls the
//! system's `sin`, whose last bit may differ from the device's. The exact functions agree either
//! way. For the others write `GpuFloat::sin(x)`, which is this trait's function on both targets.
//! The [prelude](crate::prelude) contains both traits.

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

/// Returns the square root of 0 or of a number from 2⁻¹⁰⁰ to 2¹⁰⁰, correctly rounded; otherwise the
/// result is unspecified.
///
/// On the device it takes five instructions without a branch: an approximation and one Newton step
/// whose residual is a fused multiply-add. The general square root checks the range first.
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
    let residual = GpuFloat::mul_add(-root, root, x);
    let refined = GpuFloat::mul_add(residual, 0.5 * inverse, root);
    if x == 0.0 { 0.0 } else { refined }
}

/// Returns `1 / √x` within 2 ulp for an `x` that is not subnormal, and 0 for infinity. One
/// instruction on the device, whereas [`FloatExt::fast_rsqrt`] checks the range first.
///
/// ```
/// assert_eq!(cuda_std::float::rsqrt_normal(4.0), 0.5);
/// ```
#[inline(always)]
#[must_use]
pub fn rsqrt_normal(x: f32) -> f32 {
    fast::rsqrt_normal(x)
}

/// Returns `1 / x` within 1 ulp if neither `x` nor the result is subnormal, and 0 for infinity. One
/// instruction on the device.
///
/// ```
/// assert_eq!(cuda_std::float::recip_normal(4.0), 0.25);
/// ```
#[inline(always)]
#[must_use]
pub fn recip_normal(x: f32) -> f32 {
    fast::recip_normal(x)
}

/// Returns `x * factor + addend`, rounded towards negative infinity once. One instruction on the
/// device.
///
/// ```
/// use cuda_std::float::mul_add_round_down;
///
/// assert_eq!(mul_add_round_down(2.0, 3.0, 1.0), 7.0);
/// // the spacing of floats around 2²⁴ is 2 above and 1 below
/// assert_eq!(mul_add_round_down(0.5, 3.0, 16_777_216.0), 16_777_216.0);
/// assert_eq!(mul_add_round_down(-0.5, 0.5, 16_777_216.0), 16_777_215.0);
/// ```
#[inline(always)]
#[must_use]
pub fn mul_add_round_down(x: f32, factor: f32, addend: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let sum: f32;
        // SAFETY: a pure computation.
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
        // the product is exact, and so is the rounding error of the sum
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

/// Returns the lesser number, or NaN if either is NaN; -0 is less than +0. One instruction on the
/// device, which must have compute capability 8.0 or later.
///
/// ```
/// use cuda_std::float::min_or_nan;
///
/// assert_eq!(min_or_nan(2.0, 1.0), 1.0);
/// assert!(min_or_nan(0.0, -0.0).is_sign_negative());
/// assert!(min_or_nan(f32::NAN, 1.0).is_nan() && min_or_nan(1.0, f32::NAN).is_nan());
/// ```
#[inline(always)]
#[must_use]
pub fn min_or_nan(a: f32, b: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let lesser: f32;
        // SAFETY: a pure computation.
        unsafe {
            core::arch::asm!(
                "min.NaN.f32 {}, {}, {};",
                out(reg32) lesser,
                in(reg32) a,
                in(reg32) b,
                options(pure, nomem, nostack)
            );
        }
        lesser
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        if a.is_nan() || b.is_nan() {
            f32::NAN
        } else if a < b || (a == b && a.is_sign_negative()) {
            a
        } else {
            b
        }
    }
}

/// Returns the bits of the lesser of two `f64`, given by their bits, or of any NaN if either is
/// NaN; -0 is less than +0. On the device this takes two comparisons and three logical operations
/// of 32 bits.
///
/// ```
/// use cuda_std::float::min_bits_or_nan;
///
/// let minimum = |a: f64, b: f64| f64::from_bits(min_bits_or_nan(a.to_bits(), b.to_bits()));
/// assert_eq!(minimum(2.0, 1.0), 1.0);
/// assert!(minimum(0.0, -0.0).is_sign_negative() && minimum(-0.0, 0.0).is_sign_negative());
/// assert!(minimum(f64::NAN, 1.0).is_nan() && minimum(1.0, f64::NAN).is_nan());
/// ```
#[inline(always)]
#[must_use]
pub fn min_bits_or_nan(a: u64, b: u64) -> u64 {
    let kept: u64;
    #[cfg(target_arch = "nvptx64")]
    {
        // Both conditions in one predicate: LLVM would select twice. `geu` is also true if `b` is
        // NaN. The comments hide the instructions from LLVM's estimate of the cost, which would
        // keep loops, and the arrays in them in local memory.
        // SAFETY: a pure computation.
        unsafe {
            core::arch::asm!(
                "{{ .reg .pred %is_number, %takes_b;",
                "/**/ setp.num.f64 %is_number, {a}, {a};",
                "/**/ setp.geu.and.f64 %takes_b, {a}, {b}, %is_number;",
                "/**/ selp.b64 {kept}, {b}, {a}, %takes_b; }}",
                a = in(reg64) a,
                b = in(reg64) b,
                kept = out(reg64) kept,
                options(pure, nomem, nostack)
            );
        }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        kept = if x.is_nan() || x < y { a } else { b };
    }
    // A number that is not greater than a negative one is negative itself. This makes it -0 if `a`
    // is -0 and `b` is +0.
    kept | (a & 1 << 63)
}

/// Returns the square root of an integer below 2²³, correctly rounded. On the device like
/// [`sqrt_normal`], without a special case for 0.
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
    // adding 2⁻⁶³ changes only 0, whose inverse is then finite
    let inverse = fast::rsqrt_normal(value + f32::from_bits(0x2000_0000));
    let root = value * inverse;
    let residual = GpuFloat::mul_add(-root, root, value);
    GpuFloat::mul_add(residual, 0.5 * inverse, root)
}

/// Returns `x^exponent` for an `x` that is not subnormal, by logarithms, with a relative error of
/// about 2⁻²² times the exponent and the logarithm. Subnormal results are flushed to 0 on the
/// device.
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
    /// Restricts the traits to `f32` and `f64`, so that functions can be added later.
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}
