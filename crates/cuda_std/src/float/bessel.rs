//! Bessel functions of integer order.
//!
//! Below 2, orders 0 and 1 are polynomials of x², plus a logarithmic term for the second kind.
//! Beyond, both kinds are an amplitude times the cosine or sine of a phase, where amplitude and
//! phase are polynomials of 1 / x (Harrison 2009); the error is therefore that of a sine, also near
//! the zeros of the function. Other orders follow by recurrence in its stable direction.

use super::GpuFloat;
use super::coefficients::{AMPLITUDE, J0, J1, PHASE, Y0, Y1};
use super::pair::{Pair, truncate_to_26_bits};
use super::polynomial::polynomial;
use super::range_reduction::{Angle, angle, power};
use super::trigonometric::sine_pair;
use core::f64::consts::FRAC_2_PI;

/// Upper limit of the polynomials of x².
const SMALL: f64 = 2.0;
/// Lower limit of the polynomials of 1 / x².
const LARGE: f64 = 6.0;
/// π/4 as the sum of two numbers.
const EIGHTH: [f64; 2] = [core::f64::consts::FRAC_PI_4, 3.061_616_997_868_383e-17];
/// 2/π as the sum of two numbers.
const PER_TURN: Pair = Pair {
    high: FRAC_2_PI,
    low: -3.935_735_335_036_497e-17,
};

/// Kind of the Bessel function.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    First,
    Second,
}

/// Computes a function of order 0 or 1 for a finite number of at least [`SMALL`].
fn wave(order: usize, kind: Kind, x: f64) -> f64 {
    let inverse = 1.0 / x;
    // scaled to -1..1
    let (range, variable) = if x < LARGE {
        (0, inverse * 6.0 - 2.0)
    } else {
        (1, (LARGE * LARGE * 2.0) * (inverse * inverse) - 1.0)
    };
    let (phases, amplitudes) = (&PHASE[order][range], &AMPLITUDE[order][range]);
    let (mut phase, mut amplitude) = (phases[0], amplitudes[0]);
    let mut next = 1;
    while next < phases.len() {
        phase = phase * variable + phases[next];
        amplitude = amplitude * variable + amplitudes[next];
        next += 1;
    }
    // the phase minus π/4, between -π/4 and π/4
    let Angle { reduced, quarter } = angle(x);
    let (eighth, before) = if reduced.high < 0.0 {
        (EIGHTH, 1)
    } else {
        ([-EIGHTH[0], -EIGHTH[1]], 0)
    };
    let turned = Pair::from_unordered_sum(reduced.high, eighth[0]);
    let turned = Pair::from_unordered_sum(
        turned.high,
        turned.low + (reduced.low + eighth[1]) + phase * inverse,
    );
    let cosine = if kind == Kind::First { 1 } else { 0 };
    let wave = sine_pair(Angle {
        reduced: turned,
        // order 1 lags by another quarter turn
        quarter: quarter
            .wrapping_add(cosine)
            .wrapping_sub(before + order as u32)
            & 3,
    });
    // 2 / (π x) and its square root, with their rounding errors; scaled by 2⁻⁴⁰⁰ where Dekker's
    // product would overflow
    let (x, scale) = if x > 1e200 {
        (x * power(-400), power(-200))
    } else {
        (x, 1.0)
    };
    let square = PER_TURN.divide(Pair { high: x, low: 0.0 });
    let root = GpuFloat::sqrt(square.high);
    let product = Pair::from_product(root, root);
    let below = ((square.high - product.high) - product.low + square.low) / (2.0 * root);
    let result = Pair::from_product(root, wave.high);
    let small = root * wave.low + (below + root * amplitude) * wave.high;
    (result.high + (result.low + small)) * scale
}

/// Computes J₀ below [`SMALL`].
fn small_j0(x: f64) -> f64 {
    let square = x * x;
    let short = truncate_to_26_bits(x);
    let quarter = 0.25 * (short * short);
    let near = Pair::from_sum(1.0, -quarter);
    let correction = 0.25 * ((x - short) * (x + short));
    near.high + (near.low + (square * square * polynomial(square, J0) - correction))
}

/// Computes J₁ below [`SMALL`].
fn small_j1(x: f64) -> f64 {
    let square = x * x;
    0.5 * x + x * square * polynomial(square, J1)
}

/// Returns J₀(x).
pub fn j0(x: f64) -> f64 {
    let x = x.abs();
    if x < SMALL {
        small_j0(x)
    } else if x < f64::INFINITY {
        wave(0, Kind::First, x)
    } else if x == f64::INFINITY {
        0.0
    } else {
        x
    }
}

/// Returns J₁(x).
pub fn j1(x: f64) -> f64 {
    let size = x.abs();
    let value = if size < SMALL {
        small_j1(size)
    } else if size < f64::INFINITY {
        wave(1, Kind::First, size)
    } else if size == f64::INFINITY {
        0.0
    } else {
        return x;
    };
    if x.is_sign_negative() { -value } else { value }
}

/// Returns the functions of the second kind outside the positive numbers: -∞ at 0, 0 at ∞, and NaN.
fn second_of_special(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x == f64::INFINITY {
        0.0
    } else {
        f64::NAN
    }
}

/// Returns Y₀(x).
pub fn y0(x: f64) -> f64 {
    if !(x > 0.0 && x < f64::INFINITY) {
        return second_of_special(x);
    }
    if x < SMALL {
        return FRAC_2_PI * (GpuFloat::ln(x) * small_j0(x)) + polynomial(x * x, Y0);
    }
    wave(0, Kind::Second, x)
}

/// Returns Y₁(x).
pub fn y1(x: f64) -> f64 {
    if !(x > 0.0 && x < f64::INFINITY) {
        return second_of_special(x);
    }
    if x < SMALL {
        if x < 1e-16 {
            return -(FRAC_2_PI / x);
        }
        let pole = PER_TURN.divide(Pair { high: x, low: 0.0 });
        let small = FRAC_2_PI * (GpuFloat::ln(x) * small_j1(x)) + x * polynomial(x * x, Y1);
        return (small - pole.low) - pole.high;
    }
    wave(1, Kind::Second, x)
}

/// Returns `true` if functions of order `order` equal those of order 0 or 1 up to the sign, because
/// the phases differ by less than 2⁻⁵⁵.
fn is_far(order: u32, x: f64) -> bool {
    let order = f64::from(order);
    x > order * order * 36_028_797_018_963_968.0
}

/// Returns `x`, or `-x` if `negative`.
fn with_sign(x: f64, negative: bool) -> f64 {
    if negative { -x } else { x }
}

/// Returns the Bessel function of the first kind of order `order`.
pub fn jn(order: i32, x: f64) -> f64 {
    let size = x.abs();
    let n = order.unsigned_abs();
    if x.is_nan() {
        return x;
    }
    // for odd orders the sign changes with that of the argument and that of the order
    let negative = n & 1 != 0 && (x.is_sign_negative() != (order < 0));
    let value = if n == 0 {
        j0(size)
    } else if n == 1 {
        j1(size)
    } else if size == 0.0 || size == f64::INFINITY {
        0.0
    } else if is_far(n, size) {
        with_sign(if n & 1 == 0 { j0(size) } else { j1(size) }, n & 2 != 0)
    } else if f64::from(n) <= size {
        upwards(n, size, j0(size), j1(size))
    } else {
        downwards(n, size)
    };
    with_sign(value, negative)
}

/// Returns the Bessel function of the second kind of order `order`.
pub fn yn(order: i32, x: f64) -> f64 {
    let n = order.unsigned_abs();
    let value = if !(x > 0.0 && x < f64::INFINITY) {
        second_of_special(x)
    } else if n == 0 {
        y0(x)
    } else if n == 1 {
        y1(x)
    } else if is_far(n, x) {
        with_sign(if n & 1 == 0 { y0(x) } else { y1(x) }, n & 2 != 0)
    } else {
        upwards(n, x, y0(x), y1(x))
    };
    with_sign(value, n & 1 != 0 && order < 0)
}

/// Computes the function of order `n` ≥ 1 from orders 0 and 1 by upward recurrence.
fn upwards(n: u32, x: f64, zeroth: f64, first: f64) -> f64 {
    let (mut before, mut value) = (zeroth, first);
    let mut order = 1;
    while order < n && value > f64::NEG_INFINITY {
        let next = value * (2.0 * f64::from(order) / x) - before;
        (before, value) = (value, next);
        order += 1;
    }
    value
}

/// Computes the function of the first kind of order `n` ≥ 2 for `n > x` by downward recurrence
/// (Miller's algorithm), starting at an order whose function is negligible and normalising by
/// orders 0 and 1.
fn downwards(n: u32, x: f64) -> f64 {
    let order = f64::from(n);
    // |Jₙ(x)| is at most (x / 2)ⁿ / n!; is that zero?
    if order * (GpuFloat::ln(x * 0.5 / order) + 1.0) < -760.0 {
        return 0.0;
    }
    if x < 1e-8 {
        let (mut value, mut k) = (1.0, 1);
        while k <= n {
            value *= x * 0.5 / f64::from(k);
            k += 1;
        }
        return value;
    }
    const HUGE: f64 = 1e90;
    let mut at = order + GpuFloat::floor(GpuFloat::sqrt(160.0 * order));
    let (mut after, mut value, mut target) = (0.0, 1e-90, 0.0);
    while at > 0.0 {
        let next = value * (2.0 * at / x) - after;
        (after, value) = (value, next);
        at -= 1.0;
        if at == order {
            target = value;
        }
        if GpuFloat::abs(value) > HUGE {
            value /= HUGE;
            after /= HUGE;
            target /= HUGE;
        }
    }
    // `value` is of order 0, `after` of order 1
    if GpuFloat::abs(value) > GpuFloat::abs(after) {
        j0(x) * (target / value)
    } else {
        j1(x) * (target / after)
    }
}
