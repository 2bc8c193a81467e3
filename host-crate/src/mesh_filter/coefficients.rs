//! Coefficients of windowed sinc smoothing.

use super::SmoothParams;
use std::f64::consts::PI;

/// Returns the Chebyshev coefficients 0 to `iterations` of the filter, normalised to a sum of 1,
/// which is the factor applied to a translation of the whole mesh.
///
/// They are the coefficients of an ideal low-pass step at the angle `θ + σ`, under a Hamming
/// window. `θ` corresponds to the end of the pass band, `k = 2 - 2 cos θ`. `σ` is the smallest
/// shift for which the normalised response at `k` is 1; without it the window would halve the
/// response there.
pub(super) fn coefficients(params: &SmoothParams) -> Vec<f64> {
    let terms = params.iterations as usize;
    let theta = (1.0 - params.pass_band / 2.0).acos();
    let response_at_band_end = |angle: f64| {
        let factors = windowed_series(terms, angle);
        response(&factors, theta) / response(&factors, 0.0)
    };
    // the transition of the filter is about π / terms wide
    let step = (PI / (16.0 * terms as f64)).min((PI - theta) / 64.0);
    let mut high = theta;
    while high < PI && response_at_band_end(high) < 1.0 {
        high += step;
    }
    let mut low = (high - step).max(theta);
    high = high.min(PI);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if response_at_band_end(middle) < 1.0 {
            low = middle
        } else {
            high = middle
        }
    }
    let mut factors = windowed_series(terms, high);
    let sum: f64 = factors.iter().sum();
    // sines differ in the last bits between platforms; rounded coefficients do not
    let digits = (1u64 << 40) as f64;
    for factor in &mut factors {
        *factor = (*factor / sum * digits).round() / digits;
    }
    factors
}

/// Returns the windowed series of a step at an angle.
fn windowed_series(terms: usize, angle: f64) -> Vec<f64> {
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

/// Returns the response of the filter at an angle.
fn response(factors: &[f64], angle: f64) -> f64 {
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
        move |k: f64| response(&factors, (1.0 - k / 2.0).acos())
    }

    /// For any number of terms and any pass band, the response is 1 at zero frequency, and 1 within
    /// 1.2 % in the pass band.
    #[test]
    fn pass_band_is_preserved() {
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
    fn stop_band_is_attenuated() {
        let filter = filter(20, 0.1);
        for k in 6..=40 {
            let found = filter(f64::from(k) / 20.0);
            let max = if k < 20 { 0.6 } else { 0.002 };
            assert!(found.abs() < max, "{k}: {found}");
        }
    }
}
