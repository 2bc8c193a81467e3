//! What lies near a point of the skeleton.

use crate::{
    grid::Metric,
    memory::{ExtendOrUnwind, ReserveOrUnwind},
};
use nalgebra::{Point3, Vector3};
use std::collections::HashMap;

/// What is found at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// A node.
    Node(usize),
    /// A point of an edge.
    Curve {
        /// The edge.
        edge: usize,
        /// The number of its point.
        point: usize,
    },
}

/// Places, which are in voxels, in cubes of a voxel.
pub struct PointGrid {
    metric: Metric,
    cubes: HashMap<[i64; 3], Vec<(Point3<f64>, Hit)>>,
}

fn cube(at: &Point3<f64>) -> [i64; 3] {
    [at.x, at.y, at.z].map(|x| x.floor() as i64)
}

/// How many cubes away along each axis something within a distance can be.
fn reach(metric: Metric, within: f64) -> [i64; 3] {
    // a step along an axis is a scalar product with the vector
    let steps = [Vector3::x(), Vector3::y(), Vector3::z()].map(|unit| metric.to_voxels(unit));
    [0, 1, 2].map(|axis| {
        let product = Vector3::from(steps.map(|step| step[axis]));
        (within * product.norm()).ceil() as i64
    })
}

impl PointGrid {
    /// None, as yet, in a world whose lengths are in its smallest spacing.
    pub fn new(metric: Metric) -> Self {
        Self {
            metric,
            cubes: HashMap::new(),
        }
    }

    /// Adds a place.
    pub fn add(&mut self, at: Point3<f64>, hit: Hit) {
        self.cubes.reserve_or_unwind(1);
        self.cubes
            .entry(cube(&at))
            .or_default()
            .push_or_unwind((at, hit));
    }

    /// Says of a place that it is of something else now.
    pub fn rename(&mut self, at: &Point3<f64>, old: Hit, new: Hit) {
        self.cubes.reserve_or_unwind(1);
        for (_, hit) in self.cubes.entry(cube(at)).or_default() {
            if *hit == old {
                *hit = new;
            }
        }
    }

    /// The nearest of what is within a distance and wanted.
    pub fn nearest(
        &self,
        at: &Point3<f64>,
        within: f64,
        wanted: impl Fn(&Point3<f64>, Hit) -> bool,
    ) -> Option<(f64, Hit)> {
        self.nearest_by(self.metric, at, within, wanted)
    }

    /// The same by other lengths.
    pub fn nearest_by(
        &self,
        metric: Metric,
        at: &Point3<f64>,
        within: f64,
        wanted: impl Fn(&Point3<f64>, Hit) -> bool,
    ) -> Option<(f64, Hit)> {
        let reach = reach(metric, within);
        let [x, y, z] = cube(at);
        let mut best: Option<(f64, Hit)> = None;
        for dz in -reach[2]..=reach[2] {
            for dy in -reach[1]..=reach[1] {
                for dx in -reach[0]..=reach[0] {
                    let there = self.cubes.get(&[x + dx, y + dy, z + dz]);
                    for &(place, hit) in there.into_iter().flatten() {
                        let distance = metric.to_world(place - at).norm();
                        let better = best.is_none_or(|(least, _)| distance < least);
                        if distance <= within && better && wanted(&place, hit) {
                            best = Some((distance, hit));
                        }
                    }
                }
            }
        }
        best
    }
}
