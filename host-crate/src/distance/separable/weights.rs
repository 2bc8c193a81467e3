//! Number types and units of squared distances.

use super::super::DistanceParams;
use crate::grid::Geometry;
use ferrovox_kernels::{
    distance::separable::{Axis, Cost, DistanceConversion, NO_SITE_DISTANCE, cost::POSITION_BITS},
    grid::Grid,
};

/// Squared spacings along x, y and z, in the number type of the squared distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::distance) enum Weights {
    U32([u32; 3]),
    U64([u64; 3]),
    F64([f64; 3]),
}

/// Unit and number type of squared distances, maximum distance, and background value.
#[derive(Clone, Copy, Debug)]
pub(in crate::distance) struct CostUnit {
    pub weights: Weights,
    pub conversion: DistanceConversion,
    /// Cost without a site: exceeds the squared maximum distance or every squared distance in the
    /// grid, whichever is smaller.
    no_site: f64,
    pub spacing: [f64; 3],
    max_distance: Option<f64>,
}

/// Largest squared spacing, in squares of the unit, that is represented as an integer.
const MAX_INTEGER_WEIGHT: f64 = 1e6;

/// Maximum number of units in the smallest spacing; more units would require 64-bit squared
/// distances.
const MAX_UNITS: u32 = 16;

/// Maximum number of units in the smallest spacing if squared distances must be integers: as many
/// as [`MAX_INTEGER_WEIGHT`] allows.
const MAX_UNITS_SQUARED: u32 = 1000;

impl CostUnit {
    pub fn for_grid(grid: Grid, geometry: &Geometry, params: &DistanceParams) -> Self {
        Self::with_max_units(grid, geometry, params, MAX_UNITS)
    }

    /// Creates a unit in which squared distances are integers, if there is one.
    pub fn for_squared(grid: Grid, geometry: &Geometry, params: &DistanceParams) -> Self {
        Self::with_max_units(grid, geometry, params, MAX_UNITS_SQUARED)
    }

    fn with_max_units(
        grid: Grid,
        geometry: &Geometry,
        params: &DistanceParams,
        max_units: u32,
    ) -> Self {
        let spacing: [f64; 3] = geometry.spacing().into();
        let dims = [grid.nx, grid.ny, grid.nz];
        let (unit, integers) = multiples_of_unit(spacing, max_units);
        let squared = |axis: usize, weight: f64| weight * (f64::from(dims[axis]) - 1.0).powi(2);
        let weights = integers.map_or(spacing.map(|s| s * s), |weights| weights);
        let largest: f64 = (0..3).map(|axis| squared(axis, weights[axis])).sum();
        // The smallest integer that exceeds all squared distances up to the maximum distance.
        let no_site = match params.max_distance {
            Some(max_distance) => largest.min((max_distance / unit).powi(2)).floor() + 1.0,
            None => largest + 1.0,
        };
        // Compared values consist of a cost, a squared distance along the scanline or slightly past
        // its end, and a bias that is smaller. The kernels for groups of scanlines rely on the same
        // bound, below 2^25.
        let max_overhang = f64::from(1u32 << POSITION_BITS);
        let along = (0..3)
            .map(|axis| 2.0 * weights[axis] * (f64::from(dims[axis]) + max_overhang).powi(2))
            .fold(0.0, f64::max);
        let compared = no_site + along;
        let weights = match integers {
            Some(weights) if compared < (1u64 << (32 - POSITION_BITS)) as f64 => {
                Weights::U32(weights.map(|weight| weight as u32))
            }
            Some(weights) if compared < (1u64 << 53) as f64 => {
                Weights::U64(weights.map(|weight| weight as u64))
            }
            _ => Weights::F64(spacing.map(|s| s * s)),
        };
        let unit = if matches!(weights, Weights::F64(_)) {
            1.0
        } else {
            unit
        };
        let max_distance = params
            .max_distance
            .map_or(f32::INFINITY, |max_distance| max_distance as f32);
        Self {
            weights,
            conversion: DistanceConversion {
                unit,
                background: max_distance,
                max_distance,
            },
            no_site,
            spacing,
            max_distance: params.max_distance,
        }
    }

    /// Returns the unit for the grid with x and z exchanged.
    pub fn transposed(mut self) -> Self {
        match &mut self.weights {
            Weights::U32(weights) => weights.reverse(),
            Weights::U64(weights) => weights.reverse(),
            Weights::F64(weights) => weights.reverse(),
        }
        self.spacing.reverse();
        self
    }

    /// Returns the maximum distance along an axis in voxels, rounded down; less than
    /// [`NO_SITE_DISTANCE`].
    pub fn max_steps_along(&self, axis: usize) -> u32 {
        let steps = match self.max_distance {
            // The conversion saturates.
            Some(max_distance) => (max_distance / self.spacing[axis]).floor() as u32,
            None => u32::MAX,
        };
        steps.min(NO_SITE_DISTANCE - 1)
    }

    /// Returns the largest squared distance that is not truncated, in squared units. Valid for
    /// integer costs.
    pub fn max_squared(&self) -> u64 {
        self.no_site as u64 - 1
    }

    /// Returns the squared maximum distance, rounded up. Valid for integer costs.
    pub fn squared_bound(&self) -> Option<u64> {
        self.max_distance.map(|max_distance| {
            let squared = (max_distance / self.conversion.unit).powi(2);
            // A maximum distance that is a multiple of the unit up to rounding is treated as one.
            let rounded = squared.round();
            let is_integer = (squared - rounded).abs() <= 1e-12 * rounded;
            // The conversion saturates.
            if is_integer {
                rounded as u64
            } else {
                squared.ceil() as u64
            }
        })
    }

    /// Returns the parameters of scanlines of `len` voxels along an axis.
    pub fn axis<C: Cost + Number>(&self, weights: &[C; 3], axis: usize, len: u32) -> Axis<C> {
        let centre = len / 2;
        let square = |weight: f64| weight * f64::from(centre) * f64::from(centre);
        let bias = square(weights[axis].to_f64());
        let is_float = matches!(self.weights, Weights::F64(_));
        Axis {
            weight: weights[axis],
            centre: C::from_count(centre),
            bias: C::from_f64(bias),
            no_site: C::from_f64(match self.max_distance {
                // A site exactly at the maximum distance is within it.
                Some(max_distance) if is_float => (max_distance * max_distance).next_up(),
                None if is_float => f64::INFINITY,
                _ => self.no_site,
            }),
        }
    }
}

/// Conversion to and from `f64`.
pub(in crate::distance) trait Number: Copy {
    fn to_f64(self) -> f64;
    fn from_f64(value: f64) -> Self;
}

impl Number for u32 {
    fn to_f64(self) -> f64 {
        self.into()
    }

    fn from_f64(value: f64) -> Self {
        value as u32
    }
}

impl Number for u64 {
    fn to_f64(self) -> f64 {
        self as f64
    }

    fn from_f64(value: f64) -> Self {
        value as u64
    }
}

impl Number for f64 {
    fn to_f64(self) -> f64 {
        self
    }

    fn from_f64(value: f64) -> Self {
        value
    }
}

/// Returns a unit such that the squared spacings are integer multiples of its square, and these
/// multiples; `None` instead of the multiples if there is no such unit.
pub(in crate::distance) fn integer_weights(spacing: [f64; 3]) -> (f64, Option<[f64; 3]>) {
    multiples_of_unit(spacing, MAX_UNITS)
}

fn multiples_of_unit(spacing: [f64; 3], max_units: u32) -> (f64, Option<[f64; 3]>) {
    let smallest = spacing.iter().copied().fold(f64::INFINITY, f64::min);
    for units in 1..=max_units {
        let unit = smallest / f64::from(units);
        let multiples = spacing.map(|s| (s / unit).round());
        let is_exact = (0..3).all(|axis| multiples[axis] * unit == spacing[axis]);
        if is_exact
            && multiples
                .iter()
                .all(|multiple| multiple * multiple <= MAX_INTEGER_WEIGHT)
        {
            return (unit, Some(multiples.map(|multiple| multiple * multiple)));
        }
    }
    (1.0, None)
}
