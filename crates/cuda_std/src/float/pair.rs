//! Double-double arithmetic: numbers as unevaluated sums of two `f64`. The operations are exact, so
//! both targets give equal bits.

use super::exact::Exact;

/// The number `high + low`, where `high` is the rounded sum.
#[derive(Clone, Copy)]
pub struct Pair {
    pub high: f64,
    pub low: f64,
}

impl Pair {
    /// Returns `a + b` for `|a| ≥ |b|` or `a = 0` (fast two-sum).
    #[inline(always)]
    pub fn from_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let low = b - (high - a);
        Self { high, low }
    }

    /// Returns `a + b` for numbers of any magnitude (two-sum).
    #[inline(always)]
    pub fn from_unordered_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let part = high - a;
        let low = (a - (high - part)) + (b - part);
        Self { high, low }
    }

    /// Returns `a * b`, exact unless the product or its rounding error overflows or is subnormal.
    #[inline(always)]
    pub fn from_product(a: f64, b: f64) -> Self {
        let high = a * b;
        Self {
            high,
            low: product_error(a, b, high),
        }
    }

    /// Returns the quotient with a relative error of about 2⁻¹⁰⁴.
    #[inline(always)]
    pub fn divide(self, by: Self) -> Self {
        let first = self.high / by.high;
        let product = Self::from_product(first, by.high);
        let residual = ((self.high - product.high) - product.low + self.low) - first * by.low;
        Self::from_sum(first, residual / by.high)
    }
}

/// Returns `a * b - product` exactly, where `product` is `a * b` rounded. One fused multiply-add on
/// the device and on CPUs that have it.
#[inline(always)]
fn product_error(a: f64, b: f64, product: f64) -> f64 {
    if cfg!(any(target_arch = "nvptx64", target_feature = "fma")) {
        Exact::mul_add(a, b, -product)
    } else {
        product_error_dekker(a, b, product)
    }
}

/// Returns `a * b - product` exactly by Dekker's (1971) product of halves, for numbers up to 2⁹⁹⁶.
#[inline(always)]
fn product_error_dekker(a: f64, b: f64, product: f64) -> f64 {
    let (a_high, b_high) = (high_part(a), high_part(b));
    let (a_low, b_low) = (a - a_high, b - b_high);
    ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
}

/// Rounds the number to 26 bits.
#[inline(always)]
fn high_part(x: f64) -> f64 {
    let spread = x * 134_217_729.0;
    spread - (spread - x)
}

/// Truncates the number to its leading 26 bits.
#[inline(always)]
pub fn truncate_to_26_bits(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !0x7ff_ffff)
}

#[cfg(test)]
mod tests {
    use super::product_error_dekker;

    /// The device uses the instruction and the CPU Dekker's product: they must agree.
    #[test]
    fn both_product_errors_are_exact() {
        let mut bits = 1_u64;
        let mut number = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // exponents from -400 to 400, for which no rounding error is subnormal
            let exponent = 1023 - 400 + (bits >> 33) % 801;
            f64::from_bits(exponent << 52 | bits >> 12 | bits << 63)
        };
        for _ in 0..200_000 {
            let (a, b) = (number(), number());
            let product = a * b;
            let (computed, expected) =
                (product_error_dekker(a, b, product), a.mul_add(b, -product));
            assert_eq!(computed, expected, "{a:e} {b:e}");
            let short = 1.0 + b.abs() / (b.abs() + 1.0);
            let product = a * short;
            assert_eq!(
                product_error_dekker(a, short, product),
                a.mul_add(short, -product)
            );
        }
    }
}
