//! Bessel functions of integer order.
//!
//! Those of orders 0 and 1 are, below 2, polynomials of the square, with a logarithm for the second
//! kind. Beyond, both kinds are an amplitude times the cosine and the sine of a phase, which are
//! polynomials of 1 / x (Harrison 2009): so their errors are those of a sine, also where the
//! function is near one of its zeros. Other orders come from these two by recurrence, in the
//! direction in which it is stable.

use super::GpuFloat;
use super::coefficients::{AMPLITUDE, J0, J1, PHASE, Y0, Y1};
use super::pair::{Pair, truncate_to_26_bits};
use super::polynomial::polynomial;
use super::range_reduction::{Angle, angle, power};
use super::trigonometric::sine_pair;
use core::f64::consts::FRAC_2_PI;

/// Up to here the polynomials of the square.
const SMALL: f64 = 2.0;
/// From here the polynomials of 1 / x².
const LARGE: f64 = 6.0;
/// π/4 in two parts.
const EIGHTH: [f64; 2] = [core::f64::consts::FRAC_PI_4, 3.061_616_997_868_383e-17];
/// 2/π in two parts.
const PER_TURN: Pair = Pair {
    high: FRAC_2_PI,
    low: -3.935_735_335_036_497e-17,
};

/// Which of the two functions.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    First,
    Second,
}

/// A function of order 0 or 1 of a finite number of at least [`SMALL`].
fn wave(order: usize, kind: Kind, x: f64) -> f64 {
    let inverse = 1.0 / x;
    // from -1 to 1
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
    // the angle less an eighth of a turn, between -π/4 and π/4
    let Angle { rest, quarter } = angle(x);
    let (eighth, before) = if rest.high < 0.0 {
        (EIGHTH, 1)
    } else {
        ([-EIGHTH[0], -EIGHTH[1]], 0)
    };
    let turned = Pair::from_unordered_sum(rest.high, eighth[0]);
    let turned = Pair::from_unordered_sum(
        turned.high,
        turned.low + (rest.low + eighth[1]) + phase * inverse,
    );
    let cosine = if kind == Kind::First { 1 } else { 0 };
    let wave = sine_pair(Angle {
        rest: turned,
        // order 1 is another quarter of a turn back
        quarter: quarter
            .wrapping_add(cosine)
            .wrapping_sub(before + order as u32)
            & 3,
    });
    // 2 / πx and its root, with what they round away; of numbers whose halves' products overflow
    // 2⁻⁴⁰⁰ times
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

/// The function of order 0 and the first kind of a number below [`SMALL`].
fn small_j0(x: f64) -> f64 {
    let square = x * x;
    let short = truncate_to_26_bits(x);
    let quarter = 0.25 * (short * short);
    let near = Pair::from_sum(1.0, -quarter);
    let beside = 0.25 * ((x - short) * (x + short));
    near.high + (near.low + (square * square * polynomial(square, J0) - beside))
}

/// The same of order 1.
fn small_j1(x: f64) -> f64 {
    let square = x * x;
    0.5 * x + x * square * polynomial(square, J1)
}

/// The function of the first kind of order 0.
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

/// The function of the first kind of order 1.
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

/// What the functions of the second kind are where they are no number above 0: -∞ at 0, 0 at ∞, and
/// NaN.
fn second_of_special(x: f64) -> f64 {
    if x == 0.0 {
        f64::NEG_INFINITY
    } else if x == f64::INFINITY {
        0.0
    } else {
        f64::NAN
    }
}

/// The function of the second kind of order 0.
pub fn y0(x: f64) -> f64 {
    if !(x > 0.0 && x < f64::INFINITY) {
        return second_of_special(x);
    }
    if x < SMALL {
        return FRAC_2_PI * (GpuFloat::ln(x) * small_j0(x)) + polynomial(x * x, Y0);
    }
    wave(0, Kind::Second, x)
}

/// The function of the second kind of order 1.
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

/// Whether functions of order `order` are those of order 0 or 1 but for the sign: the phases differ
/// by less than 2⁻⁵⁵.
fn is_far(order: u32, x: f64) -> bool {
    let order = f64::from(order);
    x > order * order * 36_028_797_018_963_968.0
}

/// `x`, or if `negative` its opposite.
fn with_sign(x: f64, negative: bool) -> f64 {
    if negative { -x } else { x }
}

/// The function of the first kind of order `order`.
pub fn jn(order: i32, x: f64) -> f64 {
    let size = x.abs();
    let n = order.unsigned_abs();
    if x.is_nan() {
        return x;
    }
    // of an odd order it changes its sign with the number's and with the order's
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

/// The function of the second kind of order `order`.
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

/// The function of order `n`, which is at least 1, from those of orders 0 and 1.
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

/// The function of the first kind of an order `n` of at least 2, greater than `x`: from an order so
/// much greater that its function is as good as 0 down to 0 and 1, whose values give the scale
/// (Miller's algorithm).
fn downwards(n: u32, x: f64) -> f64 {
    let order = f64::from(n);
    // (x / 2)ⁿ / n! is the value at most: 0?
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
    let (mut after, mut value, mut wanted) = (0.0, 1e-90, 0.0);
    while at > 0.0 {
        let next = value * (2.0 * at / x) - after;
        (after, value) = (value, next);
        at -= 1.0;
        if at == order {
            wanted = value;
        }
        if GpuFloat::abs(value) > HUGE {
            value /= HUGE;
            after /= HUGE;
            wanted /= HUGE;
        }
    }
    // `value` is of order 0, `after` of order 1
    if GpuFloat::abs(value) > GpuFloat::abs(after) {
        j0(x) * (wanted / value)
    } else {
        j1(x) * (wanted / after)
    }
}
