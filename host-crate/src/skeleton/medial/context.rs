//! A component with what all later steps need of it.

use super::{
    paths::segment_voxels::{FixedPoint, to_voxels, voxel_at},
    progress::ComponentProgress,
    voxels::{boundary_faces::BoundaryFaces, object::Object},
};
use crate::grid::Metric;
use nalgebra::Vector3;

/// A component, and what is known of it.
pub struct ComponentContext<'a> {
    pub object: &'a Object,
    pub metric: &'a Metric,
    /// For each voxel the squared distance to the nearest that is not of the component, in squares
    /// of the smallest spacing.
    pub squared_distances: &'a [f64],
    pub boundary: &'a BoundaryFaces<'a>,
    /// What a unit of length costs at each voxel, for ways that lead through the middle.
    pub edge_weights: &'a [f32],
    /// How far it is, and whether to stop.
    pub progress: &'a ComponentProgress<'a>,
}

/// More than distances are wrong by.
const ROUNDING: f64 = 1e-6;

impl ComponentContext<'_> {
    /// The distance from a place to the surface, in the smallest spacing: to the nearest centre of
    /// a voxel that is not of the component, less a half.
    pub fn radius(&self, position: FixedPoint) -> f64 {
        let Some((voxel, off)) = self.containing_voxel(position) else {
            return 0.0;
        };
        let square = self.squared_distances[voxel];
        if off == 0.0 {
            return square.sqrt() - 0.5;
        }
        // in long or sheared voxels a place may be farther from the centre than that is from the
        // surface
        let [lower, upper] = [(square.sqrt() - off).max(0.0), square.sqrt() + off];
        self.boundary
            .distance_to_background(to_voxels(position), [lower, upper])
            - 0.5
    }

    /// Whether the surface is nearer than that. Where it is far, at once.
    pub fn is_within(&self, position: FixedPoint, radius: f64) -> bool {
        self.containing_voxel(position).is_none_or(|(voxel, off)| {
            let lower = self.squared_distances[voxel].sqrt() - off - 0.5;
            lower < radius + ROUNDING && self.radius(position) < radius
        })
    }

    /// The distance to the surface to about half a voxel, at once.
    pub fn approximate_radius(&self, position: FixedPoint) -> f64 {
        self.containing_voxel(position)
            .map_or(0.0, |(voxel, _)| self.squared_distances[voxel].sqrt() - 0.5)
    }

    /// The voxel that a place is in, and how far its centre is.
    fn containing_voxel(&self, position: FixedPoint) -> Option<(usize, f64)> {
        let voxel = voxel_at(self.object, position)?;
        let at = to_voxels(position);
        let centre = self.object.position(voxel);
        let offset = [0, 1, 2].map(|axis| at[axis] - f64::from(centre[axis]));
        Some((voxel, self.metric.length(offset)))
    }

    /// The length of a way through some places.
    pub fn length(&self, points: &[FixedPoint]) -> f64 {
        points
            .windows(2)
            .map(|ends| self.distance(ends[0], ends[1]))
            .sum()
    }

    /// The distance between two places.
    pub fn distance(&self, a: FixedPoint, b: FixedPoint) -> f64 {
        let [a, b] = [a, b].map(to_voxels);
        self.metric.length([0, 1, 2].map(|axis| b[axis] - a[axis]))
    }
}

/// The direction from one place to another, in the world.
pub fn direction(
    context: &ComponentContext<'_>,
    from: FixedPoint,
    to: FixedPoint,
) -> Option<Vector3<f64>> {
    let [a, b] = [to_voxels(from), to_voxels(to)];
    let offset = context
        .metric
        .world([0, 1, 2].map(|axis| b[axis] - a[axis]));
    Vector3::from(offset).try_normalize(1e-9)
}

#[cfg(test)]
mod tests {
    use crate::{
        grid::Geometry,
        skeleton::medial::{
            paths::segment_voxels::{to_fixed, to_voxels},
            test_objects::with_context,
        },
    };
    use nalgebra::{Matrix3, Vector3};
    use proptest::prelude::*;
    use test_cases::cases;

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(200), failure_persistence: None, ..Default::default() })]

        /// Also where a place may be farther from its voxel's centre than that is from the surface.
        /// On sheared grids the voxels outside that have a face to the component count: one that
        /// only touches it may be a little nearer.
        #[test]
        fn radii_are_those_of_all_voxels_outside(
            holes in prop::collection::vec(prop::array::uniform3(0usize..12), 0..40),
            spacing in prop::sample::select(vec![[1.0; 3], [1.0, 2.0, 1.5], [5.0, 1.0, 1.0], [0.5, 0.5, 2.5]]),
            shear in prop::sample::select(vec![0.0, 0.4, 0.9]),
            positions in prop::collection::vec(prop::array::uniform3(-0.49f64..11.49), 60),
        ) {
            let [a, b, c] = spacing;
            let axes = Matrix3::new(a, shear * b, 0.0, 0.0, b, shear * c, 0.0, 0.0, c);
            let geometry = Geometry::new(axes, Vector3::zeros()).unwrap();
            let is_set = |at: [usize; 3]| !holes.contains(&at);
            let mut wrong = None;
            with_context([12; 3], geometry, is_set, |context, _| {
                let voxels = (0..14 * 14 * 14).map(|n| [n % 14, n / 14 % 14, n / 196].map(|x| x - 1));
                let outside: Vec<[i32; 3]> =
                    voxels.filter(|&voxel| context.object.voxel_at(voxel).is_none()).collect();
                for &at in &positions {
                    let position = to_fixed(at);
                    if context.containing_voxel(position).is_none() {
                        continue;
                    }
                    let from = to_voxels(position);
                    let mut lower = f64::INFINITY;
                    for voxel in &outside {
                        let offset = [0, 1, 2].map(|axis| f64::from(voxel[axis]) - from[axis]);
                        lower = lower.min(context.metric.length(offset));
                    }
                    let radius = context.radius(position);
                    let may_be_more = if shear == 0.0 { 1e-9 } else { 1.0 };
                    let more = radius - (lower - 0.5);
                    if more < -1e-9 || more > may_be_more {
                        wrong = Some((at, radius, lower - 0.5));
                    }
                }
            });
            prop_assert_eq!(wrong, None);
        }
    }
}
