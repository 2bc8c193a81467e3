//! Exact remainder of a division. The device's `%` is `x - trunc(x / y) * y`, rounded at every
//! step.

/// Number of fraction bits of an `f64`.
const FRACTION_BITS: i32 = 52;
/// Exponent of the smallest subnormal number.
const MIN_EXPONENT: i32 = -1074;

/// Returns the remainder of `x / y` with the quotient rounded towards zero: exact, with the sign of
/// `x`, and NaN if `x` is infinite or `y` is 0.
pub fn remainder(x: f64, y: f64) -> f64 {
    let (dividend, divisor) = (x.abs(), y.abs());
    if !(dividend < f64::INFINITY && divisor > 0.0) {
        return f64::NAN;
    }
    if dividend < divisor {
        return x;
    }
    // Binary long division; both significands have their leading bit at the same position.
    let (mut remaining, top) = significand(dividend);
    let (divisor, bottom) = significand(divisor);
    for _ in bottom..top {
        if remaining >= divisor {
            remaining -= divisor;
        }
        remaining <<= 1;
    }
    if remaining >= divisor {
        remaining -= divisor;
    }
    compose(remaining, bottom).copysign(x)
}

/// Decomposes a positive finite number into an integer with bit 52 set and the exponent of its last
/// bit.
fn significand(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    let biased = (bits >> FRACTION_BITS) as i32;
    if biased == 0 {
        let shift = fraction.leading_zeros() as i32 - (63 - FRACTION_BITS);
        (fraction << shift, MIN_EXPONENT - shift)
    } else {
        (fraction | 1 << FRACTION_BITS, biased - 1 + MIN_EXPONENT)
    }
}

/// Composes `integer * 2^exponent`, which must be representable: `integer` has at most 53 bits, and
/// none below the smallest subnormal.
fn compose(integer: u64, exponent: i32) -> f64 {
    if integer == 0 {
        return 0.0;
    }
    let shift = integer.leading_zeros() as i32 - (63 - FRACTION_BITS);
    let (integer, exponent) = (integer << shift, exponent - shift);
    let below = MIN_EXPONENT - exponent;
    if below > 0 {
        return f64::from_bits(integer >> below);
    }
    let biased = (1 - below) as u64;
    f64::from_bits((integer & ((1 << FRACTION_BITS) - 1)) | biased << FRACTION_BITS)
}

#[cfg(test)]
mod tests {
    use super::remainder;

    #[test]
    fn remainder_agrees_with_the_cpus_operator() {
        // Bit patterns of every magnitude, including subnormals.
        let patterns: Vec<f64> = (0..64)
            .flat_map(|shift| {
                [
                    u64::MAX >> shift,
                    0x7fef_ffff_ffff_ffff >> shift,
                    0x1234_5678_9abc_def1 >> shift,
                ]
            })
            .map(f64::from_bits)
            .chain([
                0.0,
                -0.0,
                1.0,
                -1.5,
                3.0,
                f64::INFINITY,
                f64::MAX,
                f64::MIN_POSITIVE,
            ])
            .collect();
        for &x in &patterns {
            for &y in &patterns {
                let (ours, cpu) = (remainder(x, y), x % y);
                assert!(
                    ours.to_bits() == cpu.to_bits() || ours.is_nan() && cpu.is_nan(),
                    "{x} % {y}: {ours}"
                );
            }
        }
    }
}
