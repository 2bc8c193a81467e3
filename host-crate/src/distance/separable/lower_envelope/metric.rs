//! Spacings supported by the lower-envelope kernels.

use super::super::weights::{CostUnit, Weights};
use ferrovox_kernels::{
    distance::lower_envelope::{MAX_PASS_WEIGHT, NO_SITE_COST, PassBound, PassWeights},
    grid::Grid,
};

/// Weights and bounds of the two lower-envelope passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct EnvelopeMetric {
    /// Weights along y, if the spacings along x and y differ.
    pub weights_along_y: Option<PassWeights>,
    /// Weights along z, if the voxels are anisotropic.
    pub weights_along_z: Option<PassWeights>,
    /// Bounds of the passes.
    pub bounds: [PassBound; 2],
    /// Distance represented by a squared distance of 1.
    pub unit: f64,
    /// Largest squared distance that is not truncated, in squares of `unit`.
    max_squared_distance: u64,
}

impl EnvelopeMetric {
    /// Creates the metric of a grid if the squared spacings are integer multiples of a unit and
    /// numbers fit.
    ///
    /// A word of a tile has 22 bits for a cost. Along y, costs are distances along x. Along z, they
    /// are squared distances in the plane, in the greatest unit of which the squared spacings along
    /// x and y are multiples: if these spacings are equal, costs are those of isotropic voxels,
    /// regardless of z. The kernels also process the columns that pad a row to whole words, so the
    /// numbers of these columns must fit as well.
    pub fn new(grid: Grid, unit: &CostUnit) -> Option<Self> {
        let weights = match unit.weights {
            Weights::U32(weights) => weights.map(u64::from),
            Weights::U64(weights) => weights,
            Weights::F64(_) => return None,
        };
        let [wx, wy, wz] = weights;
        let plane_unit = gcd(wx, wy);
        let (x, y) = (wx / plane_unit, wy / plane_unit);
        let squared_length = |side: u32| u64::from(side - 1).pow(2);
        let max_squared_row_distance = squared_length(grid.nx.next_multiple_of(32));
        let max_in_plane = x * max_squared_row_distance + y * squared_length(grid.ny);
        let weights_along_y = match (x, y) {
            (1, 1) => None,
            _ => Some(checked_weights([x, y], max_squared_row_distance, grid.ny)?),
        };
        let weights_along_z = match weights {
            [1, 1, 1] => None,
            _ => Some(checked_weights([plane_unit, wz], max_in_plane, grid.nz)?),
        };
        let max_squared_distance = unit.max_squared();
        let saturate = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let bound_in_plane_units =
            saturate((max_squared_distance / plane_unit).min(u64::from(NO_SITE_COST) - 1));
        let bounds = [
            PassBound {
                // The distance of absent sites exceeds that of any voxel of the row.
                max_cost: (bound_in_plane_units / saturate(x)).isqrt().min(grid.nx),
                max_step: (bound_in_plane_units / saturate(y)).isqrt(),
                max_squared: bound_in_plane_units,
            },
            PassBound {
                max_cost: bound_in_plane_units,
                max_step: saturate((max_squared_distance / wz).isqrt()),
                max_squared: saturate(max_squared_distance),
            },
        ];
        Some(Self {
            weights_along_y,
            weights_along_z,
            bounds,
            unit: unit.conversion.unit,
            max_squared_distance,
        })
    }

    /// Returns the bound of the last pass if only squared distances are compared: the largest
    /// squared distance whose rounded distance does not exceed `background`. At most the largest
    /// one can exceed it.
    pub fn distance_bound(&self, background: f32) -> PassBound {
        let [_, mut bound] = self.bounds;
        let distance = |squared: u32| (self.unit * f64::from(squared).sqrt()) as f32;
        while bound.max_squared > 0 && distance(bound.max_squared) > background {
            bound.max_squared -= 1;
        }
        bound
    }

    /// Returns the unit as f32, if that gives the same distances: it is a power of two, and f32
    /// represents all squared distances exactly.
    pub fn exact_f32_unit(&self) -> Option<f32> {
        let fraction = self.unit.to_bits() << 12;
        let is_power = fraction == 0 && (1e-20..1e20).contains(&self.unit);
        (is_power && self.max_squared_distance < 1 << 24).then_some(self.unit as f32)
    }
}

/// Returns the weights of a pass if its numbers fit: `unit` and `weight` are the squared lengths
/// represented by squared distances of 1 from the previous passes and along the line, and the
/// former are at most `max_prior`.
fn checked_weights([unit, weight]: [u64; 2], max_prior: u64, len: u32) -> Option<PassWeights> {
    let costs_fit = max_prior < u64::from(NO_SITE_COST);
    let lifted_costs = unit * max_prior + weight * u64::from(len).pow(2);
    // The filter counts the positions of a chunk from 1024 before it, and uses 2^27 where there is
    // no site.
    let filter_fits = lifted_costs.max(unit * max_prior + (weight << 17)) < 1 << 27;
    // Up to this limit, estimated takeover outputs keep the order of the quotients.
    let quotients_fit = lifted_costs <= weight << 24;
    let weight_fits = weight <= u64::from(MAX_PASS_WEIGHT);
    (costs_fit && filter_fits && quotients_fit && weight_fits)
        .then(|| PassWeights::new(unit as u32, weight as u32))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{distance::DistanceParams, grid::Geometry};

    fn metric(dims: [u32; 3], spacing: [f64; 3]) -> Option<EnvelopeMetric> {
        let [nx, ny, nz] = dims;
        let grid = Grid { nx, ny, nz };
        let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
        EnvelopeMetric::new(
            grid,
            &CostUnit::for_grid(grid, &geometry, &DistanceParams::default()),
        )
    }

    #[test]
    fn weights_of_supported_spacings() {
        let supported = |dims, spacing| metric(dims, spacing).unwrap();
        let cubes = supported([1024; 3], [0.7; 3]);
        assert_eq!((cubes.weights_along_y, cubes.weights_along_z), (None, None));
        assert_eq!(cubes.exact_f32_unit(), None);
        assert_eq!(supported([1024; 3], [0.5; 3]).exact_f32_unit(), Some(0.5));
        let slices = supported([512; 3], [1.0, 1.0, 2.5]);
        assert_eq!(slices.weights_along_y, None);
        assert_eq!(slices.weights_along_z, Some(PassWeights::new(4, 25)));
        assert_eq!(slices.exact_f32_unit(), Some(0.5));
        assert_eq!(supported([1024; 3], [1.0, 1.0, 2.5]).exact_f32_unit(), None);
        assert!(metric([512; 3], [1.0, 1.0, 1.625]).is_some());
        assert_eq!(metric([1024; 3], [1.0, 1.0, 1.625]), None);
        let all = supported([512; 3], [1.0, 1.5, 2.0]);
        assert_eq!(all.weights_along_y, Some(PassWeights::new(4, 9)));
        assert_eq!(all.weights_along_z, Some(PassWeights::new(1, 16)));
        // Columns that pad a row to 32 are up to 31 voxels from its sites.
        assert!(metric([1, 1, 133], [66.0, 1.0, 7.0]).is_some());
        assert_eq!(metric([1, 1, 133], [67.0, 1.0, 7.0]), None);
        // The ratio of the spacings is irrational.
        assert_eq!(metric([64; 3], [1.0, 1.0, 3f64.sqrt()]), None);
    }

    /// A distance that rounds up to more than the bound is truncated, as in the separable method.
    #[test]
    fn bound_below_a_rounded_distance_matches_the_separable_result() {
        let grid = Grid {
            nx: 90,
            ny: 80,
            nz: 70,
        };
        for side in [1.0, 0.7, 1.3, 0.1] {
            let geometry = Geometry::from_spacing([side; 3], [0.0; 3]).unwrap();
            for squared in 1..9000u32 {
                let bound = side * f64::from(squared).sqrt();
                let params = DistanceParams {
                    max_distance: Some(bound),
                    ..DistanceParams::default()
                };
                let unit = CostUnit::for_grid(grid, &geometry, &params);
                let metric = EnvelopeMetric::new(grid, &unit).unwrap();
                let [_, pass] = metric.bounds;
                let last = metric.distance_bound(bound as f32);
                assert!(pass.max_squared - last.max_squared <= 1, "{side} {squared}");
                for squared in last.max_squared.saturating_sub(2)..pass.max_squared + 1 {
                    let distance = (side * f64::from(squared).sqrt()) as f32;
                    assert_eq!(distance <= bound as f32, squared <= last.max_squared);
                }
            }
        }
    }

    /// Each number is checked at its limit: the last one that fits, and the next.
    #[test]
    fn each_limit_is_exact() {
        let fits =
            |weights: [u64; 2], max_prior, len| checked_weights(weights, max_prior, len).is_some();
        let none = u64::from(NO_SITE_COST);
        assert!(fits([4, 361], 1000, 100));
        assert!(!fits([4, 362], 1000, 100));
        // Costs have 22 bits.
        assert!(fits([1, 4], none - 1, 1));
        assert!(!fits([1, 4], none, 1));
        // Lifted costs have 27 bits.
        assert!(fits([1000, 100], 100_000, 584));
        assert!(!fits([1000, 100], 100_000, 585));
        assert!(fits([1000, 261], 100_000, 1));
        assert!(!fits([1000, 262], 100_000, 1));
        // Quotients are limited to 2^24 times the weight.
        assert!(fits([8, 1], (1 << 21) - 1250, 100));
        assert!(!fits([8, 1], (1 << 21) - 1249, 100));
    }
}
