//! Taylor expansion of a source's potential, and bounds of its truncation error.

use super::multi_indices::MultiIndices;
use crate::{
    grid::Metric,
    memory::{CollectOrUnwind, zeroed_or_unwind},
    skeleton::potential_field::field::sources::world_metric,
};
use ferrovox_kernels::skeleton::field::{VoxelMetric, WorldMetric};

/// Computes Taylor coefficients of the potential, and their errors.
pub(super) struct TaylorExpansion<'a> {
    indices: &'a MultiIndices,
    exponent: f64,
    metric: Metric,
    /// Metric in the form that kernels take.
    world: WorldMetric,
    /// Index of each multi-index reduced by one along each axis, if it exists.
    predecessors: Vec<[Option<usize>; 3]>,
    /// Index of each multi-index reduced by one along both axes of each of [`AXIS_PAIRS`], if it
    /// exists.
    second_predecessors: Vec<[Option<usize>; 6]>,
}

/// Pairs of axes, in the order of [`Metric::products`].
const AXIS_PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];

impl<'a> TaylorExpansion<'a> {
    /// Creates the expansion for an exponent and a metric.
    pub fn new(indices: &'a MultiIndices, exponent: f64, metric: &Metric) -> Self {
        let predecessor = |multi_index: &[u32; 3], axes: &[usize]| {
            let mut reduced = *multi_index;
            for &axis in axes {
                reduced[axis] = reduced[axis].checked_sub(1)?;
            }
            Some(indices.index(reduced))
        };
        let multi_indices = indices.all.iter();
        let by_one =
            |multi_index: &[u32; 3]| [0, 1, 2].map(|axis| predecessor(multi_index, &[axis]));
        let by_two =
            |multi_index: &[u32; 3]| AXIS_PAIRS.map(|pair| predecessor(multi_index, &pair));
        Self {
            indices,
            exponent,
            metric: *metric,
            world: world_metric(metric),
            predecessors: multi_indices.clone().map(by_one).collect_or_unwind(),
            second_predecessors: multi_indices.map(by_two).collect_or_unwind(),
        }
    }

    /// Computes the Taylor coefficients of `|Δ + w|^-(m - 1) / (m - 1)` in `w`: for each
    /// multi-index `k`, the derivative at `Δ` divided by `k!`.
    ///
    /// Uses the recurrence for arbitrary real powers (Duan and Krasny 2001), generalised to
    /// quadratic forms: with `q` the squared length and `s` its exponent, the terms of degree `n`
    /// follow from those of `q (w · ∇)q^s = s q^s (w · ∇)q`.
    pub fn coefficients(&self, at: [f64; 3]) -> Vec<f64> {
        let power = self.exponent - 1.0;
        let squared = self.metric.squared_length(at);
        // half of the gradient of the squared length along the axes, and its second-order
        // coefficients
        let slopes = self.metric.slopes(at);
        let mut second = self.metric.products();
        second[3..].iter_mut().for_each(|product| *product *= 2.0);
        let mut coefficients = zeroed_or_unwind(self.indices.count());
        coefficients[0] = squared.powf(-0.5 * power) / power;
        // reduced multi-indices come first
        let predecessors = self.predecessors.iter().zip(&self.second_predecessors);
        let following = self.indices.all.iter().zip(predecessors).enumerate();
        for (index, (multi_index, (ones, twos))) in following.skip(1) {
            let sum = f64::from(multi_index.iter().sum::<u32>());
            let (mut by_one, mut by_two) = (0.0, 0.0);
            for (slope, one) in slopes.iter().zip(ones) {
                by_one += one.map_or(0.0, |one| slope * coefficients[one]);
            }
            for (product, two) in second.iter().zip(twos) {
                by_two += two.map_or(0.0, |two| product * coefficients[two]);
            }
            let both = (2.0 * sum - 2.0 + power) * by_one + (sum - 2.0 + power) * by_two;
            coefficients[index] = -both / (sum * squared);
        }
        coefficients
    }

    /// Returns bounds of the error of one source's force over all `w` in cubes from `-half` to
    /// `half` along each axis, including truncation and rounding.
    pub fn max_errors<const N: usize>(&self, at: [f64; 3], halves: [f64; N]) -> [f64; N] {
        let coefficients = self.coefficients(at);
        let towards_source = self.metric.slopes(at);
        // the magnitudes of all terms bound the rounding error
        let magnitudes: Vec<f64> = coefficients.iter().map(|a| a.abs()).collect_or_unwind();
        halves.map(|half| {
            let along: [f64; SAMPLES] =
                std::array::from_fn(|step| half * (2.0 * step as f64 / (SAMPLES - 1) as f64 - 1.0));
            let mut max_error: f64 = 0.0;
            self.slopes_on_grid(&coefficients, &along, |steps, slopes| {
                let w = steps.map(|step| along[step]);
                // the truncation error starts with high powers, so it is largest on the boundary,
                // and on the side of the source
                let is_outer = steps.iter().any(|&step| step == 0 || step == SAMPLES - 1);
                let is_before = (0..3)
                    .map(|axis| w[axis] * towards_source[axis])
                    .sum::<f64>()
                    <= 0.0;
                if is_outer && is_before {
                    max_error = max_error.max(self.error(slopes, at, w));
                }
            });
            let mut rounded = 0.0;
            self.slopes_on_grid(&magnitudes, &[half], |_, slopes| {
                rounded = max_gradient_length(self.world, slopes);
            });
            SAMPLING_FACTOR * max_error + ROUNDING_UNITS * f64::from(f32::EPSILON) * 0.5 * rounded
        })
    }

    /// Returns the length of the difference between the gradient of the expansion, given its
    /// derivatives along the axes, and that of the potential.
    fn error(&self, slopes: [f64; 3], at: [f64; 3], w: [f64; 3]) -> f64 {
        let found = self.world.gradient_from_slopes(slopes);
        let from = self
            .world
            .to_world([0, 1, 2].map(|axis| at[axis] + w[axis]));
        let weight = length(from).powf(-self.exponent - 1.0);
        length([0, 1, 2].map(|axis| found[axis] + from[axis] * weight))
    }

    /// Calls `visit(position, derivatives)` with the expansion's derivatives along the axes at each
    /// point of the grid whose coordinates are those in `along`.
    ///
    /// Powers are summed along z, then y, then x, so that each point takes few products.
    fn slopes_on_grid(
        &self,
        coefficients: &[f64],
        along: &[f64],
        mut visit: impl FnMut([usize; 3], [f64; 3]),
    ) {
        let count = self.indices.order as usize + 1;
        let table: Vec<Vec<[f64; 2]>> = along.iter().map(|&at| powers(at, count)).collect();
        let steps = || 0..along.len();
        // for each pair of powers of x and y and each z: the sum, and its derivative along z
        let sum_row = |row: &[f64], z: usize| {
            let pairs = row.iter().zip(&table[z]);
            pairs.fold([0.0; 2], |sum, (a, [power, slope])| {
                [sum[0] + a * power, sum[1] + a * slope]
            })
        };
        for z in steps() {
            // for each power of x, the sums for all powers of y
            let along_z: Vec<Vec<[f64; 2]>> = (0..count)
                .map(|i| {
                    let rows = (0..count - i).map(|j| {
                        let first = self.indices.rows[i * count + j] as usize;
                        sum_row(&coefficients[first..first + count - i - j], z)
                    });
                    rows.collect()
                })
                .collect();
            for y in steps() {
                let along_y = along_z.iter().map(|rows| {
                    let pairs = rows.iter().zip(&table[y]);
                    pairs.fold([0.0; 3], |sum, (row_sums, [power, slope])| {
                        [
                            sum[0] + row_sums[0] * power,
                            sum[1] + row_sums[0] * slope,
                            sum[2] + row_sums[1] * power,
                        ]
                    })
                });
                let along_y: Vec<[f64; 3]> = along_y.collect();
                for x in steps() {
                    let pairs = along_y.iter().zip(&table[x]);
                    let slopes = pairs.fold([0.0; 3], |sum, (plane_sums, [power, slope])| {
                        [
                            sum[0] + plane_sums[0] * slope,
                            sum[1] + plane_sums[1] * power,
                            sum[2] + plane_sums[2] * power,
                        ]
                    });
                    visit([x, y, z], slopes);
                }
            }
        }
    }
}

/// Returns the powers of a number and their derivatives.
fn powers(at: f64, count: usize) -> Vec<[f64; 2]> {
    let mut powers = vec![[1.0, 0.0]];
    for k in 1..count {
        let previous = powers[k - 1][0];
        powers.push([at * previous, k as f64 * previous]);
    }
    powers
}

/// Bound of the rounding error of a term of a translated expansion, accumulated over all
/// translations and levels, in units in the last place of `f32`.
const ROUNDING_UNITS: f64 = 32.0;

/// Sample positions along each edge of the cube of `w` at which the error is evaluated.
const SAMPLES: usize = 7;

/// Factor by which the error between the sample positions may exceed that at the samples. The
/// maximum observed at random positions was 1.12 (2.3 with three samples per edge).
const SAMPLING_FACTOR: f64 = 1.3;

/// Returns the maximum length of a gradient whose derivatives along the axes have at most the given
/// magnitudes.
fn max_gradient_length(world: WorldMetric, slopes: [f64; 3]) -> f64 {
    let mut max = [0.0; 3];
    for (axis, slope) in slopes.into_iter().enumerate() {
        let mut single = [0.0; 3];
        single[axis] = slope;
        for (max, component) in max.iter_mut().zip(world.gradient_from_slopes(single)) {
            *max += component.abs();
        }
    }
    length(max)
}

fn length(vector: [f64; 3]) -> f64 {
    vector.iter().map(|a| a * a).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Geometry, skeleton::potential_field::field::fmm::interactions::NearFieldCriterion,
    };
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

    /// Returns the error of an expansion at a position.
    fn error(
        potential: &TaylorExpansion<'_>,
        coefficients: &[f64],
        at: [f64; 3],
        w: [f64; 3],
    ) -> f64 {
        let mut slopes = [0.0; 3];
        for (multi_index, coefficient) in potential.indices.all.iter().zip(coefficients) {
            for (axis, slope) in slopes.iter_mut().enumerate() {
                let along = (0..3).map(|k| {
                    let power = multi_index[k] as i32;
                    if k != axis {
                        w[k].powi(power)
                    } else if power == 0 {
                        0.0
                    } else {
                        f64::from(power) * w[k].powi(power - 1)
                    }
                });
                *slope += coefficient * along.product::<f64>();
            }
        }
        potential.error(slopes, at, w)
    }

    #[test]
    fn gradient_length_bound_holds() {
        for metric in metrics() {
            let world = world_metric(&metric);
            let step = [3.0, -4.0, 5.0];
            // the gradient of half the squared length is the vector itself
            let slopes = metric.slopes(step);
            let (found, vector) = (world.gradient_from_slopes(slopes), world.to_world(step));
            assert!(length([0, 1, 2].map(|axis| found[axis] - vector[axis])) < 1e-12);
            let longest = max_gradient_length(world, slopes.map(f64::abs));
            for signs in 0..8 {
                let turn = |axis: usize| if signs >> axis & 1 == 1 { -1.0 } else { 1.0 };
                let turned =
                    world.gradient_from_slopes([0, 1, 2].map(|axis| turn(axis) * slopes[axis]));
                assert!(length(turned) <= longest * (1.0 + 1e-15), "{metric:?}");
            }
        }
    }

    #[test]
    fn expansion_approximates_the_potential() {
        let indices = MultiIndices::new(12);
        for (metric, exponent) in metrics()
            .iter()
            .flat_map(|metric| [2.0, 2.5, 3.0, 6.0, 9.0].map(|exponent| (metric, exponent)))
        {
            let potential = TaylorExpansion::new(&indices, exponent, metric);
            let at = [4.0, -3.0, 1.0];
            let actual = error(
                &potential,
                &potential.coefficients(at),
                at,
                [0.3, -0.2, 0.4],
            );
            let tolerance = 1e-6 * metric.length(at).powf(-exponent);
            assert!(actual < tolerance, "{metric:?} {exponent}: {actual}");
        }
    }

    /// Errors at random positions do not exceed the bound derived from the samples.
    #[test]
    fn error_bound_holds_at_random_positions() {
        let mut state = 7u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as f64 / f64::from(1u32 << 30) - 1.0
        };
        for (order, exponent) in [(8, 2.0), (8, 6.0), (10, 9.0), (4, 3.5), (5, 2.0), (9, 6.0)] {
            let indices = MultiIndices::new(order);
            // offsets that can be far
            let offsets: Vec<[f64; 3]> = (0..40)
                .map(|_| [0; 3].map(|_| (7.5 * random()).round()))
                .chain([[5.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 3.0, 3.0]])
                .collect();
            let all = metrics().into_iter();
            for (metric, at) in all.flat_map(|metric| offsets.iter().map(move |&at| (metric, at))) {
                // offsets closer than the nearest far offset are not used
                if NearFieldCriterion::new(3, &metric).is_near(at.map(|along| along as i32)) {
                    continue;
                }
                let potential = TaylorExpansion::new(&indices, exponent, &metric);
                let [max_error] = potential.max_errors(at, [1.0]);
                let coefficients = potential.coefficients(at);
                let mut found: f64 = 0.0;
                for number in 0..test_cases::case_count(600) as usize {
                    let mut w = [random(), random(), random()];
                    // on the boundary
                    w[number % 3] = w[number % 3].signum();
                    found = found.max(error(&potential, &coefficients, at, w));
                }
                assert!(
                    found <= max_error,
                    "{order} {exponent} {metric:?} {at:?}: {}",
                    found / max_error
                );
            }
        }
    }
}
