//! Detection of cell bodies.

use super::Skeleton;
use crate::memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind};
use nalgebra::Point3;

/// Minimum ratio of the radius of a cell body to those of all branches.
const MIN_RATIO: f64 = 2.5;
/// Distance from the centre of a cell body from which points belong to branches, as a multiple of
/// its radius.
const BODY_DISTANCE: f64 = 1.25;

/// Cell body: a ball that is much thicker than all branches of its component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soma {
    /// Connected component of the skeleton; see [`Skeleton::components`].
    pub component: usize,
    /// Centre, in voxel coordinates: the widest point of the component.
    pub position: Point3<f64>,
    /// Radius, in world units.
    pub radius: f64,
}

impl Skeleton {
    /// Returns the cell bodies, at most one per component. A component has one if all points
    /// farther than 1.25 radii from its widest point, of which there must be some, are at least 2.5
    /// times thinner. Takes linear time.
    pub fn somas(&self) -> Vec<Soma> {
        let components = self.components();
        let mut widest: Vec<Option<(f64, Point3<f64>)>> = filled_or_unwind(None, components.count);
        let mut points = Vec::new();
        for (node, &component) in self.nodes.iter().zip(&components.labels) {
            points.push_or_unwind((component, node.position, node.radius));
        }
        for edge in &self.edges {
            let component = components.labels[edge.nodes[0]];
            let along = edge.points.iter().zip(&edge.radii);
            points.extend_or_unwind(along.map(|(&point, &radius)| (component, point, radius)));
        }
        for &(component, point, radius) in &points {
            if widest[component].is_none_or(|(other, _)| radius > other) {
                widest[component] = Some((radius, point));
            }
        }
        let mut thickest_branch: Vec<Option<f64>> = filled_or_unwind(None, components.count);
        for &(component, point, radius) in &points {
            let Some((body, centre)) = widest[component] else {
                continue;
            };
            let distance = (self.geometry.axes() * (point - centre)).norm();
            if distance > BODY_DISTANCE * body {
                let thickest = &mut thickest_branch[component];
                *thickest = Some(thickest.map_or(radius, |other| other.max(radius)));
            }
        }
        let bodies = widest.into_iter().zip(thickest_branch).enumerate();
        bodies
            .filter_map(|(component, (widest, thickest))| {
                let ((radius, position), thickest) = (widest?, thickest?);
                (radius >= MIN_RATIO * thickest).then_some(Soma {
                    component,
                    position,
                    radius,
                })
            })
            .collect_or_unwind()
    }
}
