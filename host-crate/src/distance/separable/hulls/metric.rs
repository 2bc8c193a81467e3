//! Which spacings hulls are for, and what they make of them.

use super::super::weights::{Unit, Weights};
use ferrovox_kernels::{
    distance::hulls::{MOST_WEIGHT, NONE, Spacing, Within},
    grid::Grid,
};

/// How squared distances are counted in the two passes along lines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Metric {
    /// Of lines along y, if voxels are not as long along y as along x.
    pub along_y: Option<Spacing>,
    /// Of lines along z, if voxels are no cubes.
    pub along_z: Option<Spacing>,
    /// What counts in the passes.
    pub within: [Within; 2],
    /// What a squared distance of 1 is, as a distance.
    pub unit: f64,
    /// The largest squared distance that counts.
    largest: u64,
}

impl Metric {
    /// That of a grid's voxels, if squared spacings are integer multiples of a unit and numbers
    /// fit.
    ///
    /// A word of a tile has 22 bits for a cost. Along y costs are distances along x. Along z they
    /// are squared distances in the plane, in a unit of which the squared spacings along x and y
    /// are multiples without a common divisor: where these are equal, costs are those of cubes,
    /// whatever z is.
    pub fn of(grid: Grid, unit: &Unit) -> Option<Self> {
        let weights = match unit.weights {
            Weights::U32(weights) => weights.map(u64::from),
            Weights::U64(weights) => weights,
            Weights::F64(_) => return None,
        };
        let [wx, wy, wz] = weights;
        let in_plane = gcd(wx, wy);
        let (x, y) = (wx / in_plane, wy / in_plane);
        let square = |side: u32| u64::from(side - 1).pow(2);
        let most_in_plane = x * square(grid.nx) + y * square(grid.ny);
        let along_y = match (x, y) {
            (1, 1) => None,
            _ => Some(fitting([x, y], square(grid.nx), grid.ny)?),
        };
        let along_z = match weights {
            [1, 1, 1] => None,
            _ => Some(fitting([in_plane, wz], most_in_plane, grid.nz)?),
        };
        let largest = unit.largest_squared();
        let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let in_units = narrow((largest / in_plane).min(u64::from(NONE) - 1));
        let within = [
            Within {
                // sites that are not there are farther than any voxel of the row
                cost: (in_units / narrow(x)).isqrt().min(grid.nx),
                apart: (in_units / narrow(y)).isqrt(),
                squared: in_units,
            },
            Within {
                cost: in_units,
                apart: narrow((largest / wz).isqrt()),
                squared: narrow(largest),
            },
        ];
        Some(Self {
            along_y,
            along_z,
            within,
            unit: unit.far.unit,
            largest,
        })
    }

    /// What counts in the last pass if squares alone decide: those whose distances, rounded, are no
    /// more than `far`. Only of the largest can one be.
    pub fn within_distance(&self, far: f32) -> Within {
        let [_, mut within] = self.within;
        let distance = |squared: u32| (self.unit * f64::from(squared).sqrt()) as f32;
        while within.squared > 0 && distance(within.squared) > far {
            within.squared -= 1;
        }
        within
    }

    /// The unit in 32 bits, if distances are the same with it: a power of two, and squares that 32
    /// bits of floating point hold.
    pub fn short_unit(&self) -> Option<f32> {
        let fraction = self.unit.to_bits() << 12;
        let is_power = fraction == 0 && (1e-20..1e20).contains(&self.unit);
        (is_power && self.largest < 1 << 24).then_some(self.unit as f32)
    }
}

/// The spacing of a pass, if its numbers fit: `unit` and `weight` are what squared distances of 1
/// so far and along the line are, and there are such of up to `most` so far.
fn fitting([unit, weight]: [u64; 2], most: u64, len: u32) -> Option<Spacing> {
    let costs = most < u64::from(NONE);
    let values = unit * most + weight * u64::from(len).pow(2);
    // the filter has places of a chunk counted from 1024 before it, and 2^27 where there is no site
    let is_filtered = values.max(unit * most + (weight << 17)) < 1 << 27;
    // starts without a bound of 2^23
    let quotients = values <= weight << 24;
    let is_light = weight <= u64::from(MOST_WEIGHT);
    (costs && is_filtered && quotients && is_light)
        .then(|| Spacing::new(unit as u32, weight as u32))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{distance::DistanceParams, grid::Geometry};

    fn metric(dims: [u32; 3], spacing: [f64; 3]) -> Option<Metric> {
        let [nx, ny, nz] = dims;
        let grid = Grid { nx, ny, nz };
        let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
        Metric::of(grid, &Unit::of(grid, &geometry, &DistanceParams::default()))
    }

    #[test]
    fn spacings_that_fit() {
        let of = |dims, spacing| metric(dims, spacing).unwrap();
        let cubes = of([1024; 3], [0.7; 3]);
        assert_eq!((cubes.along_y, cubes.along_z), (None, None));
        assert_eq!(cubes.short_unit(), None);
        assert_eq!(of([1024; 3], [0.5; 3]).short_unit(), Some(0.5));
        let slices = of([512; 3], [1.0, 1.0, 2.5]);
        assert_eq!(slices.along_y, None);
        assert_eq!(slices.along_z, Some(Spacing::new(4, 25)));
        assert_eq!(slices.short_unit(), Some(0.5));
        assert_eq!(of([1024; 3], [1.0, 1.0, 2.5]).short_unit(), None);
        assert!(metric([512; 3], [1.0, 1.0, 1.625]).is_some());
        assert_eq!(metric([1024; 3], [1.0, 1.0, 1.625]), None);
        let all = of([512; 3], [1.0, 1.5, 2.0]);
        assert_eq!(all.along_y, Some(Spacing::new(4, 9)));
        assert_eq!(all.along_z, Some(Spacing::new(1, 16)));
        // a quotient of spacings that is no quotient of small integers
        assert_eq!(metric([64; 3], [1.0, 1.0, 3f64.sqrt()]), None);
    }

    /// A distance that is rounded up to more than the bound is the bound, as without hulls.
    #[test]
    fn bounds_that_are_less_than_a_rounded_distance() {
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
                let unit = Unit::of(grid, &geometry, &params);
                let metric = Metric::of(grid, &unit).unwrap();
                let [_, all] = metric.within;
                let within = metric.within_distance(bound as f32);
                assert!(all.squared - within.squared <= 1, "{side} {squared}");
                for squared in within.squared.saturating_sub(2)..all.squared + 1 {
                    let distance = (side * f64::from(squared).sqrt()) as f32;
                    assert_eq!(distance <= bound as f32, squared <= within.squared);
                }
            }
        }
    }

    /// Each number is held to its bound: the last that fits, and the next.
    #[test]
    fn borders() {
        let fits = |weights: [u64; 2], most, len| fitting(weights, most, len).is_some();
        let none = u64::from(NONE);
        assert!(fits([4, 361], 1000, 100));
        assert!(!fits([4, 362], 1000, 100));
        // costs of 22 bits
        assert!(fits([1, 4], none - 1, 1));
        assert!(!fits([1, 4], none, 1));
        // values of 27 bits
        assert!(fits([1000, 100], 100_000, 584));
        assert!(!fits([1000, 100], 100_000, 585));
        assert!(fits([1000, 261], 100_000, 1));
        assert!(!fits([1000, 262], 100_000, 1));
        // quotients of 2^24 times the weight
        assert!(fits([8, 1], (1 << 21) - 1250, 100));
        assert!(!fits([8, 1], (1 << 21) - 1249, 100));
    }
}
