//! `GpuFloat`: the methods of `std`'s floats, for both targets.

use super::exact::Exact;
use super::remainder::remainder;
use super::root;
use super::sealed::Sealed;
use super::trigonometric;

/// The methods of `std`'s floats, for both targets.
///
/// For functions that are not exact the documentation gives the maximum error in units in the last
/// place (ulp) that the tests of this crate allow; they sample the entire range of arguments but
/// are not exhaustive. See the [module](super) on method calls.
pub trait GpuFloat: Copy + PartialOrd + Sealed {
    /// Returns the largest integer not greater than the number. Exact.
    #[must_use]
    fn floor(self) -> Self;
    /// Returns the smallest integer not less than the number. Exact.
    #[must_use]
    fn ceil(self) -> Self;
    /// Returns the nearest integer, halves away from zero. Exact.
    #[must_use]
    fn round(self) -> Self;
    /// Returns the nearest integer, halves to the even one. Exact.
    #[must_use]
    fn round_ties_even(self) -> Self;
    /// Returns the integer part, towards zero. Exact.
    #[must_use]
    fn trunc(self) -> Self;
    /// Returns the fractional part, with the number's sign. Exact.
    #[must_use]
    fn fract(self) -> Self;
    /// Returns the absolute value. Exact.
    #[must_use]
    fn abs(self) -> Self;
    /// Returns 1 with the number's sign, or NaN for NaN. Exact.
    #[must_use]
    fn signum(self) -> Self;
    /// Returns the number with the sign of `sign`. Exact.
    #[must_use]
    fn copysign(self, sign: Self) -> Self;
    /// Returns `self * a + b`, rounded once. Exact.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Returns the integer quotient that corresponds to [`rem_euclid`](Self::rem_euclid).
    #[must_use]
    fn div_euclid(self, rhs: Self) -> Self;
    /// Returns the non-negative remainder. Exact unless it rounds up to `rhs`.
    #[must_use]
    fn rem_euclid(self, rhs: Self) -> Self;
    /// Returns the number to an integer power, by repeated squaring; each multiplication rounds.
    #[must_use]
    fn powi(self, n: i32) -> Self;
    /// Returns the number to the power `n`. Error 1 ulp.
    #[must_use]
    fn powf(self, n: Self) -> Self;
    /// Returns the square root. Exact (rounded once).
    #[must_use]
    fn sqrt(self) -> Self;
    /// Returns e to the power of the number. Error 1 ulp.
    #[must_use]
    fn exp(self) -> Self;
    /// Returns 2 to the power of the number. Error 1 ulp.
    #[must_use]
    fn exp2(self) -> Self;
    /// Returns the natural logarithm. Error 1 ulp.
    #[must_use]
    fn ln(self) -> Self;
    /// Returns the logarithm to base `base`: the quotient of two natural logarithms.
    #[must_use]
    fn log(self, base: Self) -> Self;
    /// Returns the base-2 logarithm. Error 1 ulp.
    #[must_use]
    fn log2(self) -> Self;
    /// Returns the base-10 logarithm. Error 2 ulp.
    #[must_use]
    fn log10(self) -> Self;
    /// Returns the cube root. Error 1 ulp, for `f64` 0.501.
    #[must_use]
    fn cbrt(self) -> Self;
    /// Returns the length of `(self, other)`, without intermediate overflow. Error 1 ulp.
    #[must_use]
    fn hypot(self, other: Self) -> Self;
    /// Returns the sine of an angle in radians, of any size. Error 0.6 ulp.
    #[must_use]
    fn sin(self) -> Self;
    /// Returns the cosine of an angle in radians, of any size. Error 0.6 ulp.
    #[must_use]
    fn cos(self) -> Self;
    /// Returns the tangent of an angle in radians, of any size. Error 0.6 ulp.
    #[must_use]
    fn tan(self) -> Self;
    /// Returns the arc sine. Error 1 ulp.
    #[must_use]
    fn asin(self) -> Self;
    /// Returns the arc cosine. Error 1 ulp.
    #[must_use]
    fn acos(self) -> Self;
    /// Returns the arc tangent. Error 1 ulp.
    #[must_use]
    fn atan(self) -> Self;
    /// Returns the angle of the point (`other`, `self`), in (-π, π]. Error 2 ulp.
    #[must_use]
    fn atan2(self, other: Self) -> Self;
    /// Returns the sine and the cosine from a single range reduction, bit-identical to
    /// [`sin`](Self::sin) and [`cos`](Self::cos).
    #[must_use]
    fn sin_cos(self) -> (Self, Self);
    /// Returns `exp(self) - 1` without cancellation near 0. Error 1 ulp.
    #[must_use]
    fn exp_m1(self) -> Self;
    /// Returns `ln(1 + self)` without cancellation near 0. Error 1 ulp.
    #[must_use]
    fn ln_1p(self) -> Self;
    /// Returns the hyperbolic sine. Error 2 ulp.
    #[must_use]
    fn sinh(self) -> Self;
    /// Returns the hyperbolic cosine. Error 2 ulp.
    #[must_use]
    fn cosh(self) -> Self;
    /// Returns the hyperbolic tangent. Error 3 ulp.
    #[must_use]
    fn tanh(self) -> Self;
    /// Returns the inverse hyperbolic sine. Error 3 ulp.
    #[must_use]
    fn asinh(self) -> Self;
    /// Returns the inverse hyperbolic cosine. Error 3 ulp.
    #[must_use]
    fn acosh(self) -> Self;
    /// Returns the inverse hyperbolic tangent. Error 3 ulp.
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
                // The remainder of two floats of equal width is exactly representable.
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
                let mut exponent = n.unsigned_abs();
                loop {
                    if exponent & 1 != 0 {
                        power *= square;
                    }
                    exponent >>= 1;
                    if exponent == 0 {
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
                // `libm` returns a number below -1 instead of NaN
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
