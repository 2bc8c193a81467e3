//! Functions of floats: those of the traits, by the device library's names.

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

/// A function of both widths, with other arguments.
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
    /// 10 to the power. 1 ulp.
    exp10 exp10f (x: Self) -> Self: libm::exp10, libm::exp10f;
    /// The positive difference: `x - y` where it is positive, else 0.
    fdim fdimf (x: Self, y: Self) -> Self: libm::fdim, libm::fdimf;
    /// The remainder of the division, with the sign of `x`.
    fmod fmodf (x: Self, y: Self) -> Self: libm::fmod, libm::fmodf;
    /// The next number from `x` in the direction of `y`.
    nextafter nextafterf (x: Self, y: Self) -> Self: libm::nextafter, libm::nextafterf;
    /// The remainder of the division rounded to the nearest quotient.
    remainder remainderf (x: Self, y: Self) -> Self: libm::remainder, libm::remainderf;
    /// The number of which [`erf`] is this one.
    erfinv erfinvf (x: Self) -> Self: inverse::error_function, |x: f32| inverse::error_function(x.into()) as f32;
    /// The angle of the point (`y`, `x`).
    atan2 atan2f (x: Self, y: Self) -> Self: |x, y| <f64 as GpuFloat>::atan2(x, y), |x, y| <f32 as GpuFloat>::atan2(x, y);
    /// `x` with the sign of `y`.
    copysign copysignf (x: Self, y: Self) -> Self: f64::copysign, f32::copysign;
    /// The greater number; where one is NaN the other.
    fmax fmaxf (x: Self, y: Self) -> Self: f64::max, f32::max;
    /// The lesser number; where one is NaN the other.
    fmin fminf (x: Self, y: Self) -> Self: f64::min, f32::min;
    /// The length of the vector, without overflow on the way.
    hypot hypotf (x: Self, y: Self) -> Self: |x, y| <f64 as GpuFloat>::hypot(x, y), |x, y| <f32 as GpuFloat>::hypot(x, y);
    /// `x` to the power `y`.
    pow powf (x: Self, y: Self) -> Self: |x, y| <f64 as GpuFloat>::powf(x, y), |x, y| <f32 as GpuFloat>::powf(x, y);
    /// `x` to an integer power, by repeated squaring.
    powi powif (x: Self, y: i32) -> Self: |x, y| <f64 as GpuFloat>::powi(x, y), |x, y| <f32 as GpuFloat>::powi(x, y);
    /// `x y + z`, rounded once.
    fma fmaf (x: Self, y: Self, z: Self) -> Self: |x, y, z| <f64 as GpuFloat>::mul_add(x, y, z), |x, y, z| <f32 as GpuFloat>::mul_add(x, y, z);
    /// `x` times 2 to the power.
    ldexp ldexpf (x: Self, y: i32) -> Self: <f64 as FloatExt>::ldexp, <f32 as FloatExt>::ldexp;
    /// `x` times 2 to the power.
    scalbn scalbnf (x: Self, y: i32) -> Self: <f64 as FloatExt>::ldexp, <f32 as FloatExt>::ldexp;
    /// The exponent of the leading binary digit.
    ilogb ilogbf (x: Self) -> i32: <f64 as FloatExt>::unbiased_exp, <f32 as FloatExt>::unbiased_exp;
    /// The exponent of the leading binary digit, as a float; infinite for 0 and infinities.
    logb logbf (x: Self) -> Self: |x: f64| if x == 0.0 { f64::NEG_INFINITY } else if x.is_finite() { f64::from(x.unbiased_exp()) } else { x * x }, |x: f32| if x == 0.0 { f32::NEG_INFINITY } else if x.is_finite() { x.unbiased_exp() as f32 } else { x * x };
    /// The Bessel function of the first kind of order `n`.
    jn jnf (n: i32, x: Self) -> Self: |n, x| <f64 as FloatExt>::jn(x, n), |n, x| <f32 as FloatExt>::jn(x, n);
    /// The Bessel function of the second kind of order `n`.
    yn ynf (n: i32, x: Self) -> Self: |n, x| <f64 as FloatExt>::yn(x, n), |n, x| <f32 as FloatExt>::yn(x, n);
    /// The nearest integer, halves to the even one; see [`float2ll_rn`](super::float2ll_rn).
    llrint llrintf (x: Self) -> i64: |x| <f64 as GpuFloat>::round_ties_even(x) as i64, |x| <f32 as GpuFloat>::round_ties_even(x) as i64;
    /// The nearest integer, halves away from zero.
    llround llroundf (x: Self) -> i64: |x| <f64 as GpuFloat>::round(x) as i64, |x| <f32 as GpuFloat>::round(x) as i64;
    /// 1 where the number is infinite.
    isinfd isinff (x: Self) -> i32: |x: f64| i32::from(x.is_infinite()), |x: f32| i32::from(x.is_infinite());
    /// 1 where it is no number.
    isnand isnanf (x: Self) -> i32: |x: f64| i32::from(x.is_nan()), |x: f32| i32::from(x.is_nan());
    /// 1 where the number is finite.
    isfinited finitef (x: Self) -> i32: |x: f64| i32::from(x.is_finite()), |x: f32| i32::from(x.is_finite());
    /// 1 where the sign is negative.
    signbitd signbitf (x: Self) -> i32: |x: f64| i32::from(x.is_sign_negative()), |x: f32| i32::from(x.is_sign_negative());
}

/// Functions of `f32` alone.
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
    /// [`saturate`](FloatExt::saturate).
    saturatef(x): x.saturate();
    /// [`fast_cos`](FloatExt::fast_cos).
    fast_cosf(x): x.fast_cos();
    /// [`fast_sin`](FloatExt::fast_sin).
    fast_sinf(x): x.fast_sin();
    /// The quotient of [`fast_sin`](FloatExt::fast_sin) and [`fast_cos`](FloatExt::fast_cos).
    fast_tanf(x): x.fast_sin() * x.fast_cos().fast_recip();
    /// [`fast_exp`](FloatExt::fast_exp).
    fast_expf(x): x.fast_exp();
    /// [`fast_exp2`](FloatExt::fast_exp2) of the product with log2(10).
    fast_exp10f(x): (x * core::f32::consts::LOG2_10).fast_exp2();
    /// [`fast_ln`](FloatExt::fast_ln).
    fast_logf(x): x.fast_ln();
    /// [`fast_log2`](FloatExt::fast_log2).
    fast_log2f(x): x.fast_log2();
    /// [`fast_log2`](FloatExt::fast_log2) times log10(2).
    fast_log10f(x): x.fast_log2() * core::f32::consts::LOG10_2;
    /// The power, by [`fast_exp2`](FloatExt::fast_exp2) and [`fast_log2`](FloatExt::fast_log2).
    fast_powf(x, y): (y * x.fast_log2()).fast_exp2();
    /// The product with [`fast_recip`](FloatExt::fast_recip).
    fast_fdividef(x, y): x * y.fast_recip();
}

/// The fraction in [1/2, 1), and through `b` the exponent.
///
/// # Safety
///
/// `b` may be written through.
#[inline]
pub unsafe fn frexp(x: f64, b: *mut i32) -> f64 {
    let (fraction, exponent) = x.frexp();
    // SAFETY: the caller's promise.
    unsafe { *b = exponent };
    fraction
}

/// The part behind the point, and through `b` the part before it, both with the number's sign.
///
/// # Safety
///
/// `b` may be written through.
#[inline]
pub unsafe fn modf(x: f64, b: *mut f64) -> f64 {
    let whole = GpuFloat::trunc(x);
    // SAFETY: the caller's promise.
    unsafe { *b = whole };
    let rest = if x.is_infinite() { 0.0 } else { x - whole };
    f64::copysign(rest, x)
}

/// The remainder of the division rounded to the nearest quotient, and through `quo` the quotient's
/// last bits with its sign.
///
/// # Safety
///
/// `quo` may be written through.
#[inline]
pub unsafe fn remquo(x: f64, y: f64, quo: *mut i32) -> f64 {
    let (remainder, quotient) = libm::remquo(x, y);
    // SAFETY: the caller's promise.
    unsafe { *quo = quotient };
    remainder
}

/// The sine and the cosine.
///
/// # Safety
///
/// The pointers may be written through.
#[inline]
pub unsafe fn sincos(x: f64, sptr: *mut f64, cptr: *mut f64) {
    // SAFETY: the caller's promise.
    unsafe { (*sptr, *cptr) = GpuFloat::sin_cos(x) };
}

/// The sine and the cosine of the number times π.
///
/// # Safety
///
/// The pointers may be written through.
#[inline]
pub unsafe fn sincospi(x: f64, sptr: *mut f64, cptr: *mut f64) {
    // SAFETY: the caller's promise.
    unsafe { (*sptr, *cptr) = x.sincospi() };
}

/// The fraction in [1/2, 1), and through `b` the exponent.
///
/// # Safety
///
/// `b` may be written through.
#[inline]
pub unsafe fn frexpf(x: f32, b: *mut i32) -> f32 {
    let (fraction, exponent) = x.frexp();
    // SAFETY: the caller's promise.
    unsafe { *b = exponent };
    fraction
}

/// The part behind the point, and through `b` the part before it, both with the number's sign.
///
/// # Safety
///
/// `b` may be written through.
#[inline]
pub unsafe fn modff(x: f32, b: *mut f32) -> f32 {
    let whole = GpuFloat::trunc(x);
    // SAFETY: the caller's promise.
    unsafe { *b = whole };
    let rest = if x.is_infinite() { 0.0 } else { x - whole };
    f32::copysign(rest, x)
}

/// The remainder of the division rounded to the nearest quotient, and through `quo` the quotient's
/// last bits with its sign.
///
/// # Safety
///
/// `quo` may be written through.
#[inline]
pub unsafe fn remquof(x: f32, y: f32, quo: *mut i32) -> f32 {
    let (remainder, quotient) = libm::remquof(x, y);
    // SAFETY: the caller's promise.
    unsafe { *quo = quotient };
    remainder
}

/// The sine and the cosine.
///
/// # Safety
///
/// The pointers may be written through.
#[inline]
pub unsafe fn sincosf(x: f32, sptr: *mut f32, cptr: *mut f32) {
    // SAFETY: the caller's promise.
    unsafe { (*sptr, *cptr) = GpuFloat::sin_cos(x) };
}

/// The sine and the cosine of the number times π.
///
/// # Safety
///
/// The pointers may be written through.
#[inline]
pub unsafe fn sincospif(x: f32, sptr: *mut f32, cptr: *mut f32) {
    // SAFETY: the caller's promise.
    unsafe { (*sptr, *cptr) = x.sincospi() };
}

/// [`fast_sinf`] and [`fast_cosf`].
///
/// # Safety
///
/// The pointers may be written through.
#[inline]
pub unsafe fn fast_sincosf(x: f32, sptr: *mut f32, cptr: *mut f32) {
    // SAFETY: the caller's promise.
    unsafe { (*sptr, *cptr) = (x.fast_sin(), x.fast_cos()) };
}
