//! Sites that are candidates for the nearest one along a column, and the comparison of their
//! parabolas.

use crate::distance::separable::{CostUnit, Weights};
use ferrovox_kernels::distance::separable::Cost;
use std::ops::Add;

/// Squared distance that is exact (`u64`), or rounded as in the kernels (`f64`).
pub(super) trait ColumnCost: Cost + Add<Output = Self> {
    /// Returns `true` if `middle` is nowhere nearer than the other two candidates, which are before
    /// and after it. A rounded comparison keeps `middle` when in doubt.
    fn is_hidden(
        weight: Self,
        before: Candidate<Self>,
        middle: Candidate<Self>,
        after: Candidate<Self>,
    ) -> bool;

    /// Returns `true` if a cost is certainly less than another one.
    fn is_certainly_less(self, other: Self) -> bool;

    /// Converts a squared distance; integers saturate.
    fn from_cost(cost: f64) -> Self;
}

/// Site that is nearest to a column within its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate<C> {
    /// Plane of the site.
    pub z: u32,
    /// Linear index of the site within its plane, x fastest.
    pub in_plane: u32,
    /// Squared distance within the plane from the column to the site.
    pub cost: C,
}

impl<C: ColumnCost> Candidate<C> {
    /// Returns the squared distance from a position of the column to the site.
    pub fn cost_at(&self, z: u32, weight: C) -> C {
        self.cost + C::squared(weight, self.z.abs_diff(z))
    }
}

impl ColumnCost for u64 {
    fn is_hidden(
        weight: Self,
        before: Candidate<Self>,
        middle: Candidate<Self>,
        after: Candidate<Self>,
    ) -> bool {
        let [z0, z1, z2] = [before.z, middle.z, after.z].map(i128::from);
        let [c0, c1, c2] = [before.cost, middle.cost, after.cost].map(i128::from);
        let weight = i128::from(weight);
        // twice the position from which the later one of two candidates is nearer, times the weight
        // and the distance of the candidates
        let takeover = c1 - c0 + weight * (z1 * z1 - z0 * z0);
        let next_takeover = c2 - c1 + weight * (z2 * z2 - z1 * z1);
        takeover * (z2 - z1) >= next_takeover * (z1 - z0)
    }

    fn is_certainly_less(self, other: Self) -> bool {
        self < other
    }

    fn from_cost(cost: f64) -> Self {
        cost as Self
    }
}

/// Relative error of `f64` costs and takeover positions that no rounding exceeds.
const MAX_ERROR: f64 = 1e-9;

impl ColumnCost for f64 {
    fn is_hidden(
        weight: Self,
        before: Candidate<Self>,
        middle: Candidate<Self>,
        after: Candidate<Self>,
    ) -> bool {
        let takeover = |a: Candidate<Self>, b: Candidate<Self>| {
            let [first, second] = [a.z, b.z].map(f64::from);
            let shift = (b.cost - a.cost) / (weight * (second - first));
            let magnitude = (a.cost + b.cost) / (weight * (second - first)) + first + second;
            (shift + first + second, MAX_ERROR * magnitude)
        };
        let (first, first_error) = takeover(before, middle);
        let (second, second_error) = takeover(middle, after);
        first > second + first_error + second_error
    }

    fn is_certainly_less(self, other: Self) -> bool {
        self < other * (1.0 - MAX_ERROR)
    }

    fn from_cost(cost: f64) -> Self {
        cost
    }
}

/// Squared spacings along x, y and z, exact if they are integers in some unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ColumnWeights {
    Integer([u64; 3]),
    Rounded([f64; 3]),
}

impl ColumnWeights {
    /// Returns the weights of a unit.
    pub fn new(unit: &CostUnit) -> Self {
        match unit.weights {
            Weights::U32(weights) => Self::Integer(weights.map(u64::from)),
            Weights::U64(weights) => Self::Integer(weights),
            Weights::F64(weights) => Self::Rounded(weights),
        }
    }
}

/// Columns of a grid, as far as costs depend on them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns<C> {
    /// Number of columns along x.
    pub nx: u32,
    /// Number of columns.
    pub count: usize,
    /// Squared spacings along x, y and z.
    pub weights: [C; 3],
}

impl<C: ColumnCost> Columns<C> {
    /// Returns the candidate of a column that is the site with an index within a plane.
    pub fn candidate(&self, column: usize, z: u32, in_plane: u32) -> Candidate<C> {
        let column = column as u32;
        let [dx, dy] = [
            (column % self.nx).abs_diff(in_plane % self.nx),
            (column / self.nx).abs_diff(in_plane / self.nx),
        ];
        let along_x = C::squared(self.weights[0], dx);
        Candidate {
            z,
            in_plane,
            cost: along_x + C::squared(self.weights[1], dy),
        }
    }

    /// Returns the candidate of a column that is the site with an index in the volume.
    pub fn site_candidate(&self, column: usize, site: u64) -> Candidate<C> {
        let plane = self.count as u64;
        self.candidate(column, (site / plane) as u32, (site % plane) as u32)
    }

    /// Returns the index in the volume of a candidate's site.
    pub fn site(&self, candidate: Candidate<C>) -> u64 {
        u64::from(candidate.z) * self.count as u64 + u64::from(candidate.in_plane)
    }
}
