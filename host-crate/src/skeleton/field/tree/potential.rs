//! The potential of a source, and how well its series is the potential.

use super::terms::Terms;
use crate::memory::{Listed, zeros};
use ferrovox_kernels::skeleton::field::tree::MAX_ORDER;

/// What the coefficients of series are made of, and of other coefficients.
pub(super) struct Potential<'a> {
    terms: &'a Terms,
    exponent: f64,
    /// For each triple those with one and two less along each axis, if there are some.
    lower: Vec<[[Option<usize>; 2]; 3]>,
}

impl<'a> Potential<'a> {
    pub fn new(terms: &'a Terms, exponent: f64) -> Self {
        let of = |triple: &[u32; 3]| {
            [0, 1, 2].map(|axis| {
                [1, 2].map(|less| {
                    let mut lower = *triple;
                    lower[axis] = triple[axis].checked_sub(less)?;
                    Some(terms.index(lower))
                })
            })
        };
        Self {
            terms,
            exponent,
            lower: terms.triples.iter().map(of).listed(),
        }
    }

    /// The coefficients of `|Δ + w|^-(m - 1) / (m - 1)` as a series in `w`: for each triple `k` the derivative at `Δ` over `k!`.
    ///
    /// By a recurrence that holds for any real power (Duan and Krasny 2001).
    pub fn series(&self, at: [f64; 3]) -> Vec<f64> {
        let power = self.exponent - 1.0;
        let squared: f64 = at.iter().map(|a| a * a).sum();
        let mut made = zeros(self.terms.count());
        made[0] = squared.powf(-0.5 * power) / power;
        // triples with less along an axis come before
        let rest = self.terms.triples.iter().zip(&self.lower).enumerate();
        for (place, (triple, lower)) in rest.skip(1) {
            let sum = f64::from(triple.iter().sum::<u32>());
            let (mut by_one, mut by_two) = (0.0, 0.0);
            for (along, [one, two]) in at.iter().zip(lower) {
                by_one += one.map_or(0.0, |one| along * made[one]);
                by_two += two.map_or(0.0, |two| made[two]);
            }
            let both = (2.0 * sum - 2.0 + power) * by_one + (sum - 2.0 + power) * by_two;
            made[place] = -both / (sum * squared);
        }
        made
    }

    /// How far the force of one source can be off, over all `w` in cubes from `-half` to `half` along each axis: what is cut off, and what is rounded.
    pub fn worst_errors<const N: usize>(&self, at: [f64; 3], halves: [f64; N]) -> [f64; N] {
        let series = self.series(at);
        // of all terms the magnitudes: so much is rounded at most
        let magnitudes: Vec<f64> = series.iter().map(|a| a.abs()).listed();
        halves.map(|half| {
            let places = (0..SAMPLES.pow(3)).map(|step| {
                let steps = [
                    step % SAMPLES,
                    step / SAMPLES % SAMPLES,
                    step / SAMPLES / SAMPLES,
                ];
                steps.map(|step| half * (2.0 * step as f64 / (SAMPLES - 1) as f64 - 1.0))
            });
            // a difference whose lowest power is high is largest at the border, and towards the source
            let outer = places.filter(|w| {
                let towards: f64 = (0..3).map(|axis| w[axis] * at[axis]).sum();
                towards <= 0.0 && w.iter().any(|along| along.abs() == half)
            });
            let off = |w| self.error(&series, at, w);
            let worst = outer.map(off).fold(0.0, f64::max);
            let rounded = length(self.gradient(&magnitudes, [half; 3]));
            BETWEEN * worst + UNITS * f64::from(f32::EPSILON) * 0.5 * rounded
        })
    }

    /// How far the gradient of a series is from that of the potential.
    fn error(&self, series: &[f64], at: [f64; 3], w: [f64; 3]) -> f64 {
        let found = self.gradient(series, w);
        let from = [0, 1, 2].map(|axis| at[axis] + w[axis]);
        let weight = length(from).powf(-self.exponent - 1.0);
        length([0, 1, 2].map(|axis| found[axis] + from[axis] * weight))
    }

    /// The gradient of a series.
    fn gradient(&self, series: &[f64], at: [f64; 3]) -> [f64; 3] {
        const POWERS: usize = MAX_ORDER as usize + 1;
        let mut powers = [[1.0; POWERS]; 3];
        let mut slopes = [[0.0; POWERS]; 3];
        for axis in 0..3 {
            for k in 1..POWERS {
                slopes[axis][k] = k as f64 * powers[axis][k - 1];
                powers[axis][k] = at[axis] * powers[axis][k - 1];
            }
        }
        let mut sums = [0.0; 3];
        for (triple, coefficient) in self.terms.triples.iter().zip(series) {
            let [i, j, k] = triple.map(|power| power as usize);
            let (x, y, z) = (powers[0][i], powers[1][j], powers[2][k]);
            sums[0] += coefficient * slopes[0][i] * y * z;
            sums[1] += coefficient * x * slopes[1][j] * z;
            sums[2] += coefficient * x * y * slopes[2][k];
        }
        sums
    }
}

/// How many units in the last place of `f32` the terms of a translated series may be off, over all translations and levels.
const UNITS: f64 = 32.0;

/// Places along an edge of the cube in which `w` lies, at which a series is compared with what it stands for.
const SAMPLES: usize = 3;

/// The worst of the other places is no worse than the worst of these by more than this factor.
const BETWEEN: f64 = 1.3;

fn length(of: [f64; 3]) -> f64 {
    of.iter().map(|a| a * a).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_the_potential() {
        let terms = Terms::of(12);
        for exponent in [2.0, 2.5, 3.0, 6.0, 9.0] {
            let potential = Potential::new(&terms, exponent);
            let at = [4.0, -3.0, 1.0];
            let off = potential.error(&potential.series(at), at, [0.3, -0.2, 0.4]);
            assert!(off < 1e-6 * length(at).powf(-exponent), "{exponent}: {off}");
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
        for (order, exponent) in [(8, 2.0), (8, 6.0), (10, 9.0), (4, 3.5), (5, 2.0), (9, 6.0)] {
            let terms = Terms::of(order);
            let potential = Potential::new(&terms, exponent);
            for at in [
                [5.0, 0.0, 0.0],
                [4.0, 2.0, 0.0],
                [3.0, 3.0, 3.0],
                [4.0, -2.0, 3.0],
                [2.0, 0.0, 0.0],
                [-9.0, 4.0, 0.0],
            ] {
                let [worst] = potential.worst_errors(at, [1.0]);
                let series = potential.series(at);
                let mut found: f64 = 0.0;
                for number in 0..3000 {
                    let mut w = [random(), random(), random()];
                    // on the border
                    w[number % 3] = w[number % 3].signum();
                    found = found.max(potential.error(&series, at, w));
                }
                assert!(
                    found <= worst,
                    "{order} {exponent} {at:?}: {}",
                    found / worst
                );
            }
        }
    }
}
