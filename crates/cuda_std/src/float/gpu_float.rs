//! `GpuFloat`: the functions of `std`'s floats, for the device too.

use super::exact::Exact;
use super::remainder::remainder;
use super::root;
use super::sealed::Sealed;
use super::trigonometric;

/// The functions of `std`'s floats, for the device too.
///
/// Where a function is not exact its documentation gives the greatest error in units in the last
/// place (ulp) that the tests of this crate allow; they look at many arguments over the whole
/// range, not at all of them. See the [module](super) on calling them by method.
pub trait GpuFloat: Copy + PartialOrd + Sealed {
    /// The greatest integer not above the number. Exact.
    #[must_use]
    fn floor(self) -> Self;
    /// The least integer not below the number. Exact.
    #[must_use]
    fn ceil(self) -> Self;
    /// The nearest integer, halves away from zero. Exact.
    #[must_use]
    fn round(self) -> Self;
    /// The nearest integer, halves to the even one. Exact.
    #[must_use]
    fn round_ties_even(self) -> Self;
    /// The integer part, towards zero. Exact.
    #[must_use]
    fn trunc(self) -> Self;
    /// The number less its integer part, with its sign. Exact.
    #[must_use]
    fn fract(self) -> Self;
    /// The number without its sign. Exact.
    #[must_use]
    fn abs(self) -> Self;
    /// 1 with the number's sign; NaN for NaN. Exact.
    #[must_use]
    fn signum(self) -> Self;
    /// The number with the sign of `sign`. Exact.
    #[must_use]
    fn copysign(self, sign: Self) -> Self;
    /// `self * a + b`, rounded once. Exact.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The integer quotient that goes with [`rem_euclid`](Self::rem_euclid).
    #[must_use]
    fn div_euclid(self, rhs: Self) -> Self;
    /// The remainder that is not negative. Exact where it does not round up to `rhs`.
    #[must_use]
    fn rem_euclid(self, rhs: Self) -> Self;
    /// The power of integer exponent, by repeated squaring; each multiplication rounds.
    #[must_use]
    fn powi(self, n: i32) -> Self;
    /// The power. 1 ulp.
    #[must_use]
    fn powf(self, n: Self) -> Self;
    /// The square root. Exact (rounded once).
    #[must_use]
    fn sqrt(self) -> Self;
    /// e to the power. 1 ulp.
    #[must_use]
    fn exp(self) -> Self;
    /// 2 to the power. 1 ulp.
    #[must_use]
    fn exp2(self) -> Self;
    /// The natural logarithm. 1 ulp.
    #[must_use]
    fn ln(self) -> Self;
    /// The logarithm of base `base`: the quotient of two natural logarithms.
    #[must_use]
    fn log(self, base: Self) -> Self;
    /// The logarithm of base 2. 1 ulp.
    #[must_use]
    fn log2(self) -> Self;
    /// The logarithm of base 10. 2 ulp.
    #[must_use]
    fn log10(self) -> Self;
    /// The cube root. 1 ulp, of `f64` 0.501.
    #[must_use]
    fn cbrt(self) -> Self;
    /// The length of `(self, other)`, without overflow on the way. 1 ulp.
    #[must_use]
    fn hypot(self, other: Self) -> Self;
    /// The sine of an angle in radians, of any size. 0.6 ulp.
    #[must_use]
    fn sin(self) -> Self;
    /// The cosine of an angle in radians, of any size. 0.6 ulp.
    #[must_use]
    fn cos(self) -> Self;
    /// The tangent of an angle in radians, of any size. 0.6 ulp.
    #[must_use]
    fn tan(self) -> Self;
    /// The arc sine. 1 ulp.
    #[must_use]
    fn asin(self) -> Self;
    /// The arc cosine. 1 ulp.
    #[must_use]
    fn acos(self) -> Self;
    /// The arc tangent. 1 ulp.
    #[must_use]
    fn atan(self) -> Self;
    /// The angle of the point (`other`, `self`), in (-π, π]. 2 ulp.
    #[must_use]
    fn atan2(self, other: Self) -> Self;
    /// The sine and the cosine, of one reduction, with the bits of [`sin`](Self::sin) and
    /// [`cos`](Self::cos).
    #[must_use]
    fn sin_cos(self) -> (Self, Self);
    /// `exp(self) - 1` without cancellation near 0. 1 ulp.
    #[must_use]
    fn exp_m1(self) -> Self;
    /// `ln(1 + self)` without cancellation near 0. 1 ulp.
    #[must_use]
    fn ln_1p(self) -> Self;
    /// The hyperbolic sine. 2 ulp.
    #[must_use]
    fn sinh(self) -> Self;
    /// The hyperbolic cosine. 2 ulp.
    #[must_use]
    fn cosh(self) -> Self;
    /// The hyperbolic tangent. 3 ulp.
    #[must_use]
    fn tanh(self) -> Self;
    /// The inverse hyperbolic sine. 3 ulp.
    #[must_use]
    fn asinh(self) -> Self;
    /// The inverse hyperbolic cosine. 3 ulp.
    #[must_use]
    fn acosh(self) -> Self;
    /// The inverse hyperbolic tangent. 3 ulp.
    #[must_use]
    fn atanh(self) -> Self;
}

macro_rules! unary {
    ($($method:ident $library:ident::$function:ident;)+) => {
        $(
            #[inline]
            fn $method(self) -> Self {
                $library::$function(self)
            }
        )+
    };
}

macro_rules! gpu_float {
    ($float:ident pow: $pow:ident hypot: $hypot:ident atan2: $atan2:ident sincos: $sincos:ident acosh: $acosh:ident $($method:ident $library:ident::$function:ident;)+) => {
        impl GpuFloat for $float {
            #[inline(always)]
            fn floor(self) -> Self {
                Exact::floor(self)
            }

            #[inline(always)]
            fn ceil(self) -> Self {
                Exact::ceil(self)
            }

            #[inline(always)]
            fn round(self) -> Self {
                Exact::round(self)
            }

            #[inline(always)]
            fn round_ties_even(self) -> Self {
                Exact::round_ties_even(self)
            }

            #[inline(always)]
            fn trunc(self) -> Self {
                Exact::trunc(self)
            }

            #[inline(always)]
            fn fract(self) -> Self {
                self - Exact::trunc(self)
            }

            #[inline(always)]
            fn abs(self) -> Self {
                $float::abs(self)
            }

            #[inline(always)]
            fn signum(self) -> Self {
                $float::signum(self)
            }

            #[inline(always)]
            fn copysign(self, sign: Self) -> Self {
                $float::copysign(self, sign)
            }

            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                Exact::mul_add(self, a, b)
            }

            #[inline]
            fn div_euclid(self, rhs: Self) -> Self {
                let quotient = Exact::trunc(self / rhs);
                if remainder(self.into(), rhs.into()) >= 0.0 {
                    quotient
                } else if rhs > 0.0 {
                    quotient - 1.0
                } else {
                    quotient + 1.0
                }
            }

            #[inline]
            fn rem_euclid(self, rhs: Self) -> Self {
                // The remainder of two floats of any width is a float of that width.
                let remainder = remainder(self.into(), rhs.into()) as $float;
                if remainder < 0.0 {
                    remainder + $float::abs(rhs)
                } else {
                    remainder
                }
            }

            #[inline]
            fn powi(self, n: i32) -> Self {
                let mut power = 1.0;
                let mut square = self;
                let mut rest = n.unsigned_abs();
                loop {
                    if rest & 1 != 0 {
                        power *= square;
                    }
                    rest >>= 1;
                    if rest == 0 {
                        break;
                    }
                    square *= square;
                }
                if n < 0 { 1.0 / power } else { power }
            }

            #[inline]
            fn powf(self, n: Self) -> Self {
                libm::$pow(self, n)
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                Exact::sqrt(self)
            }

            #[inline]
            fn log(self, base: Self) -> Self {
                GpuFloat::ln(self) / GpuFloat::ln(base)
            }

            #[inline]
            fn hypot(self, other: Self) -> Self {
                libm::$hypot(self, other)
            }

            #[inline]
            fn atan2(self, other: Self) -> Self {
                libm::$atan2(self, other)
            }

            #[inline]
            fn sin_cos(self) -> (Self, Self) {
                trigonometric::$sincos(self)
            }

            #[inline]
            fn acosh(self) -> Self {
                // `libm` has a number for those below -1
                if self < 1.0 {
                    $float::NAN
                } else {
                    libm::$acosh(self)
                }
            }

            unary! { $($method $library::$function;)+ }
        }
    };
}

gpu_float! { f32 pow: powf hypot: hypotf atan2: atan2f sincos: sincosf acosh: acoshf
    exp libm::expf;
    exp2 libm::exp2f;
    ln libm::logf;
    log2 libm::log2f;
    log10 libm::log10f;
    cbrt libm::cbrtf;
    sin trigonometric::sinf;
    cos trigonometric::cosf;
    tan trigonometric::tanf;
    asin libm::asinf;
    acos libm::acosf;
    atan libm::atanf;
    exp_m1 libm::expm1f;
    ln_1p libm::log1pf;
    sinh libm::sinhf;
    cosh libm::coshf;
    tanh libm::tanhf;
    asinh libm::asinhf;
    atanh libm::atanhf;
}

gpu_float! { f64 pow: pow hypot: hypot atan2: atan2 sincos: sin_cos acosh: acosh
    exp libm::exp;
    exp2 libm::exp2;
    ln libm::log;
    log2 libm::log2;
    log10 libm::log10;
    cbrt root::cbrt;
    sin trigonometric::sin;
    cos trigonometric::cos;
    tan trigonometric::tan;
    asin libm::asin;
    acos libm::acos;
    atan libm::atan;
    exp_m1 libm::expm1;
    ln_1p libm::log1p;
    sinh libm::sinh;
    cosh libm::cosh;
    tanh libm::tanh;
    asinh libm::asinh;
    atanh libm::atanh;
}
