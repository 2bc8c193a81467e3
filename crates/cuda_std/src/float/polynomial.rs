//! Polynomial evaluation.

/// Evaluates the polynomial with these coefficients, highest power first.
#[inline(always)]
pub fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let mut sum = coefficients[0];
    let mut next = 1;
    while next < N {
        sum = sum * x + coefficients[next];
        next += 1;
    }
    sum
}
