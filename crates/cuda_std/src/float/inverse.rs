//! Inverses of the normal distribution function and of the error functions, and the scaled error
//! function. Computed in f64 by operations that are exact or `libm`'s, so that both targets give
//! equal bits.

use super::GpuFloat;
use super::polynomial::polynomial;
use core::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Returns the quantile of the standard normal distribution at probability `p`: algorithm AS 241
/// (PPND16) of Wichura (1988), with rational functions of degree 7 for the centre and for two parts
/// of the tails.
pub fn norm_cdf(p: f64) -> f64 {
    let from_middle = p - 0.5;
    if GpuFloat::abs(from_middle) <= 0.425 {
        return near(from_middle);
    }
    if from_middle < 0.0 {
        -far(p)
    } else {
        far(1.0 - p)
    }
}

/// Returns the quantile at probability 1/2 + `from_middle`, with `|from_middle|` at most 0.425.
fn near(from_middle: f64) -> f64 {
    let r = 0.180_625 - from_middle * from_middle;
    from_middle * polynomial(r, MIDDLE.0) / polynomial(r, MIDDLE.1)
}

/// Returns the inverse of `erf` on [-1, 1].
pub fn error_function(x: f64) -> f64 {
    let size = GpuFloat::abs(x);
    if size <= 0.85 {
        return near(x * 0.5) * FRAC_1_SQRT_2;
    }
    f64::copysign(far((1.0 - size) * 0.5) * FRAC_1_SQRT_2, x)
}

/// Returns the number that a standard normal variable exceeds with probability `tail` < 0.075.
fn far(tail: f64) -> f64 {
    if tail.is_nan() || tail < 0.0 {
        return f64::NAN;
    }
    if tail == 0.0 {
        return f64::INFINITY;
    }
    let r = GpuFloat::sqrt(-GpuFloat::ln(tail));
    if r <= 5.0 {
        polynomial(r - 1.6, TAIL.0) / polynomial(r - 1.6, TAIL.1)
    } else {
        polynomial(r - 5.0, FAR_TAIL.0) / polynomial(r - 5.0, FAR_TAIL.1)
    }
}

/// Returns the inverse of `erfc` on [0, 2].
pub fn complementary_error_function(x: f64) -> f64 {
    // the tail at 2 is that of 2 - x, which is exact, as is halving
    if x > 1.85 {
        -far((2.0 - x) * 0.5) * FRAC_1_SQRT_2
    } else {
        -norm_cdf(x * 0.5) * FRAC_1_SQRT_2
    }
}

/// Returns `erfc(x) e^(x²)`.
pub fn scaled_complementary_error_function(x: f64) -> f64 {
    if x < 10.0 {
        // the square as the sum of two numbers, so that its rounding error is not amplified
        let square = x * x;
        let lost = GpuFloat::mul_add(x, x, -square);
        let power = GpuFloat::exp(square);
        let scaled = libm::erfc(x) * power;
        // at -27 and below the power is infinite
        return if scaled.is_finite() {
            scaled + scaled * lost
        } else {
            scaled
        };
    }
    // 1 - 1/(2x²) + 3/(2x²)² - 15/(2x²)³ ..., whose sixteenth term is below 10⁻¹⁷
    let step = 0.5 / (x * x);
    let mut sum = 1.0;
    let mut odd = 31.0;
    while odd > 0.0 {
        sum = 1.0 - odd * step * sum;
        odd -= 2.0;
    }
    // √π / 2 · √2 · √2
    sum / (x * (GpuFloat::sqrt(core::f64::consts::FRAC_PI_2) * SQRT_2))
}

/// Numerator and denominator of a rational function, with the published digits.
type Quotient = ([f64; 8], [f64; 8]);

#[rustfmt::skip]
#[allow(clippy::excessive_precision)]
const MIDDLE: Quotient = (
    [
        2.509_080_928_730_122_7e3, 3.343_057_558_358_812_6e4, 6.726_577_092_700_87e4, 4.592_195_393_154_987e4,
        1.373_169_376_550_946e4, 1.971_590_950_306_551_3e3, 1.331_416_678_917_843_8e2, 3.387_132_872_796_366_5,
    ],
    [
        5.226_495_278_852_854e3, 2.872_908_573_572_194_3e4, 3.930_789_580_009_271e4, 2.121_379_430_158_66e4,
        5.394_196_021_424_751e3, 6.871_870_074_920_579e2, 4.231_333_070_160_091e1, 1.0,
    ],
);

#[rustfmt::skip]
#[allow(clippy::excessive_precision)]
const TAIL: Quotient = (
    [
        7.745_450_142_783_414e-4, 2.272_384_498_926_918_4e-2, 2.417_807_251_774_506e-1, 1.270_458_252_452_368_4,
        3.647_848_324_763_204_5, 5.769_497_221_460_691, 4.630_337_846_156_546, 1.423_437_110_749_683_5,
    ],
    [
        1.050_750_071_644_416_9e-9, 5.475_938_084_995_345e-4, 1.519_866_656_361_645_7e-2, 1.481_039_764_274_800_8e-1,
        6.897_673_349_851e-1, 1.676_384_830_183_803_8, 2.053_191_626_637_759, 1.0,
    ],
);

#[rustfmt::skip]
#[allow(clippy::excessive_precision)]
const FAR_TAIL: Quotient = (
    [
        2.010_334_399_292_288e-7, 2.711_555_568_743_487_6e-5, 1.242_660_947_388_078_4e-3, 2.653_218_952_657_612_4e-2,
        2.965_605_718_285_048_7e-1, 1.784_826_539_917_291_3, 5.463_784_911_164_114, 6.657_904_643_501_103,
    ],
    [
        2.044_263_103_389_939_8e-15, 1.421_511_758_316_445_9e-7, 1.846_318_317_510_054_8e-5, 7.868_691_311_456_132e-4,
        1.487_536_129_085_061_5e-2, 1.369_298_809_227_358e-1, 5.998_322_065_558_879e-1, 1.0,
    ],
);
