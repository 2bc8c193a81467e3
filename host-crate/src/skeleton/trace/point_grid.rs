//! What lies near a point of the skeleton.

use nalgebra::Point3;
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

/// Places in cubes of a voxel.
#[derive(Default)]
pub struct PointGrid {
    cubes: HashMap<[i64; 3], Vec<(Point3<f64>, Hit)>>,
}

fn cube(at: &Point3<f64>) -> [i64; 3] {
    [at.x, at.y, at.z].map(|x| x.floor() as i64)
}

impl PointGrid {
    /// Adds a place.
    pub fn add(&mut self, at: Point3<f64>, hit: Hit) {
        self.cubes.entry(cube(&at)).or_default().push((at, hit));
    }

    /// Says of a place that it is of something else now.
    pub fn rename(&mut self, at: &Point3<f64>, old: Hit, new: Hit) {
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
        let reach = within.ceil() as i64;
        let [x, y, z] = cube(at);
        let mut best: Option<(f64, Hit)> = None;
        for dz in -reach..=reach {
            for dy in -reach..=reach {
                for dx in -reach..=reach {
                    let there = self.cubes.get(&[x + dx, y + dy, z + dz]);
                    for &(place, hit) in there.into_iter().flatten() {
                        let distance = (place - at).norm();
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
