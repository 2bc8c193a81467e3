//! In what numbers squared distances are computed.

use super::super::DistanceParams;
use crate::grid::Geometry;
use ferrovox_kernels::{
    distance::separable::{Axis, Cost, FAR, Far, cost::PLACE_BITS},
    grid::Grid,
};

/// The squared spacings along x, y and z, in the numbers that squared distances are computed in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::distance) enum Weights {
    U32([u32; 3]),
    U64([u64; 3]),
    F64([f64; 3]),
}

/// How squared distances are counted, and what the map has where there is none.
#[derive(Clone, Copy, Debug)]
pub(in crate::distance) struct Unit {
    pub weights: Weights,
    pub far: Far,
    /// A squared distance of the bound, and one more than any in the grid.
    none: f64,
    pub spacing: [f64; 3],
    bound: Option<f64>,
}

/// Ratios of squared spacings are taken for integers up to this.
const MAX_WEIGHT: f64 = 1e6;

/// The shortest spacing is at most this many units: with many, squares take 64 bits.
const MAX_PARTS: u32 = 16;

/// The same where squares must be integers: as many as [`MAX_WEIGHT`] allows.
const MAX_PARTS_OF_SQUARES: u32 = 1000;

impl Unit {
    pub fn of(grid: Grid, geometry: &Geometry, params: &DistanceParams) -> Self {
        Self::of_parts(grid, geometry, params, MAX_PARTS)
    }

    /// One in which squares are integers, if there is any.
    pub fn of_squares(grid: Grid, geometry: &Geometry, params: &DistanceParams) -> Self {
        Self::of_parts(grid, geometry, params, MAX_PARTS_OF_SQUARES)
    }

    fn of_parts(grid: Grid, geometry: &Geometry, params: &DistanceParams, most_parts: u32) -> Self {
        let spacing: [f64; 3] = geometry.spacing().into();
        let dims = [grid.nx, grid.ny, grid.nz];
        let (unit, integers) = multiples_of_unit(spacing, most_parts);
        let squared = |axis: usize, weight: f64| weight * (f64::from(dims[axis]) - 1.0).powi(2);
        let weights = integers.map_or(spacing.map(|s| s * s), |weights| weights);
        let largest: f64 = (0..3).map(|axis| squared(axis, weights[axis])).sum();
        // the first squared distance beyond all that count
        let none = match params.max_distance {
            Some(bound) => largest.min((bound / unit).powi(2)).floor() + 1.0,
            None => largest + 1.0,
        };
        // what is compared is a cost, a square along the line or a little beyond its end, and a
        // bias that is less than that
        let most_beyond = f64::from(1u32 << PLACE_BITS);
        let along = (0..3)
            .map(|axis| 2.0 * weights[axis] * (f64::from(dims[axis]) + most_beyond).powi(2))
            .fold(0.0, f64::max);
        let compared = none + along;
        let weights = match integers {
            Some(weights) if compared < (1u64 << (32 - PLACE_BITS)) as f64 => {
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
        let most = params
            .max_distance
            .map_or(f32::INFINITY, |bound| bound as f32);
        Self {
            weights,
            far: Far {
                unit,
                distance: most,
                most,
            },
            none,
            spacing,
            bound: params.max_distance,
        }
    }

    /// The same for a grid whose x is this one's z, and whose z is its x.
    pub fn turned(mut self) -> Self {
        match &mut self.weights {
            Weights::U32(weights) => weights.reverse(),
            Weights::U64(weights) => weights.reverse(),
            Weights::F64(weights) => weights.reverse(),
        }
        self.spacing.reverse();
        self
    }

    /// How many voxels along an axis are within the bound; less than [`FAR`].
    pub fn most_along(&self, axis: usize) -> u32 {
        let most = match self.bound {
            // a float that is too large becomes the most that there is
            Some(bound) => (bound / self.spacing[axis]).floor() as u32,
            None => u32::MAX,
        };
        most.min(FAR - 1)
    }

    /// The largest squared distance that counts, in voxels or whatever the unit is, where costs are
    /// integers.
    pub fn largest_squared(&self) -> u64 {
        self.none as u64 - 1
    }

    /// The squared bound, rounded up, where costs are integers.
    pub fn squared_bound(&self) -> Option<u64> {
        self.bound.map(|bound| {
            let squared = (bound / self.far.unit).powi(2);
            // a bound that is a multiple of the unit but for rounding is meant to be one
            let whole = squared.round();
            let is_whole = (squared - whole).abs() <= 1e-12 * whole;
            // a float that is too large becomes the most that there is
            if is_whole {
                whole as u64
            } else {
                squared.ceil() as u64
            }
        })
    }

    /// An axis with lines of `len` voxels.
    pub fn axis<C: Cost + Number>(&self, weights: &[C; 3], axis: usize, len: u32) -> Axis<C> {
        let centre = len / 2;
        let square = |weight: f64| weight * f64::from(centre) * f64::from(centre);
        let bias = square(weights[axis].to_f64());
        let infinite = matches!(self.weights, Weights::F64(_));
        Axis {
            weight: weights[axis],
            centre: C::of(centre),
            bias: C::from_f64(bias),
            none: C::from_f64(match self.bound {
                // the bound itself counts
                Some(bound) if infinite => (bound * bound).next_up(),
                None if infinite => f64::INFINITY,
                _ => self.none,
            }),
        }
    }
}

/// Numbers to and from `f64`.
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

/// A unit of which the squared spacings are integer multiples of its square, with these multiples,
/// if there is one.
pub(in crate::distance) fn integer_weights(spacing: [f64; 3]) -> (f64, Option<[f64; 3]>) {
    multiples_of_unit(spacing, MAX_PARTS)
}

fn multiples_of_unit(spacing: [f64; 3], most_parts: u32) -> (f64, Option<[f64; 3]>) {
    let least = spacing.iter().copied().fold(f64::INFINITY, f64::min);
    for parts in 1..=most_parts {
        let unit = least / f64::from(parts);
        let multiples = spacing.map(|s| (s / unit).round());
        let same = (0..3).all(|axis| multiples[axis] * unit == spacing[axis]);
        if same
            && multiples
                .iter()
                .all(|multiple| multiple * multiple <= MAX_WEIGHT)
        {
            return (unit, Some(multiples.map(|multiple| multiple * multiple)));
        }
    }
    (1.0, None)
}
