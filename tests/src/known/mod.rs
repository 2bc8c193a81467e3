//! Objects of voxels of which the right skeleton is known: Betti numbers, axes, lengths.
//!
//! Each is made from a few numbers and a seed, at any spacing and in any place in the world.
//! Lengths are in world units throughout.
//!
//! | what | where |
//! | --- | --- |
//! | rods, arms from a point, T, a trunk with a thin branch, rings | [`simple`] |
//! | shells, plates, a solid with a tunnel and a cavity, curves one voxel wide, voxels that touch | [`solid`] |
//! | random trees and nets of tubes, noise, dust | [`random`] |
//! | a net like vessels, an atlas of labels, bones with holes | [`large`] |

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

/// How many pieces, tunnels and cavities an object has. Voxels hang together at faces, edges and
/// corners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Betti {
    /// b0: components.
    pub pieces: u64,
    /// b1: independent cycles.
    pub tunnels: u64,
    /// b2: what of the background no path of face neighbours joins to the outside.
    pub cavities: u64,
}

impl Betti {
    /// The three numbers.
    pub const fn new(pieces: u64, tunnels: u64, cavities: u64) -> Self {
        Self {
            pieces,
            tunnels,
            cavities,
        }
    }

    /// Pieces − tunnels + cavities.
    pub fn euler(&self) -> i64 {
        self.pieces as i64 - self.tunnels as i64 + self.cavities as i64
    }
}

/// A curve that is the middle of a tube.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Its points in the world.
    pub points: Vec<Point3<f64>>,
    /// The radius of the tube.
    pub radius: f64,
}

impl Axis {
    /// The straight one between two points.
    pub fn straight(from: Point3<f64>, to: Point3<f64>, radius: f64) -> Self {
        Self {
            points: vec![from, to],
            radius,
        }
    }

    /// Its length.
    pub fn length(&self) -> f64 {
        let steps = self.points.windows(2);
        steps.map(|step| (step[1] - step[0]).norm()).sum()
    }
}

/// An object, and what is known about it.
#[derive(Clone, Debug)]
pub struct Known {
    /// For messages and tables.
    pub name: String,
    /// What it was drawn by.
    pub seed: u64,
    /// Not 0 in the object; of several labels each its number.
    pub voxels: Volume<u8>,
    /// What it has by its construction, where that is certain.
    pub betti: Option<Betti>,
    /// How many ends its curves have, where that is certain.
    pub ends: Option<usize>,
    /// The middle curves of what is made of tubes.
    pub axes: Vec<Axis>,
    /// By how much a right skeleton may be longer than the axes: tubes with round ends are longer
    /// by their radius.
    pub tips: f64,
}

impl Known {
    /// One without axes.
    pub fn without_axes(name: impl Into<String>, seed: u64, voxels: Volume<u8>) -> Self {
        Self {
            name: name.into(),
            seed,
            voxels,
            betti: None,
            ends: None,
            axes: Vec::new(),
            tips: 0.0,
        }
    }

    /// With the Betti numbers that its construction gives it.
    #[must_use]
    pub fn with(mut self, pieces: u64, tunnels: u64, cavities: u64) -> Self {
        self.betti = Some(Betti::new(pieces, tunnels, cavities));
        self
    }

    /// With so many ends of curves.
    #[must_use]
    pub fn ending(mut self, ends: usize) -> Self {
        self.ends = Some(ends);
        self
    }

    /// The axes' length.
    pub fn length(&self) -> f64 {
        self.axes.iter().map(Axis::length).sum()
    }

    /// How many voxels are in the object.
    pub fn filled(&self) -> usize {
        self.voxels.samples().iter().filter(|&&v| v != 0).count()
    }

    /// The largest and the smallest spacing.
    pub fn spacings(&self) -> [f64; 2] {
        let spacing = self.voxels.geometry().spacing();
        [spacing.max(), spacing.min()]
    }

    /// The distance of a point of the world from the nearest axis, with that axis' radius. None
    /// without axes.
    pub fn to_axis(&self, point: Point3<f64>) -> Option<(f64, f64)> {
        let segments = self.axes.iter().flat_map(|axis| {
            let steps = axis.points.windows(2);
            steps.map(|step| (to_segment(point, step[0], step[1]), axis.radius))
        });
        segments.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// The distance of a point from a segment.
pub fn to_segment(point: Point3<f64>, from: Point3<f64>, to: Point3<f64>) -> f64 {
    let along = to - from;
    let part = (point - from).dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE);
    (point - (from + along * part.clamp(0.0, 1.0))).norm()
}
