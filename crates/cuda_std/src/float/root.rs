//! The cube root.

use super::coefficients::INVERSE_ROOT;
use super::pair::Pair;
use super::polynomial::polynomial;

/// 1, 2^(-1/3) and 2^(-2/3).
const SCALES: [f64; 3] = [1.0, 0.793_700_525_984_099_7, 0.629_960_524_947_436_6];

/// Returns the cube root: an inverse cube root by two division-free Halley steps, and one Newton
/// step with the cube in double-double arithmetic.
pub fn cbrt(x: f64) -> f64 {
    let mut size = x.abs();
    if size == 0.0 || !size.is_finite() {
        return x;
    }
    // subnormal numbers are scaled by 2⁵⁴ and their roots by 2⁻¹⁸
    let mut exponent = 0;
    if size < f64::MIN_POSITIVE {
        size *= 18_014_398_509_481_984.0;
        exponent = -18;
    }
    let bits = size.to_bits();
    // 3072 is a multiple of 3 that makes the exponent positive
    let binary = (bits >> 52) as u32 + (3072 - 1023);
    let third = binary / 3;
    let over = binary - 3 * third;
    exponent += third as i32 - 1024;
    let significand = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    let scale = if over == 0 {
        SCALES[0]
    } else if over == 1 {
        SCALES[1]
    } else {
        SCALES[2]
    };
    // between 1 and 8
    let number = f64::from_bits(significand.to_bits() + ((over as u64) << 52));
    let mut inverse = polynomial(significand, INVERSE_ROOT) * scale;
    let mut step = 0;
    while step < 2 {
        let off = 1.0 - number * (inverse * inverse * inverse);
        inverse += inverse * off * (1.0 / 3.0 + off * (2.0 / 9.0));
        step += 1;
    }
    let square = inverse * inverse;
    let root = number * square;
    let root_squared = Pair::from_product(root, root);
    let cube = Pair::from_product(root_squared.high, root);
    let over = ((cube.high - number) + cube.low) + root * root_squared.low;
    let root = root - over * square * (1.0 / 3.0);
    let unit = f64::from_bits(((1023 + exponent) as u64) << 52);
    f64::copysign(root * unit, x)
}
