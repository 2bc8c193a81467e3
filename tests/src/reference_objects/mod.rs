//! Voxel objects with known ground truth: Betti numbers, medial axes, lengths.
//!
//! Each object is determined by a few numbers and a seed, for any spacing and any position in the
//! world. Lengths are in world units.
//!
//! | objects | module |
//! | --- | --- |
//! | rods, arms from a point, T, a trunk with a thin branch, rings | [`simple`] |
//! | shells, plates, tunnel and cavity, curves one voxel wide, touching voxels | [`solid`] |
//! | solids with a known number of ends, rotated and with noise | [`branched`] |
//! | random trees and networks of tubes, noise, isolated voxels | [`random`] |
//! | a vascular network, a label atlas, bones with holes | [`large`] |

pub mod branched;
pub mod large;
pub mod random;
pub mod simple;
pub mod solid;
#[cfg(test)]
mod tests;
mod tubes;

pub use tubes::{Grid, Tubes};

use ferrovox::grid::Volume;
use nalgebra::Point3;

/// Betti numbers of an object with 26-connected voxels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Betti {
    /// b0: number of connected components.
    pub components: u64,
    /// b1: number of independent tunnels.
    pub tunnels: u64,
    /// b2: number of cavities, the 6-connected background components that do not reach the outside.
    pub cavities: u64,
}

impl Betti {
    /// Creates the three numbers.
    pub const fn new(components: u64, tunnels: u64, cavities: u64) -> Self {
        Self {
            components,
            tunnels,
            cavities,
        }
    }

    /// Returns the Euler characteristic: components − tunnels + cavities.
    pub fn euler(&self) -> i64 {
        self.components as i64 - self.tunnels as i64 + self.cavities as i64
    }
}

/// Medial axis of a tube.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Points in world coordinates.
    pub points: Vec<Point3<f64>>,
    /// Radius of the tube.
    pub radius: f64,
}

impl Axis {
    /// Creates a straight axis between two points.
    pub fn straight(from: Point3<f64>, to: Point3<f64>, radius: f64) -> Self {
        Self {
            points: vec![from, to],
            radius,
        }
    }

    /// Returns the length.
    pub fn length(&self) -> f64 {
        let steps = self.points.windows(2);
        steps.map(|step| (step[1] - step[0]).norm()).sum()
    }
}

/// Voxel object with its ground truth.
#[derive(Clone, Debug)]
pub struct ReferenceObject {
    /// Name for messages and tables.
    pub name: String,
    /// Seed that the object was generated from.
    pub seed: u64,
    /// Voxels: non-zero in the object; label values if there are several labels.
    pub voxels: Volume<u8>,
    /// Betti numbers, if certain by construction.
    pub betti: Option<Betti>,
    /// Number of endpoints of the skeleton, if certain by construction.
    pub ends: Option<usize>,
    /// Medial axes of an object made of tubes.
    pub axes: Vec<Axis>,
    /// Length by which a correct skeleton may exceed the axes: tubes with round ends are longer by
    /// their radius.
    pub length_allowance: f64,
}

impl ReferenceObject {
    /// Creates an object without ground truth.
    pub fn without_ground_truth(name: impl Into<String>, seed: u64, voxels: Volume<u8>) -> Self {
        Self {
            name: name.into(),
            seed,
            voxels,
            betti: None,
            ends: None,
            axes: Vec::new(),
            length_allowance: 0.0,
        }
    }

    /// Sets the Betti numbers.
    #[must_use]
    pub fn with_betti(mut self, components: u64, tunnels: u64, cavities: u64) -> Self {
        self.betti = Some(Betti::new(components, tunnels, cavities));
        self
    }

    /// Sets the number of endpoints.
    #[must_use]
    pub fn with_ends(mut self, ends: usize) -> Self {
        self.ends = Some(ends);
        self
    }

    /// Returns the total length of the axes.
    pub fn length(&self) -> f64 {
        self.axes.iter().map(Axis::length).sum()
    }

    /// Returns the number of voxels in the object.
    pub fn filled(&self) -> usize {
        self.voxels.samples().iter().filter(|&&v| v != 0).count()
    }

    /// Returns the largest and the smallest spacing.
    pub fn spacings(&self) -> [f64; 2] {
        let spacing = self.voxels.geometry().spacing();
        [spacing.max(), spacing.min()]
    }

    /// Returns the distance of a world point from the nearest axis, and that axis's radius; `None`
    /// without axes.
    pub fn distance_to_axis(&self, point: Point3<f64>) -> Option<(f64, f64)> {
        let segments = self.axes.iter().flat_map(|axis| {
            let steps = axis.points.windows(2);
            steps.map(|step| (distance_to_segment(point, step[0], step[1]), axis.radius))
        });
        segments.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Returns the distance of a point from a segment.
pub fn distance_to_segment(point: Point3<f64>, from: Point3<f64>, to: Point3<f64>) -> f64 {
    let along = to - from;
    let part = (point - from).dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE);
    (point - (from + along * part.clamp(0.0, 1.0))).norm()
}
