//! Spatial hash of the points of a skeleton.

use crate::{
    grid::Metric,
    memory::{ExtendOrUnwind, ReserveOrUnwind},
};
use nalgebra::{Point3, Vector3};
use std::collections::HashMap;

/// Node or inner edge point of the skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// Node, by index.
    Node(usize),
    /// Inner point of an edge.
    Curve {
        /// Index of the edge.
        edge: usize,
        /// Index of the point within the edge.
        point: usize,
    },
}

/// Points in voxel coordinates, hashed by the unit cube that contains them.
pub struct PointGrid {
    metric: Metric,
    points_by_cube: HashMap<[i64; 3], Vec<(Point3<f64>, Hit)>>,
}

fn containing_cube(at: &Point3<f64>) -> [i64; 3] {
    [at.x, at.y, at.z].map(|x| x.floor() as i64)
}

/// Returns the number of cubes along each axis within which to search for points at a distance.
fn cube_range(metric: Metric, within: f64) -> [i64; 3] {
    // the displacement along an axis is the scalar product of the vector with that row
    let steps = [Vector3::x(), Vector3::y(), Vector3::z()].map(|unit| metric.to_voxels(unit));
    [0, 1, 2].map(|axis| {
        let product = Vector3::from(steps.map(|step| step[axis]));
        (within * product.norm()).ceil() as i64
    })
}

impl PointGrid {
    /// Creates an empty grid; `metric` defines distances, in units of the smallest spacing.
    pub fn new(metric: Metric) -> Self {
        Self {
            metric,
            points_by_cube: HashMap::new(),
        }
    }

    /// Adds a point.
    pub fn add(&mut self, at: Point3<f64>, hit: Hit) {
        self.points_by_cube.reserve_or_unwind(1);
        self.points_by_cube
            .entry(containing_cube(&at))
            .or_default()
            .push_or_unwind((at, hit));
    }

    /// Replaces an entry at a point.
    pub fn replace(&mut self, at: &Point3<f64>, old: Hit, new: Hit) {
        self.points_by_cube.reserve_or_unwind(1);
        for (_, hit) in self.points_by_cube.entry(containing_cube(at)).or_default() {
            if *hit == old {
                *hit = new;
            }
        }
    }

    /// Returns the nearest eligible point within a distance, and its distance.
    pub fn nearest(
        &self,
        at: &Point3<f64>,
        within: f64,
        is_eligible: impl Fn(&Point3<f64>, Hit) -> bool,
    ) -> Option<(f64, Hit)> {
        self.nearest_by(self.metric, at, within, is_eligible)
    }

    /// Returns the nearest eligible point within a distance in another metric.
    pub fn nearest_by(
        &self,
        metric: Metric,
        at: &Point3<f64>,
        within: f64,
        is_eligible: impl Fn(&Point3<f64>, Hit) -> bool,
    ) -> Option<(f64, Hit)> {
        let cube_range = cube_range(metric, within);
        let [x, y, z] = containing_cube(at);
        let mut nearest_hit: Option<(f64, Hit)> = None;
        for dz in -cube_range[2]..=cube_range[2] {
            for dy in -cube_range[1]..=cube_range[1] {
                for dx in -cube_range[0]..=cube_range[0] {
                    let points = self.points_by_cube.get(&[x + dx, y + dy, z + dz]);
                    for &(position, hit) in points.into_iter().flatten() {
                        let distance = metric.to_world(position - at).norm();
                        let is_nearer = nearest_hit.is_none_or(|(smallest, _)| distance < smallest);
                        if distance <= within && is_nearer && is_eligible(&position, hit) {
                            nearest_hit = Some((distance, hit));
                        }
                    }
                }
            }
        }
        nearest_hit
    }
}
