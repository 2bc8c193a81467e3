//! Shared inputs of the stages that process one component.

use super::{
    progress::ComponentProgress,
    voxels::{
        boundary_faces::BoundaryFaces,
        object::Object,
        segment_voxels::{FixedPoint, to_voxels, voxel_at},
    },
};
use crate::grid::Metric;
use nalgebra::Vector3;

/// Read-only inputs shared by all stages of skeletonizing one component.
pub struct ComponentContext<'a> {
    /// Voxels of the component.
    pub object: &'a Object,
    /// Metric of the component's frame; its unit is the smallest spacing.
    pub metric: &'a Metric,
    /// Squared distance from each voxel to the nearest background voxel, in units of the smallest
    /// spacing squared and in single precision; one entry per voxel.
    pub squared_distances: &'a [f32],
    /// Boundary faces of the component.
    pub boundary: &'a BoundaryFaces<'a>,
    /// Edge weight per unit length at each voxel (TEASAR; Sato et al. 2000): small on the medial
    /// axis, so that shortest paths run along it.
    pub edge_weights: &'a [f32],
    /// Progress reporting and cancellation.
    pub progress: &'a ComponentProgress<'a>,
}

/// Upper bound of the rounding errors of distances.
const ROUNDING: f64 = 1e-6;

/// Upper bound of the relative rounding error of a distance whose square has single precision.
const RELATIVE_ROUNDING: f64 = 1e-7;

/// Squares of whole distances below this are exact in single precision.
const MAX_EXACT_SQUARE: f32 = 16_777_216.0;

impl ComponentContext<'_> {
    /// Returns the inscribed radius at a position, in units of the smallest spacing: the distance
    /// to the nearest background voxel centre minus 0.5. Returns 0 outside the component.
    pub fn radius(&self, position: FixedPoint) -> f64 {
        let Some((voxel, off)) = self.containing_voxel(position) else {
            return 0.0;
        };
        let square = self.squared_distances[voxel];
        if off == 0.0 && self.metric.is_cubic() && square < MAX_EXACT_SQUARE {
            return f64::from(square).sqrt() - 0.5;
        }
        let [lower, upper] = self.distance_bounds(voxel);
        // for anisotropic or oblique voxels, a position can be farther from its voxel's centre than
        // the centre is from the background
        let [lower, upper] = [(lower - off).max(0.0), upper + off];
        self.boundary
            .distance_to_background(to_voxels(position), [lower, upper])
            - 0.5
    }

    /// Returns `true` if the inscribed radius at a position is less than `radius`. Exact distances
    /// are computed only close to the surface.
    pub fn has_radius_below(&self, position: FixedPoint, radius: f64) -> bool {
        self.containing_voxel(position).is_none_or(|(voxel, off)| {
            let lower = self.distance_bounds(voxel)[0] - off - 0.5;
            lower < radius + ROUNDING && self.radius(position) < radius
        })
    }

    /// Approximates the inscribed radius at a position, to within about half a voxel, by the radius
    /// at the centre of the voxel that contains it.
    pub fn approximate_radius(&self, position: FixedPoint) -> f64 {
        self.containing_voxel(position)
            .map_or(0.0, |(voxel, _)| self.distance_at(voxel) - 0.5)
    }

    /// Returns bounds of the distance from a voxel's centre to the background.
    fn distance_bounds(&self, voxel: usize) -> [f64; 2] {
        let distance = self.distance_at(voxel);
        [-1.0, 1.0].map(|sign| distance * (1.0 + sign * RELATIVE_ROUNDING))
    }

    /// Returns the distance from a voxel's centre to the background, to single precision.
    fn distance_at(&self, voxel: usize) -> f64 {
        f64::from(self.squared_distances[voxel]).sqrt()
    }

    /// Returns the voxel that contains a position, and the distance to its centre.
    fn containing_voxel(&self, position: FixedPoint) -> Option<(usize, f64)> {
        let voxel = voxel_at(self.object, position)?;
        let at = to_voxels(position);
        let centre = self.object.position(voxel);
        let offset = [0, 1, 2].map(|axis| at[axis] - f64::from(centre[axis]));
        Some((voxel, self.metric.length(offset)))
    }

    /// Returns the length of a polyline, in units of the smallest spacing.
    pub fn length(&self, points: &[FixedPoint]) -> f64 {
        points
            .windows(2)
            .map(|ends| self.distance(ends[0], ends[1]))
            .sum()
    }

    /// Returns the distance between two positions, in units of the smallest spacing.
    pub fn distance(&self, a: FixedPoint, b: FixedPoint) -> f64 {
        let [a, b] = [a, b].map(to_voxels);
        self.metric.length([0, 1, 2].map(|axis| b[axis] - a[axis]))
    }
}

/// Returns the unit direction from one position to another in world coordinates, or `None` if they
/// coincide.
pub fn direction(
    context: &ComponentContext<'_>,
    from: FixedPoint,
    to: FixedPoint,
) -> Option<Vector3<f64>> {
    let [a, b] = [to_voxels(from), to_voxels(to)];
    let offset = context
        .metric
        .to_world([0, 1, 2].map(|axis| b[axis] - a[axis]));
    Vector3::from(offset).try_normalize(1e-9)
}

#[cfg(test)]
mod tests {
    use crate::{
        grid::Geometry,
        skeleton::medial::{
            test_objects::with_context,
            voxels::segment_voxels::{to_fixed, to_voxels},
        },
    };
    use nalgebra::{Matrix3, Vector3};
    use proptest::prelude::*;
    use test_cases::case_count;

    proptest! {
        #![proptest_config(ProptestConfig { cases: case_count(200), failure_persistence: None, ..Default::default() })]

        /// Includes positions that are farther from their voxel's centre than the centre is from
        /// the surface. On oblique grids, only background voxels that share a face with the
        /// component are considered; one that touches it at a corner can be slightly nearer.
        #[test]
        fn radii_match_all_background_voxels(
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
