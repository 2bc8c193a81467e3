//! `FloatExt`: functions that `std`'s floats do not have.

use super::GpuFloat;
use super::bessel;
use super::fast;
use super::inverse;
use super::sealed::Sealed;
use core::f64::consts::{FRAC_1_SQRT_2, PI};

/// Functions that `std`'s floats do not have, under Rust-CUDA's names where it has them.
///
/// The `fast_` functions are approximations on the device, with the error bounds of the PTX manual.
/// For `f64` they are the accurate functions.
pub trait FloatExt: Sized + Sealed {
    /// Returns the cosine of `self * pi`; exact at multiples of 1/2. Error 2 ulp.
    #[must_use]
    fn cospi(self) -> Self;
    /// Returns the sine of `self * pi`; exact at multiples of 1/2. Error 2 ulp.
    #[must_use]
    fn sinpi(self) -> Self;
    /// Returns the sine and cosine of `self * pi`.
    #[must_use]
    fn sincospi(self) -> (Self, Self);
    /// Returns the error function. Error 1 ulp.
    #[must_use]
    fn error_function(self) -> Self;
    /// Returns one minus the error function, without cancellation. Error 3 ulp.
    #[must_use]
    fn complementary_error_function(self) -> Self;
    /// Returns the inverse of [`complementary_error_function`](Self::complementary_error_function).
    /// The error is that of [`inv_norm_cdf`](Self::inv_norm_cdf).
    #[must_use]
    fn inv_complementary_error_function(self) -> Self;
    /// Returns `exp(self²)` times
    /// [`complementary_error_function`](Self::complementary_error_function), which does not
    /// underflow for large numbers. Error 5 ulp.
    #[must_use]
    fn scaled_complementary_error_function(self) -> Self;
    /// Decomposes the number into `fraction * 2^exponent` with the fraction in [1/2, 1). Exact.
    #[must_use]
    fn frexp(self) -> (Self, i32);
    /// Returns the exponent of the leading binary digit. Exact.
    #[must_use]
    fn unbiased_exp(self) -> i32;
    /// Returns the Bessel function J₀. Error 1.5 ulp, near a zero 1.5 ulp of the amplitude; for
    /// `f32` 0.501.
    #[must_use]
    fn j0(self) -> Self;
    /// Returns the Bessel function J₁. Error 1.5 ulp, near a zero 1.5 ulp of the amplitude; for
    /// `f32` 0.501.
    #[must_use]
    fn j1(self) -> Self;
    /// Returns the Bessel function of the first kind of order `order`, in about `order` steps. The
    /// error grows with the square root of the order.
    #[must_use]
    fn jn(self, order: i32) -> Self;
    /// Returns `self * 2^exp`, rounded once.
    #[must_use]
    fn ldexp(self, exp: i32) -> Self;
    /// Returns the logarithm of the absolute value of the gamma function.
    #[must_use]
    fn log_gamma(self) -> Self;
    /// Returns `ln(1 + self)` without cancellation near 0. Error 1 ulp.
    #[must_use]
    fn log1p(self) -> Self;
    /// Returns the distribution function of the standard normal distribution.
    #[must_use]
    fn norm_cdf(self) -> Self;
    /// Returns the quantile function of the standard normal distribution (Wichura 1988). Error 1
    /// ulp for `f32`; for `f64` a relative error of 10⁻¹⁵, and an absolute one near 1/2.
    #[must_use]
    fn inv_norm_cdf(self) -> Self;
    /// Returns the reciprocal of the cube root. Error 2 ulp.
    #[must_use]
    fn rcbrt(self) -> Self;
    /// Clamps the number to [0, 1]; +0 for NaN and for -0. Exact.
    #[must_use]
    fn saturate(self) -> Self;
    /// Returns `self * 2^exp`, rounded once.
    #[must_use]
    fn scale_by_n(self, exp: i32) -> Self;
    /// Returns the gamma function.
    #[must_use]
    fn gamma(self) -> Self;
    /// Returns the Bessel function Y₀. Error 3 ulp, near a zero 3 ulp of the amplitude; for `f32`
    /// 0.501.
    #[must_use]
    fn y0(self) -> Self;
    /// Returns the Bessel function Y₁. Error 3 ulp, near a zero 3 ulp of the amplitude; for `f32`
    /// 0.501.
    #[must_use]
    fn y1(self) -> Self;
    /// Returns the Bessel function of the second kind of order `order`, in about `order` steps. The
    /// error grows with the square root of the order.
    #[must_use]
    fn yn(self, order: i32) -> Self;
    /// Returns the reciprocal square root, from two correctly rounded operations: equal bits on
    /// both targets. Error 2 ulp.
    #[must_use]
    fn rsqrt(self) -> Self;
    /// Returns an approximate 1 / √x: relative error at most 2^-22.9 on the device.
    #[must_use]
    fn fast_rsqrt(self) -> Self;
    /// Returns an approximate square root: relative error at most 2^-23 on the device.
    #[must_use]
    fn fast_sqrt(self) -> Self;
    /// Returns an approximate reciprocal: 1 ulp on the device.
    #[must_use]
    fn fast_recip(self) -> Self;
    /// Returns an approximate 2^x: 2 ulp on the device.
    #[must_use]
    fn fast_exp2(self) -> Self;
    /// Returns an approximate e^x: [`fast_exp2`](Self::fast_exp2) of the product with log2(e), so
    /// the error grows with |x|.
    #[must_use]
    fn fast_exp(self) -> Self;
    /// Returns an approximate logarithm of base 2: absolute error at most 2^-22 between 1/2 and 2
    /// on the device, else 2 ulp.
    #[must_use]
    fn fast_log2(self) -> Self;
    /// Returns an approximate natural logarithm: [`fast_log2`](Self::fast_log2) times ln(2).
    #[must_use]
    fn fast_ln(self) -> Self;
    /// Returns an approximate sine: absolute error at most 2^-20.5 between -π and π on the device,
    /// worse beyond.
    #[must_use]
    fn fast_sin(self) -> Self;
    /// Returns an approximate cosine: absolute error at most 2^-20.5 between -π and π on the
    /// device, worse beyond.
    #[must_use]
    fn fast_cos(self) -> Self;
}

/// Defines functions that are `libm`'s under another name.
macro_rules! renamed {
    ($($method:ident $function:ident;)+) => {
        $(
            #[inline]
            fn $method(self) -> Self {
                libm::$function(self)
            }
        )+
    };
}

macro_rules! float_ext {
    ($float:ident frexp: $frexp:ident ilogb: $ilogb:ident scalbn: $scalbn:ident erfc: $erfc:ident { $($method:ident $function:ident;)+ } $($fast:item)+) => {
        impl FloatExt for $float {
            #[inline]
            fn cospi(self) -> Self {
                self.sincospi().1
            }

            #[inline]
            fn sinpi(self) -> Self {
                self.sincospi().0
            }

            #[inline]
            fn sincospi(self) -> (Self, Self) {
                // The nearest multiple of 1/2 is subtracted exactly; the rest is at most 1/4.
                let halves = GpuFloat::round_ties_even(self * 2.0);
                let fraction = GpuFloat::mul_add(halves, -0.5, self);
                let (sine, cosine) = GpuFloat::sin_cos(fraction * PI as $float);
                let quadrant = halves - 4.0 * GpuFloat::floor(halves * 0.25);
                let (sine, cosine) = if quadrant == 1.0 {
                    (cosine, -sine)
                } else if quadrant == 2.0 {
                    (-sine, -cosine)
                } else if quadrant == 3.0 {
                    (-cosine, sine)
                } else {
                    (sine, cosine)
                };
                // Zeros are positive, except for the sine of a negative integer, as required by
                // IEEE 754's sinPi.
                (if sine == 0.0 { (0.0 as $float).copysign(self) } else { sine }, cosine + 0.0)
            }

            #[inline]
            fn frexp(self) -> (Self, i32) {
                libm::$frexp(self)
            }

            #[inline]
            fn unbiased_exp(self) -> i32 {
                libm::$ilogb(self)
            }

            #[inline]
            fn j0(self) -> Self {
                bessel::j0(self.into()) as $float
            }

            #[inline]
            fn j1(self) -> Self {
                bessel::j1(self.into()) as $float
            }

            #[inline]
            fn y0(self) -> Self {
                bessel::y0(self.into()) as $float
            }

            #[inline]
            fn y1(self) -> Self {
                bessel::y1(self.into()) as $float
            }

            #[inline]
            fn jn(self, order: i32) -> Self {
                bessel::jn(order, self.into()) as $float
            }

            #[inline]
            fn yn(self, order: i32) -> Self {
                bessel::yn(order, self.into()) as $float
            }

            #[inline]
            fn ldexp(self, exp: i32) -> Self {
                libm::$scalbn(self, exp)
            }

            #[inline]
            fn scale_by_n(self, exp: i32) -> Self {
                libm::$scalbn(self, exp)
            }

            #[inline]
            fn norm_cdf(self) -> Self {
                0.5 * libm::$erfc(-self * FRAC_1_SQRT_2 as $float)
            }

            #[inline]
            fn inv_complementary_error_function(self) -> Self {
                inverse::complementary_error_function(self.into()) as $float
            }

            #[inline]
            fn scaled_complementary_error_function(self) -> Self {
                inverse::scaled_complementary_error_function(self.into()) as $float
            }

            #[inline]
            fn inv_norm_cdf(self) -> Self {
                inverse::norm_cdf(self.into()) as $float
            }

            #[inline]
            fn rcbrt(self) -> Self {
                1.0 / GpuFloat::cbrt(self)
            }

            #[inline(always)]
            fn saturate(self) -> Self {
                // Not `max` and `min`, which may return either zero for zeros of different sign.
                if self > 0.0 {
                    if self < 1.0 { self } else { 1.0 }
                } else {
                    0.0
                }
            }

            #[inline(always)]
            fn rsqrt(self) -> Self {
                1.0 / GpuFloat::sqrt(self)
            }

            renamed! { $($method $function;)+ }
            $($fast)+
        }
    };
}

float_ext! { f32 frexp: frexpf ilogb: ilogbf scalbn: scalbnf erfc: erfcf {
        error_function erff;
        complementary_error_function erfcf;
        log_gamma lgammaf;
        gamma tgammaf;
        log1p log1pf;
    }
    #[inline(always)]
    fn fast_rsqrt(self) -> Self {
        fast::rsqrt(self)
    }
    #[inline(always)]
    fn fast_sqrt(self) -> Self {
        fast::sqrt(self)
    }
    #[inline(always)]
    fn fast_recip(self) -> Self {
        fast::recip(self)
    }
    #[inline(always)]
    fn fast_exp2(self) -> Self {
        fast::exp2(self)
    }
    #[inline(always)]
    fn fast_exp(self) -> Self {
        fast::exp2(self * core::f32::consts::LOG2_E)
    }
    #[inline(always)]
    fn fast_log2(self) -> Self {
        fast::log2(self)
    }
    #[inline(always)]
    fn fast_ln(self) -> Self {
        fast::log2(self) * core::f32::consts::LN_2
    }
    #[inline(always)]
    fn fast_sin(self) -> Self {
        fast::sin(self)
    }
    #[inline(always)]
    fn fast_cos(self) -> Self {
        fast::cos(self)
    }
}

float_ext! { f64 frexp: frexp ilogb: ilogb scalbn: scalbn erfc: erfc {
        error_function erf;
        complementary_error_function erfc;
        log_gamma lgamma;
        gamma tgamma;
        log1p log1p;
    }
    #[inline]
    fn fast_rsqrt(self) -> Self {
        self.rsqrt()
    }
    #[inline]
    fn fast_sqrt(self) -> Self {
        GpuFloat::sqrt(self)
    }
    #[inline]
    fn fast_recip(self) -> Self {
        self.recip()
    }
    #[inline]
    fn fast_exp2(self) -> Self {
        GpuFloat::exp2(self)
    }
    #[inline]
    fn fast_exp(self) -> Self {
        GpuFloat::exp(self)
    }
    #[inline]
    fn fast_log2(self) -> Self {
        GpuFloat::log2(self)
    }
    #[inline]
    fn fast_ln(self) -> Self {
        GpuFloat::ln(self)
    }
    #[inline]
    fn fast_sin(self) -> Self {
        GpuFloat::sin(self)
    }
    #[inline]
    fn fast_cos(self) -> Self {
        GpuFloat::cos(self)
    }
}
