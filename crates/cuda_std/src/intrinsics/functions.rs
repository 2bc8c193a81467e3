//! The functions of the float traits under the names of CUDA's device library.

use crate::float::inverse;
use crate::{FloatExt, GpuFloat};

macro_rules! of_trait {
    ($feature:ident: $($double:ident $single:ident $method:ident;)+) => {
        $(
            #[doc = concat!("[`", stringify!($method), "`](", stringify!($feature), "::", stringify!($method), ").")]
            #[inline]
            #[must_use]
            pub fn $double(x: f64) -> f64 {
                $feature::$method(x)
            }

            #[doc = concat!("[`", stringify!($method), "`](", stringify!($feature), "::", stringify!($method), ").")]
            #[inline]
            #[must_use]
            pub fn $single(x: f32) -> f32 {
                $feature::$method(x)
            }
        )+
    };
}

of_trait! { GpuFloat:
    acos acosf acos;
    acosh acoshf acosh;
    asin asinf asin;
    asinh asinhf asinh;
    atan atanf atan;
    atanh atanhf atanh;
    cbrt cbrtf cbrt;
    ceil ceilf ceil;
    cos cosf cos;
    cosh coshf cosh;
    exp expf exp;
    exp2 exp2f exp2;
    expm1 expm1f exp_m1;
    fabs fabsf abs;
    floor floorf floor;
    log logf ln;
    log10 log10f log10;
    log1p log1pf ln_1p;
    log2 log2f log2;
    nearbyint nearbyintf round_ties_even;
    rint rintf round_ties_even;
    round roundf round;
    sin sinf sin;
    sinh sinhf sinh;
    sqrt sqrtf sqrt;
    tan tanf tan;
    tanh tanhf tanh;
    trunc truncf trunc;
}

of_trait! { FloatExt:
    cospi cospif cospi;
    erf erff error_function;
    erfc erfcf complementary_error_function;
    erfcinv erfcinvf inv_complementary_error_function;
    erfcx erfcxf scaled_complementary_error_function;
    j0 j0f j0;
    j1 j1f j1;
    lgamma lgammaf log_gamma;
    normcdf normcdff norm_cdf;
    normcdfinv normcdfinvf inv_norm_cdf;
    rcbrt rcbrtf rcbrt;
    rsqrt rsqrtf rsqrt;
    sinpi sinpif sinpi;
    tgamma tgammaf gamma;
    y0 y0f y0;
    y1 y1f y1;
}

/// Defines a function for both widths.
macro_rules! both {
    ($($(#[$doc:meta])* $double:ident $single:ident ($($argument:ident: $kind:ident),+) -> $result:ident: $as_double:expr, $as_single:expr;)+) => {
        $(
            both! { @one f64 $(#[$doc])* $double ($($argument: $kind),+) -> $result: $as_double }
            both! { @one f32 $(#[$doc])* $single ($($argument: $kind),+) -> $result: $as_single }
        )+
    };
    (@one $float:ident $(#[$doc:meta])* $name:ident ($($argument:ident: $kind:ident),+) -> $result:ident: $value:expr) => {
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name($($argument: both!(@kind $float $kind)),+) -> both!(@kind $float $result) {
            let compute = $value;
            compute($($argument),+)
        }
    };
    (@kind $float:ident Self) => { $float };
    (@kind $float:ident $kind:ident) => { $kind };
}

both! {
    /// Returns 10 to the power `x`. Error 1 ulp.
    exp10 exp10f (x: Self) -> Self: libm::exp10, libm::exp10f;
    /// Returns the positive difference: `x - y` if positive, else 0.
    fdim fdimf (x: Self, y: Self) -> Self: libm::fdim, libm::fdimf;
    /// Returns the remainder of the division, with the sign of `x`.
    fmod fmodf (x: Self, y: Self) -> Self: libm::fmod, libm::fmodf;
    /// Returns the next representable number from `x` towards `y`.
    nextafter nextafterf (x: Self, y: Self) -> Self: libm::nextafter, libm::nextafterf;
    /// Returns the remainder of the division with the quotient rounded to the nearest.
    remainder remainderf (x: Self, y: Self) -> Self: libm::remainder, libm::remainderf;
    /// Returns the inverse of [`erf`].
    erfinv erfinvf (x: Self) -> Self: inverse::error_function, |x: f32| inverse::error_function(x.into()) as f32;
    /// Returns the angle of the point (`y`, `x`).
    atan2 atan2f (x: Self, y: Self) -> Self: |x, y| <f64 as GpuFloat>::atan2(x, y), |x, y| <f32 as GpuFloat>::atan2(x, y);
    /// Returns `x` with the sign of `y`.
    copysign copysignf (x: Self, y: Self) -> Self: f64::copysign, f32::copysign;
    /// Returns the maximum; if one argument is NaN, the other one.
    fmax fmaxf (x: Self, y: Self) -> Self: f64::max, f32::max;
    /// Returns the minimum; if one argument is NaN, the other one.
    fmin fminf (x: Self, y: Self) -> Self: f64::min, f32::min;
    /// Returns the length of the vector, without intermediate overflow.
    hypot hypotf (x: Self, y: Self) -> Self: |x, y| <f64 as GpuFloat>::hypot(x, y), |x, y| <f32 as GpuFloat>::hypot(x, y);
    /// Returns `x` to the power `y`.
    pow powf (x: Self, y: Self) -> Self: |x, y| <f64 as GpuFloat>::powf(x, y), |x, y| <f32 as GpuFloat>::powf(x, y);
    /// Returns `x` to an integer power, by repeated squaring.
    powi powif (x: Self, y: i32) -> Self: |x, y| <f64 as GpuFloat>::powi(x, y), |x, y| <f32 as GpuFloat>::powi(x, y);
    /// Returns `x y + z`, rounded once.
    fma fmaf (x: Self, y: Self, z: Self) -> Self: |x, y, z| <f64 as GpuFloat>::mul_add(x, y, z), |x, y, z| <f32 as GpuFloat>::mul_add(x, y, z);
    /// Returns `x` times 2 to the power `y`.
    ldexp ldexpf (x: Self, y: i32) -> Self: <f64 as FloatExt>::ldexp, <f32 as FloatExt>::ldexp;
    /// Returns `x` times 2 to the power `y`.
    scalbn scalbnf (x: Self, y: i32) -> Self: <f64 as FloatExt>::ldexp, <f32 as FloatExt>::ldexp;
    /// Returns the exponent of the leading binary digit.
    ilogb ilogbf (x: Self) -> i32: <f64 as FloatExt>::unbiased_exp, <f32 as FloatExt>::unbiased_exp;
    /// Returns the exponent of the leading binary digit, as a float; infinite for 0 and infinities.
    logb logbf (x: Self) -> Self: |x: f64| if x == 0.0 { f64::NEG_INFINITY } else if x.is_finite() { f64::from(x.unbiased_exp()) } else { x * x }, |x: f32| if x == 0.0 { f32::NEG_INFINITY } else if x.is_finite() { x.unbiased_exp() as f32 } else { x * x };
    /// Returns the Bessel function of the first kind of order `n`.
    jn jnf (n: i32, x: Self) -> Self: |n, x| <f64 as FloatExt>::jn(x, n), |n, x| <f32 as FloatExt>::jn(x, n);
    /// Returns the Bessel function of the second kind of order `n`.
    yn ynf (n: i32, x: Self) -> Self: |n, x| <f64 as FloatExt>::yn(x, n), |n, x| <f32 as FloatExt>::yn(x, n);
    /// Returns the nearest integer, halves to the even one; see
    /// [`float2ll_rn`](super::float2ll_rn).
    llrint llrintf (x: Self) -> i64: |x| <f64 as GpuFloat>::round_ties_even(x) as i64, |x| <f32 as GpuFloat>::round_ties_even(x) as i64;
    /// Returns the nearest integer, halves away from zero.
    llround llroundf (x: Self) -> i64: |x| <f64 as GpuFloat>::round(x) as i64, |x| <f32 as GpuFloat>::round(x) as i64;
    /// Returns 1 if the number is infinite.
    isinfd isinff (x: Self) -> i32: |x: f64| i32::from(x.is_infinite()), |x: f32| i32::from(x.is_infinite());
    /// Returns 1 if the number is NaN.
    isnand isnanf (x: Self) -> i32: |x: f64| i32::from(x.is_nan()), |x: f32| i32::from(x.is_nan());
    /// Returns 1 if the number is finite.
    isfinited finitef (x: Self) -> i32: |x: f64| i32::from(x.is_finite()), |x: f32| i32::from(x.is_finite());
    /// Returns 1 if the sign is negative.
    signbitd signbitf (x: Self) -> i32: |x: f64| i32::from(x.is_sign_negative()), |x: f32| i32::from(x.is_sign_negative());
}

/// Defines functions for `f32` only.
macro_rules! single {
    ($($(#[$doc:meta])* $name:ident ($($argument:ident),+): $value:expr;)+) => {
        $(
            $(#[$doc])*
            #[inline]
            #[must_use]
            pub fn $name($($argument: f32),+) -> f32 {
                $value
            }
        )+
    };
}

single! {
    /// Clamps to [0, 1]; see [`saturate`](FloatExt::saturate).
    saturatef(x): x.saturate();
    /// Approximates the cosine; see [`fast_cos`](FloatExt::fast_cos).
    fast_cosf(x): x.fast_cos();
    /// Approximates the sine; see [`fast_sin`](FloatExt::fast_sin).
    fast_sinf(x): x.fast_sin();
    /// Approximates the tangent, as the quotient of [`fast_sin`](FloatExt::fast_sin) and
    /// [`fast_cos`](FloatExt::fast_cos).
    fast_tanf(x): x.fast_sin() * x.fast_cos().fast_recip();
    /// Approximates e to the power `x`; see [`fast_exp`](FloatExt::fast_exp).
    fast_expf(x): x.fast_exp();
    /// Approximates 10 to the power `x`, as [`fast_exp2`](FloatExt::fast_exp2) of the product with
    /// log2(10).
    fast_exp10f(x): (x * core::f32::consts::LOG2_10).fast_exp2();
    /// Approximates the natural logarithm; see [`fast_ln`](FloatExt::fast_ln).
    fast_logf(x): x.fast_ln();
    /// Approximates the base-2 logarithm; see [`fast_log2`](FloatExt::fast_log2).
    fast_log2f(x): x.fast_log2();
    /// Approximates the base-10 logarithm, as [`fast_log2`](FloatExt::fast_log2) times log10(2).
    fast_log10f(x): x.fast_log2() * core::f32::consts::LOG10_2;
    /// Approximates `x` to the power `y`, by [`fast_exp2`](FloatExt::fast_exp2) and
    /// [`fast_log2`](FloatExt::fast_log2).
    fast_powf(x, y): (y * x.fast_log2()).fast_exp2();
    /// Approximates the quotient, as the product with [`fast_recip`](FloatExt::fast_recip).
    fast_fdividef(x, y): x * y.fast_recip();
}

/// Returns the fraction in [1/2, 1), and stores the exponent in `b`.
///
/// # Safety
///
/// `b` is valid for writes.
#[inline]
pub unsafe fn frexp(x: f64, b: *mut i32) -> f64 {
    let (fraction, exponent) = x.frexp();
    // SAFETY: guaranteed by the caller.
    unsafe { *b = exponent };
    fraction
}

/// Returns the fractional part, and stores the integer part in `b`, both with the number's sign.
///
/// # Safety
///
/// `b` is valid for writes.
#[inline]
pub unsafe fn modf(x: f64, b: *mut f64) -> f64 {
    let whole = GpuFloat::trunc(x);
    // SAFETY: guaranteed by the caller.
    unsafe { *b = whole };
    let fraction = if x.is_infinite() { 0.0 } else { x - whole };
    f64::copysign(fraction, x)
}

/// Returns the remainder of the division with the quotient rounded to the nearest, and stores the
/// quotient's low bits with its sign in `quo`.
///
/// # Safety
///
/// `quo` is valid for writes.
#[inline]
pub unsafe fn remquo(x: f64, y: f64, quo: *mut i32) -> f64 {
    let (remainder, quotient) = libm::remquo(x, y);
    // SAFETY: guaranteed by the caller.
    unsafe { *quo = quotient };
    remainder
}

/// Stores the sine and the cosine.
///
/// # Safety
///
/// Both pointers are valid for writes.
#[inline]
pub unsafe fn sincos(x: f64, sptr: *mut f64, cptr: *mut f64) {
    // SAFETY: guaranteed by the caller.
    unsafe { (*sptr, *cptr) = GpuFloat::sin_cos(x) };
}

/// Stores the sine and the cosine of the number times π.
///
/// # Safety
///
/// Both pointers are valid for writes.
#[inline]
pub unsafe fn sincospi(x: f64, sptr: *mut f64, cptr: *mut f64) {
    // SAFETY: guaranteed by the caller.
    unsafe { (*sptr, *cptr) = x.sincospi() };
}

/// Returns the fraction in [1/2, 1), and stores the exponent in `b`.
///
/// # Safety
///
/// `b` is valid for writes.
#[inline]
pub unsafe fn frexpf(x: f32, b: *mut i32) -> f32 {
    let (fraction, exponent) = x.frexp();
    // SAFETY: guaranteed by the caller.
    unsafe { *b = exponent };
    fraction
}

/// Returns the fractional part, and stores the integer part in `b`, both with the number's sign.
///
/// # Safety
///
/// `b` is valid for writes.
#[inline]
pub unsafe fn modff(x: f32, b: *mut f32) -> f32 {
    let whole = GpuFloat::trunc(x);
    // SAFETY: guaranteed by the caller.
    unsafe { *b = whole };
    let fraction = if x.is_infinite() { 0.0 } else { x - whole };
    f32::copysign(fraction, x)
}

/// Returns the remainder of the division with the quotient rounded to the nearest, and stores the
/// quotient's low bits with its sign in `quo`.
///
/// # Safety
///
/// `quo` is valid for writes.
#[inline]
pub unsafe fn remquof(x: f32, y: f32, quo: *mut i32) -> f32 {
    let (remainder, quotient) = libm::remquof(x, y);
    // SAFETY: guaranteed by the caller.
    unsafe { *quo = quotient };
    remainder
}

/// Stores the sine and the cosine.
///
/// # Safety
///
/// Both pointers are valid for writes.
#[inline]
pub unsafe fn sincosf(x: f32, sptr: *mut f32, cptr: *mut f32) {
    // SAFETY: guaranteed by the caller.
    unsafe { (*sptr, *cptr) = GpuFloat::sin_cos(x) };
}

/// Stores the sine and the cosine of the number times π.
///
/// # Safety
///
/// Both pointers are valid for writes.
#[inline]
pub unsafe fn sincospif(x: f32, sptr: *mut f32, cptr: *mut f32) {
    // SAFETY: guaranteed by the caller.
    unsafe { (*sptr, *cptr) = x.sincospi() };
}

/// Stores [`fast_sinf`] and [`fast_cosf`] of the number.
///
/// # Safety
///
/// Both pointers are valid for writes.
#[inline]
pub unsafe fn fast_sincosf(x: f32, sptr: *mut f32, cptr: *mut f32) {
    // SAFETY: guaranteed by the caller.
    unsafe { (*sptr, *cptr) = (x.fast_sin(), x.fast_cos()) };
}
