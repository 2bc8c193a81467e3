//! Sine, cosine and tangent: [range reduction](super::range_reduction), then polynomials on [-π/4,
//! π/4].

use super::coefficients::{COSINE, SHORT_COSINE, SHORT_SINE, SINE, SIXTH};
use super::pair::{Pair, truncate_to_26_bits};
use super::polynomial::polynomial;
use super::range_reduction::{Angle, angle, short_angle};

/// Magnitude below which sine and tangent equal their argument.
const TINY: f64 = 7.450_580_596_923_828e-9;

/// Computes the sine of a reduced angle.
#[inline(always)]
fn sine(reduced: Pair) -> Pair {
    let (x, square) = (reduced.high, reduced.high * reduced.high);
    // the leading 8 bits of the number, the sixth of whose cube is exact, and the rest of the cube
    let short = f64::from_bits(x.to_bits() & !0xfff_ffff_ffff);
    let cube = short * short * short;
    let correction = (x - short) * (square + short * (x + short));
    let near = Pair::from_sum(x, cube * SIXTH[0]);
    let far = x * square * (SIXTH[1] + square * polynomial(square, SINE));
    let small = correction * SIXTH[0] + far + reduced.low * (1.0 - 0.5 * square);
    Pair::from_sum(near.high, near.low + small)
}

/// Computes the cosine of a reduced angle.
#[inline(always)]
fn cosine(reduced: Pair) -> Pair {
    let (x, square) = (reduced.high, reduced.high * reduced.high);
    // half the square as the sum of an exact number and a small one
    let short = truncate_to_26_bits(x);
    let half = 0.5 * (short * short);
    let half_rest = 0.5 * ((x - short) * (x + short));
    let near = 1.0 - half;
    let lost = (1.0 - near) - half;
    let quartic = square * square * polynomial(square, COSINE);
    Pair::from_sum(near, lost + (quartic - half_rest - x * reduced.low))
}

#[inline(always)]
fn negated_if(x: f64, negative: bool) -> f64 {
    f64::from_bits(x.to_bits() ^ (negative as u64) << 63)
}

/// Computes the sine of an angle in any quadrant.
#[inline(always)]
pub fn sine_pair(angle: Angle) -> Pair {
    let size = if angle.quarter & 1 == 0 {
        sine(angle.reduced)
    } else {
        cosine(angle.reduced)
    };
    let negative = angle.quarter & 2 != 0;
    Pair {
        high: negated_if(size.high, negative),
        low: negated_if(size.low, negative),
    }
}

#[inline(always)]
fn sine_in_quadrant(angle: Angle) -> f64 {
    sine_pair(angle).high
}

pub fn sin(x: f64) -> f64 {
    if x.abs() < TINY {
        return x;
    }
    if !x.is_finite() {
        return f64::NAN;
    }
    sine_in_quadrant(angle(x))
}

pub fn cos(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let Angle { reduced, quarter } = angle(x);
    sine_in_quadrant(Angle {
        reduced,
        quarter: quarter + 1,
    })
}

pub fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() < TINY {
        return (x, 1.0);
    }
    if !x.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    let Angle { reduced, quarter } = angle(x);
    let (sine, cosine) = (sine(reduced).high, cosine(reduced).high);
    let (sine, cosine) = if quarter & 1 == 0 {
        (sine, cosine)
    } else {
        (cosine, sine)
    };
    (
        negated_if(sine, quarter & 2 != 0),
        negated_if(cosine, (quarter + 1) & 2 != 0),
    )
}

pub fn tan(x: f64) -> f64 {
    if x.abs() < TINY {
        return x;
    }
    if !x.is_finite() {
        return f64::NAN;
    }
    let Angle { reduced, quarter } = angle(x);
    let (sine, cosine) = (sine(reduced), cosine(reduced));
    if quarter & 1 == 0 {
        sine.divide(cosine).high
    } else {
        -cosine.divide(sine).high
    }
}

#[inline(always)]
fn short_sine(x: f64) -> f64 {
    let square = x * x;
    x + x * square * polynomial(square, SHORT_SINE)
}

#[inline(always)]
fn short_cosine(x: f64) -> f64 {
    let square = x * x;
    (1.0 - 0.5 * square) + square * square * polynomial(square, SHORT_COSINE)
}

/// Computes the sine of a 24-bit angle in any quadrant.
#[inline(always)]
fn short_sine_in_quadrant((reduced, quarter): (f64, u32)) -> f32 {
    let size = if quarter & 1 == 0 {
        short_sine(reduced)
    } else {
        short_cosine(reduced)
    };
    negated_if(size, quarter & 2 != 0) as f32
}

/// Magnitude below which sine and tangent of 24-bit numbers equal their argument.
const SHORT_TINY: f32 = 1.0 / 4096.0;

pub fn sinf(x: f32) -> f32 {
    if x.abs() < SHORT_TINY {
        return x;
    }
    if !x.is_finite() {
        return f32::NAN;
    }
    short_sine_in_quadrant(short_angle(x.into()))
}

pub fn cosf(x: f32) -> f32 {
    if !x.is_finite() {
        return f32::NAN;
    }
    let (reduced, quarter) = short_angle(x.into());
    short_sine_in_quadrant((reduced, quarter + 1))
}

pub fn sincosf(x: f32) -> (f32, f32) {
    if x.abs() < SHORT_TINY {
        return (x, 1.0);
    }
    if !x.is_finite() {
        return (f32::NAN, f32::NAN);
    }
    let (reduced, quarter) = short_angle(x.into());
    (
        short_sine_in_quadrant((reduced, quarter)),
        short_sine_in_quadrant((reduced, quarter + 1)),
    )
}

pub fn tanf(x: f32) -> f32 {
    if x.abs() < SHORT_TINY {
        return x;
    }
    if !x.is_finite() {
        return f32::NAN;
    }
    let (reduced, quarter) = short_angle(x.into());
    let (sine, cosine) = (short_sine(reduced), short_cosine(reduced));
    let tangent = if quarter & 1 == 0 {
        sine / cosine
    } else {
        -cosine / sine
    };
    tangent as f32
}
