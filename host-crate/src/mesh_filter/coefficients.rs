//! The polynomial of windowed sinc smoothing.

use super::SmoothParams;
use std::f64::consts::PI;

/// The factors of the Chebyshev terms 0 to `iterations`; their sum, which is what a mesh is
/// multiplied with that is moved as a whole, is 1.
///
/// They are those of a step at the angle `θ + σ`, under a Hamming window. `θ` belongs to the end of
/// the pass band, `k = 2 - 2 cos θ`, and `σ` is the least by which the filter at `k`, divided by
/// that sum, is 1: without it the window leaves half of what is there.
pub(super) fn coefficients(params: &SmoothParams) -> Vec<f64> {
    let terms = params.iterations as usize;
    let theta = (1.0 - params.pass_band / 2.0).acos();
    let at_the_end = |angle: f64| {
        let factors = windowed(terms, angle);
        value(&factors, theta) / value(&factors, 0.0)
    };
    // the filter's edge is some π / terms wide
    let step = (PI / (16.0 * terms as f64)).min((PI - theta) / 64.0);
    let mut high = theta;
    while high < PI && at_the_end(high) < 1.0 {
        high += step;
    }
    let mut low = (high - step).max(theta);
    high = high.min(PI);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if at_the_end(middle) < 1.0 {
            low = middle
        } else {
            high = middle
        }
    }
    let mut factors = windowed(terms, high);
    let sum: f64 = factors.iter().sum();
    // sines differ in their last bits from system to system, and these numbers do not
    let digits = (1u64 << 40) as f64;
    for factor in &mut factors {
        *factor = (*factor / sum * digits).round() / digits;
    }
    factors
}

/// The windowed series of a step at an angle.
fn windowed(terms: usize, angle: f64) -> Vec<f64> {
    let factor = |term: usize| {
        let n = term as f64;
        let window = 0.54 + 0.46 * (n * PI / (terms as f64 + 1.0)).cos();
        window
            * match term {
                0 => angle / PI,
                _ => 2.0 * (n * angle).sin() / (n * PI),
            }
    };
    (0..=terms).map(factor).collect()
}

/// What a filter multiplies the component of an angle with.
fn value(factors: &[f64], angle: f64) -> f64 {
    let terms = factors.iter().enumerate();
    terms
        .map(|(n, factor)| factor * (n as f64 * angle).cos())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(iterations: u32, pass_band: f64) -> impl Fn(f64) -> f64 {
        let factors = coefficients(&SmoothParams {
            iterations,
            pass_band,
        });
        assert_eq!(factors.len(), iterations as usize + 1);
        move |k: f64| value(&factors, (1.0 - k / 2.0).acos())
    }

    /// For any number of terms and any band: 1 where nothing changes and, within a percent, in the
    /// pass band.
    #[test]
    fn what_passes_is_kept() {
        for pass_band in [0.001, 0.01, 0.1, 0.5, 1.0, 1.9, 1.999] {
            for iterations in [1, 2, 3, 5, 10, 20, 50, 200, 1000] {
                let filter = filter(iterations, pass_band);
                let label = format!("{iterations} terms, {pass_band}");
                assert!((filter(0.0) - 1.0).abs() < 1e-9, "{label}");
                for part in 0..=10 {
                    let found = filter(pass_band * f64::from(part) / 10.0);
                    assert!((found - 1.0).abs() < 0.012, "{label}: {found}");
                }
            }
        }
    }

    #[test]
    fn what_is_beyond_goes_away() {
        let filter = filter(20, 0.1);
        for k in 6..=40 {
            let found = filter(f64::from(k) / 20.0);
            let most = if k < 20 { 0.6 } else { 0.002 };
            assert!(found.abs() < most, "{k}: {found}");
        }
    }
}
