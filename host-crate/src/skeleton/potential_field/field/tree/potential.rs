//! The potential of a source, and how well its series is the potential.

use super::terms::Terms;
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, zeroed_or_unwind},
    skeleton::potential_field::field::sources::world_metric,
};
use ferrovox_kernels::skeleton::field::{VoxelMetric, WorldMetric};

/// What the coefficients of series are made of, and of other coefficients.
pub(super) struct Potential<'a> {
    terms: &'a Terms,
    exponent: f64,
    metric: Metric,
    /// The same, as kernels take it.
    world: WorldMetric,
    /// For each triple those with one less along each axis, if there are some.
    lower: Vec<[Option<usize>; 3]>,
    /// And with one less along both axes of [`PAIRS`].
    lower_by_two: Vec<[Option<usize>; 6]>,
}

/// Pairs of axes, in the order of [`Metric::products`].
const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];

impl<'a> Potential<'a> {
    /// That of an exponent, for lengths of a metric.
    pub fn new(terms: &'a Terms, exponent: f64, metric: &Metric) -> Self {
        let less = |triple: &[u32; 3], axes: &[usize]| {
            let mut lower = *triple;
            for &axis in axes {
                lower[axis] = lower[axis].checked_sub(1)?;
            }
            Some(terms.index(lower))
        };
        let triples = terms.triples.iter();
        let by_one = |triple: &[u32; 3]| [0, 1, 2].map(|axis| less(triple, &[axis]));
        let by_two = |triple: &[u32; 3]| PAIRS.map(|pair| less(triple, &pair));
        Self {
            terms,
            exponent,
            metric: *metric,
            world: world_metric(metric),
            lower: triples.clone().map(by_one).collect_or_unwind(),
            lower_by_two: triples.map(by_two).collect_or_unwind(),
        }
    }

    /// The coefficients of `|Δ + w|^-(m - 1) / (m - 1)` as a series in `w`: for each triple `k` the
    /// derivative at `Δ` over `k!`.
    ///
    /// By a recurrence that holds for any real power (Duan and Krasny 2001), here of any quadratic
    /// form: with `q` the squared length and `s` the power of it, the terms of degree `n` are found
    /// from those of `q (w · ∇)q^s = s q^s (w · ∇)q`.
    pub fn series(&self, at: [f64; 3]) -> Vec<f64> {
        let power = self.exponent - 1.0;
        let squared = self.metric.squared_length(at);
        // half of what the squared length grows by along each axis, and its second powers
        let slopes = self.metric.slopes(at);
        let mut second = self.metric.products();
        second[3..].iter_mut().for_each(|product| *product *= 2.0);
        let mut made = zeroed_or_unwind(self.terms.count());
        made[0] = squared.powf(-0.5 * power) / power;
        // triples with less along an axis come before
        let lower = self.lower.iter().zip(&self.lower_by_two);
        let rest = self.terms.triples.iter().zip(lower).enumerate();
        for (place, (triple, (ones, twos))) in rest.skip(1) {
            let sum = f64::from(triple.iter().sum::<u32>());
            let (mut by_one, mut by_two) = (0.0, 0.0);
            for (slope, one) in slopes.iter().zip(ones) {
                by_one += one.map_or(0.0, |one| slope * made[one]);
            }
            for (product, two) in second.iter().zip(twos) {
                by_two += two.map_or(0.0, |two| product * made[two]);
            }
            let both = (2.0 * sum - 2.0 + power) * by_one + (sum - 2.0 + power) * by_two;
            made[place] = -both / (sum * squared);
        }
        made
    }

    /// How far the force of one source can be off, over all `w` in cubes from `-half` to `half`
    /// along each axis: what is cut off, and what is rounded.
    pub fn worst_errors<const N: usize>(&self, at: [f64; 3], halves: [f64; N]) -> [f64; N] {
        let series = self.series(at);
        let towards = self.metric.slopes(at);
        // of all terms the magnitudes: so much is rounded at most
        let magnitudes: Vec<f64> = series.iter().map(|a| a.abs()).collect_or_unwind();
        halves.map(|half| {
            let along: [f64; SAMPLES] =
                std::array::from_fn(|step| half * (2.0 * step as f64 / (SAMPLES - 1) as f64 - 1.0));
            let mut worst: f64 = 0.0;
            self.slopes_on(&series, &along, |steps, slopes| {
                let w = steps.map(|step| along[step]);
                // a difference whose lowest power is high is largest at the border, and towards the
                // source
                let is_outer = steps.iter().any(|&step| step == 0 || step == SAMPLES - 1);
                let is_before = (0..3).map(|axis| w[axis] * towards[axis]).sum::<f64>() <= 0.0;
                if is_outer && is_before {
                    worst = worst.max(self.error(slopes, at, w));
                }
            });
            let mut rounded = 0.0;
            self.slopes_on(&magnitudes, &[half], |_, slopes| {
                rounded = longest(self.world, slopes);
            });
            BETWEEN * worst + UNITS * f64::from(f32::EPSILON) * 0.5 * rounded
        })
    }

    /// How far the gradient of a series, of which these are the slopes at a place, is from that of
    /// the potential.
    fn error(&self, slopes: [f64; 3], at: [f64; 3], w: [f64; 3]) -> f64 {
        let found = self.world.gradient_from_slopes(slopes);
        let from = self
            .world
            .to_world([0, 1, 2].map(|axis| at[axis] + w[axis]));
        let weight = length(from).powf(-self.exponent - 1.0);
        length([0, 1, 2].map(|axis| found[axis] + from[axis] * weight))
    }

    /// Calls `visit` with what a series changes by along each axis, at all places whose coordinates
    /// are some of `along`, by the numbers of these.
    ///
    /// Powers are summed up along z, then y, then x, so that a place takes few products.
    fn slopes_on(
        &self,
        series: &[f64],
        along: &[f64],
        mut visit: impl FnMut([usize; 3], [f64; 3]),
    ) {
        let count = self.terms.order as usize + 1;
        let table: Vec<Vec<[f64; 2]>> = along.iter().map(|&at| powers(at, count)).collect();
        let steps = || 0..along.len();
        // for each pair of powers along x and y and each z: the sum, and its slope along z
        let of_row = |row: &[f64], z: usize| {
            let pairs = row.iter().zip(&table[z]);
            pairs.fold([0.0; 2], |sum, (a, [power, slope])| {
                [sum[0] + a * power, sum[1] + a * slope]
            })
        };
        for z in steps() {
            // for each power along x those along y, one after the other
            let along_z: Vec<Vec<[f64; 2]>> = (0..count)
                .map(|i| {
                    let rows = (0..count - i).map(|j| {
                        let first = self.terms.rows[i * count + j] as usize;
                        of_row(&series[first..first + count - i - j], z)
                    });
                    rows.collect()
                })
                .collect();
            for y in steps() {
                let along_y = along_z.iter().map(|rows| {
                    let pairs = rows.iter().zip(&table[y]);
                    pairs.fold([0.0; 3], |sum, (of_z, [power, slope])| {
                        [
                            sum[0] + of_z[0] * power,
                            sum[1] + of_z[0] * slope,
                            sum[2] + of_z[1] * power,
                        ]
                    })
                });
                let along_y: Vec<[f64; 3]> = along_y.collect();
                for x in steps() {
                    let pairs = along_y.iter().zip(&table[x]);
                    let slopes = pairs.fold([0.0; 3], |sum, (of_y, [power, slope])| {
                        [
                            sum[0] + of_y[0] * slope,
                            sum[1] + of_y[1] * power,
                            sum[2] + of_y[2] * power,
                        ]
                    });
                    visit([x, y, z], slopes);
                }
            }
        }
    }
}

/// The powers of a number, with what they change by.
fn powers(at: f64, count: usize) -> Vec<[f64; 2]> {
    let mut made = vec![[1.0, 0.0]];
    for k in 1..count {
        let before = made[k - 1][0];
        made.push([at * before, k as f64 * before]);
    }
    made
}

/// How many units in the last place of `f32` the terms of a translated series may be off, over all
/// translations and levels.
const UNITS: f64 = 32.0;

/// Places along an edge of the cube in which `w` lies, at which a series is compared with what it
/// stands for.
const SAMPLES: usize = 7;

/// The worst of the other places is no worse than the worst of these by more than this factor: of
/// random places none was by more than 1.12 (by 2.3 with three places along an edge).
const BETWEEN: f64 = 1.3;

/// The longest that a gradient can be of what changes with a step along each axis by no more than
/// this.
fn longest(world: WorldMetric, slopes: [f64; 3]) -> f64 {
    let mut most = [0.0; 3];
    for (axis, slope) in slopes.into_iter().enumerate() {
        let mut alone = [0.0; 3];
        alone[axis] = slope;
        for (most, along) in most.iter_mut().zip(world.gradient_from_slopes(alone)) {
            *most += along.abs();
        }
    }
    length(most)
}

fn length(of: [f64; 3]) -> f64 {
    of.iter().map(|a| a * a).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{grid::Geometry, skeleton::potential_field::field::tree::offsets::Nearness};
    use nalgebra::{Matrix3, Vector3};

    fn metrics() -> [Metric; 4] {
        [
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.41]],
            [[1.2, 0.0, 0.0], [0.0, 0.9, 0.0], [0.0, 0.0, 0.75]],
            [[1.0, 0.3, 0.0], [0.0, 1.0, 0.6], [0.0, 0.0, 1.3]],
        ]
        .map(|axes| {
            let axes = Matrix3::from_fn(|row, column| axes[row][column]);
            Metric::snapped(&Geometry::new(axes, Vector3::zeros()).unwrap()).0
        })
    }

    /// How far a series is off at a place.
    fn error(potential: &Potential<'_>, series: &[f64], at: [f64; 3], w: [f64; 3]) -> f64 {
        let mut slopes = [0.0; 3];
        for (triple, coefficient) in potential.terms.triples.iter().zip(series) {
            for (axis, slope) in slopes.iter_mut().enumerate() {
                let along = (0..3).map(|k| {
                    let power = triple[k] as i32;
                    match k == axis {
                        true if power == 0 => 0.0,
                        true => f64::from(power) * w[k].powi(power - 1),
                        false => w[k].powi(power),
                    }
                });
                *slope += coefficient * along.product::<f64>();
            }
        }
        potential.error(slopes, at, w)
    }

    #[test]
    fn no_gradient_is_longer() {
        for metric in metrics() {
            let world = world_metric(&metric);
            let step = [3.0, -4.0, 5.0];
            // the squared length grows along the vector itself
            let slopes = metric.slopes(step);
            let (found, vector) = (world.gradient_from_slopes(slopes), world.to_world(step));
            assert!(length([0, 1, 2].map(|axis| found[axis] - vector[axis])) < 1e-12);
            let longest = longest(world, slopes.map(f64::abs));
            for signs in 0..8 {
                let turn = |axis: usize| if signs >> axis & 1 == 1 { -1.0 } else { 1.0 };
                let turned =
                    world.gradient_from_slopes([0, 1, 2].map(|axis| turn(axis) * slopes[axis]));
                assert!(length(turned) <= longest * (1.0 + 1e-15), "{metric:?}");
            }
        }
    }

    #[test]
    fn a_series_is_the_potential() {
        let terms = Terms::of(12);
        for (metric, exponent) in metrics()
            .iter()
            .flat_map(|metric| [2.0, 2.5, 3.0, 6.0, 9.0].map(|exponent| (metric, exponent)))
        {
            let potential = Potential::new(&terms, exponent, metric);
            let at = [4.0, -3.0, 1.0];
            let off = error(&potential, &potential.series(at), at, [0.3, -0.2, 0.4]);
            let most = 1e-6 * metric.length(at).powf(-exponent);
            assert!(off < most, "{metric:?} {exponent}: {off}");
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
            // of all that can be far
            let places: Vec<[f64; 3]> = (0..40)
                .map(|_| [0; 3].map(|_| (7.5 * random()).round()))
                .chain([[5.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 3.0, 3.0]])
                .collect();
            let all = metrics().into_iter();
            for (metric, at) in all.flat_map(|metric| places.iter().map(move |&at| (metric, at))) {
                // what is nearer than the nearest that is far is not asked for
                if Nearness::new(3, &metric).is_near(at.map(|along| along as i32)) {
                    continue;
                }
                let potential = Potential::new(&terms, exponent, &metric);
                let [worst] = potential.worst_errors(at, [1.0]);
                let series = potential.series(at);
                let mut found: f64 = 0.0;
                for number in 0..test_cases::cases(600) as usize {
                    let mut w = [random(), random(), random()];
                    // on the border
                    w[number % 3] = w[number % 3].signum();
                    found = found.max(error(&potential, &series, at, w));
                }
                assert!(
                    found <= worst,
                    "{order} {exponent} {metric:?} {at:?}: {}",
                    found / worst
                );
            }
        }
    }
}
