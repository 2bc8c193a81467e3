//! Range reduction of angles modulo π/2.
//!
//! Up to 2²⁰ quarter turns, the multiple of π/2 is subtracted in three words (Cody and Waite 1980):
//! the products with the first two, of 33 bits, are exact. Larger numbers, and those very close to
//! a multiple, are multiplied by the relevant bits of 2/π in integer arithmetic (Payne and Hanek
//! 1983). Bits that only contribute whole turns are omitted before the multiplication, so 192 bits
//! suffice for every number and no memory is needed.

use super::coefficients::{QUARTER, QUARTER_BELOW};
use super::pair::Pair;

/// A reduced angle between about -π/4 and π/4, and the number of quarter turns removed, modulo 4.
#[derive(Clone, Copy)]
pub struct Angle {
    pub reduced: Pair,
    pub quarter: u32,
}

/// Slightly less than 2²⁰ quarter turns, in radians.
const FEW: f64 = 1_647_000.0;
/// Adding and subtracting this constant rounds a number below 2⁵¹ to the nearest integer.
const TO_INTEGER: f64 = 6_755_399_441_055_744.0;
/// Reduces a finite number of radians, with a relative error of 2⁻⁶².
#[inline]
pub fn angle(x: f64) -> Angle {
    if x.abs() < FEW {
        let turns = x * core::f64::consts::FRAC_2_PI + TO_INTEGER;
        let number = turns - TO_INTEGER;
        let near = x - number * QUARTER[0];
        let reduced = Pair::from_unordered_sum(near, -(number * QUARTER[1]));
        let reduced = Pair::from_unordered_sum(reduced.high, reduced.low - number * QUARTER[2]);
        // beyond 10⁻⁹ the relative error is 2⁻⁹⁹
        if reduced.high.abs() > 1e-9 || number == 0.0 {
            return Angle {
                reduced,
                quarter: turns.to_bits() as u32 & 3,
            };
        }
    }
    by_bits(x)
}

/// Reduces a number of 24 bits to one word, with a relative error of 2⁻³⁷.
#[inline]
pub fn short_angle(x: f64) -> (f64, u32) {
    if x.abs() < FEW {
        let turns = x * core::f64::consts::FRAC_2_PI + TO_INTEGER;
        let number = turns - TO_INTEGER;
        let reduced = (x - number * QUARTER[0]) - number * QUARTER_BELOW;
        return (reduced, turns.to_bits() as u32 & 3);
    }
    let angle = by_bits(x);
    (angle.reduced.high, angle.quarter)
}

/// Leading bits of 2/π behind 64 zeros: bit 63 of the second word has the value 1/2.
static BITS: [u64; 20] = [
    0,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
];

/// π/2 · 2¹²⁷.
const QUARTER_BITS: u128 = 0xc90f_daa2_2168_c234_c4c6_628b_80dc_1cd1;

/// Returns 64 bits of 2/π, from bit `at` of the table.
#[inline(always)]
fn bits_from(at: u32) -> u64 {
    let (index, shift) = ((at / 64) as usize, at % 64);
    let word = |index| {
        if index < BITS.len() { BITS[index] } else { 0 }
    };
    word(index) << shift | word(index + 1) >> 1 >> (63 - shift)
}

/// Returns the upper half of the product.
#[inline(always)]
fn upper(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

/// Returns 2 to a power whose result is normal.
#[inline(always)]
pub fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Reduces a finite number of at least 1/2 in integer arithmetic.
fn by_bits(x: f64) -> Angle {
    let bits = x.to_bits();
    let exponent = (bits >> 52) as u32 & 0x7ff;
    let significand = bits & ((1 << 52) - 1) | 1 << 52;
    // x = significand · 2^(exponent - 1075), so the bit of 2/π with value 2^(1076 - exponent) is
    // the first that does not contribute whole turns only
    let first = exponent.wrapping_sub(1013);
    let below = upper(significand, bits_from(first.wrapping_add(128)));
    let middle = significand as u128 * bits_from(first.wrapping_add(64)) as u128 + below as u128;
    let top = significand
        .wrapping_mul(bits_from(first))
        .wrapping_add((middle >> 64) as u64);
    // in quarter turns, with two bits before the binary point
    let turns = (top as u128) << 64 | middle as u64 as u128;
    let quarter = (top.wrapping_add(1 << 61) >> 62) as u32;
    let fraction = (turns << 2) as i128;
    let size = fraction.unsigned_abs();
    let zeros = size.leading_zeros();
    let size = size << (zeros & 127);
    // the product with π/2
    let (a, b) = ((size >> 64) as u64, size as u64);
    let (c, d) = ((QUARTER_BITS >> 64) as u64, QUARTER_BITS as u64);
    let product = a as u128 * c as u128 + upper(a, d) as u128 + upper(b, c) as u128;
    let scale = power(-52 - zeros as i32);
    let high = (product >> 75) as u64 as f64 * scale;
    let low = (product >> 11) as u64 as f64 * (scale * power(-64));
    let reduced = Pair::from_sum(high, low);
    let negative = (fraction < 0) != (x < 0.0);
    let sign = if negative { -1.0 } else { 1.0 };
    Angle {
        reduced: Pair {
            high: reduced.high * sign,
            low: reduced.low * sign,
        },
        quarter: if x < 0.0 {
            quarter.wrapping_neg() & 3
        } else {
            quarter & 3
        },
    }
}
