//! The potential of a source, and how well its series is the potential.

use super::terms::Terms;

/// The coefficients of `|Δ + w|^-(m - 1) / (m - 1)` as a series in `w`: for each triple `k` the derivative at `Δ` over `k!`.
///
/// By a recurrence that holds for any real power (Duan and Krasny 2001).
pub(super) fn series(terms: &Terms, exponent: f64, at: [f64; 3]) -> Vec<f64> {
    let power = exponent - 1.0;
    let squared: f64 = at.iter().map(|a| a * a).sum();
    let mut made = vec![0.0; terms.count()];
    made[0] = squared.powf(-0.5 * power) / power;
    // by what a triple's coefficient is made of: those of sums less by one and two, which come earlier in each axis
    for place in 1..terms.count() {
        let triple = terms.triples[place];
        let sum = f64::from(triple.iter().sum::<u32>());
        let (mut by_one, mut by_two) = (0.0, 0.0);
        for axis in 0..3 {
            let mut lower = triple;
            if triple[axis] >= 1 {
                lower[axis] = triple[axis] - 1;
                by_one += at[axis] * made[terms.index(lower)];
            }
            if triple[axis] >= 2 {
                lower[axis] = triple[axis] - 2;
                by_two += made[terms.index(lower)];
            }
        }
        let both = (2.0 * sum - 2.0 + power) * by_one + (sum - 2.0 + power) * by_two;
        made[place] = -both / (sum * squared);
    }
    made
}

/// How many units in the last place of `f32` the terms of a translated series may be off, over all translations and levels.
const UNITS: f64 = 32.0;

/// Places along an edge of the cube in which `w` lies, at which a series is compared with what it stands for.
const SAMPLES: usize = 5;

/// The worst of the other places is taken to be no worse than the worst of these by more than this factor.
const BETWEEN: f64 = 1.25;

/// How far the force of one source can be off, over all `w` in a cube from `-half` to `half` along each axis: what is cut off, and what is rounded.
pub(super) fn worst_error(terms: &Terms, exponent: f64, at: [f64; 3], half: f64) -> f64 {
    let series = series(terms, exponent, at);
    let place = |step: usize| half * (2.0 * step as f64 / (SAMPLES - 1) as f64 - 1.0);
    let is_outer = |step: usize| step == 0 || step == SAMPLES - 1;
    let mut worst: f64 = 0.0;
    for step in 0..SAMPLES.pow(3) {
        let steps = [
            step % SAMPLES,
            step / SAMPLES % SAMPLES,
            step / SAMPLES / SAMPLES,
        ];
        // a difference whose lowest power is high is largest at the border, and towards the source
        let w = steps.map(place);
        let towards: f64 = (0..3).map(|axis| w[axis] * at[axis]).sum();
        if !steps.into_iter().any(is_outer) || towards > 0.0 {
            continue;
        }
        let found = gradient(terms, &series, w);
        let from = [0, 1, 2].map(|axis| at[axis] + w[axis]);
        let squared: f64 = from.iter().map(|a| a * a).sum();
        let weight = squared.powf(-0.5 * (exponent + 1.0));
        let off = [0, 1, 2].map(|axis| found[axis] + from[axis] * weight);
        worst = worst.max(length(off));
    }
    // of all terms the magnitudes: so much is rounded at most
    let magnitudes: Vec<f64> = series.iter().map(|a| a.abs()).collect();
    let rounded = length(gradient(terms, &magnitudes, [half; 3]));
    BETWEEN * worst + UNITS * f64::from(f32::EPSILON) * 0.5 * rounded
}

fn length(of: [f64; 3]) -> f64 {
    of.iter().map(|a| a * a).sum::<f64>().sqrt()
}

/// The gradient of a series.
fn gradient(terms: &Terms, series: &[f64], at: [f64; 3]) -> [f64; 3] {
    let most = terms.order as usize + 1;
    let powers = at.map(|a| {
        let powers = std::iter::successors(Some(1.0), |power| Some(power * a));
        powers.take(most).collect::<Vec<f64>>()
    });
    let mut sums = [0.0; 3];
    for (triple, coefficient) in terms.triples.iter().zip(series) {
        let power = |axis: usize| powers[axis][triple[axis] as usize];
        for (axis, sum) in sums.iter_mut().enumerate() {
            if let Some(lower) = triple[axis].checked_sub(1) {
                let others = power((axis + 1) % 3) * power((axis + 2) % 3);
                let slope = f64::from(triple[axis]) * powers[axis][lower as usize];
                *sum += coefficient * slope * others;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_the_potential() {
        let terms = Terms::of(12);
        for exponent in [2.0, 2.5, 3.0, 6.0, 9.0] {
            let at = [4.0, -3.0, 1.0];
            let series = series(&terms, exponent, at);
            let w = [0.3, -0.2, 0.4];
            let found = gradient(&terms, &series, w);
            let from = [0, 1, 2].map(|axis| at[axis] + w[axis]);
            let weight = length(from).powf(-exponent - 1.0);
            for axis in 0..3 {
                let expected = -from[axis] * weight;
                assert!(
                    (found[axis] - expected).abs() < 1e-6 * weight,
                    "{exponent} {axis}: {} {expected}",
                    found[axis]
                );
            }
        }
    }

    /// Random places are no worse than what the samples say.
    #[test]
    fn no_place_is_worse() {
        let mut state = 7u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
        };
        for (order, exponent) in [(8, 2.0), (8, 6.0), (10, 9.0), (4, 3.5)] {
            let terms = Terms::of(order);
            for at in [
                [5.0, 0.0, 0.0],
                [3.0, 3.0, 3.0],
                [4.0, -2.0, 3.0],
                [-9.0, 4.0, 0.0],
            ] {
                let worst = worst_error(&terms, exponent, at, 1.0);
                let series = series(&terms, exponent, at);
                for _ in 0..2000 {
                    let w = [random(), random(), random()];
                    let found = gradient(&terms, &series, w);
                    let from = [0, 1, 2].map(|axis| at[axis] + w[axis]);
                    let weight = length(from).powf(-exponent - 1.0);
                    let off = [0, 1, 2].map(|axis| found[axis] + from[axis] * weight);
                    assert!(length(off) <= worst, "{order} {exponent} {at:?} {w:?}");
                }
            }
        }
    }
}
