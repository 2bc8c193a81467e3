//! A component with what all later steps need of it.

use super::{
    crossing::{Place, in_voxels, voxel_at},
    metric::Metric,
    object::Object,
    shell::Shell,
    steps::Steps,
};
use nalgebra::Vector3;

/// A component, and what is known of it.
pub struct Known<'a> {
    pub object: &'a Object,
    pub metric: &'a Metric,
    /// For each voxel the squared distance to the nearest that is not of the component, in squares of the smallest spacing.
    pub squares: &'a [f64],
    pub shell: &'a Shell<'a>,
    /// What a unit of length costs at each voxel, for ways that lead through the middle.
    pub prices: &'a [f32],
    /// How far it is, and whether to stop.
    pub steps: &'a Steps<'a>,
}

/// More than distances are wrong by.
const ROUNDING: f64 = 1e-6;

impl Known<'_> {
    /// The distance from a place to the surface, in the smallest spacing: to the nearest centre of a voxel that is not of the component, less a half.
    pub fn radius(&self, place: Place) -> f64 {
        let Some((voxel, off)) = self.near(place) else {
            return 0.0;
        };
        let square = self.squares[voxel];
        if off == 0.0 {
            return square.sqrt() - 0.5;
        }
        let [least, most] = [square.sqrt() - off, square.sqrt() + off];
        self.shell.distance(in_voxels(place), [least, most]) - 0.5
    }

    /// Whether the surface is nearer than that. Where it is far, at once.
    pub fn is_within(&self, place: Place, radius: f64) -> bool {
        self.near(place).is_none_or(|(voxel, off)| {
            let least = self.squares[voxel].sqrt() - off - 0.5;
            least < radius + ROUNDING && self.radius(place) < radius
        })
    }

    /// The distance to the surface to about half a voxel, at once.
    pub fn about_radius(&self, place: Place) -> f64 {
        self.near(place)
            .map_or(0.0, |(voxel, _)| self.squares[voxel].sqrt() - 0.5)
    }

    /// The voxel that a place is in, and how far its centre is.
    fn near(&self, place: Place) -> Option<(usize, f64)> {
        let voxel = voxel_at(self.object, place)?;
        let at = in_voxels(place);
        let centre = self.object.place(voxel);
        let way = [0, 1, 2].map(|axis| at[axis] - f64::from(centre[axis]));
        Some((voxel, self.metric.length(way)))
    }

    /// The length of a way through some places.
    pub fn length(&self, points: &[Place]) -> f64 {
        points
            .windows(2)
            .map(|ends| self.distance(ends[0], ends[1]))
            .sum()
    }

    /// The distance between two places.
    pub fn distance(&self, a: Place, b: Place) -> f64 {
        let [a, b] = [a, b].map(in_voxels);
        self.metric.length([0, 1, 2].map(|axis| b[axis] - a[axis]))
    }
}

/// The direction from one place to another, in the world.
pub fn direction(known: &Known<'_>, from: Place, to: Place) -> Option<Vector3<f64>> {
    let [a, b] = [in_voxels(from), in_voxels(to)];
    let way = known.metric.world([0, 1, 2].map(|axis| b[axis] - a[axis]));
    Vector3::from(way).try_normalize(1e-9)
}
