//! A skeleton under construction, grown curve by curve. Positions are in voxel coordinates; lengths
//! are in units of the smallest spacing.

use super::point_grid::{Hit, PointGrid};
use crate::{
    grid::{Geometry, Metric},
    memory::{ExtendOrUnwind, copy_or_unwind, zeroed_or_unwind},
    skeleton::{Edge, Node, NodeKind, Skeleton},
};
use nalgebra::Point3;

/// Distance at which a curve has reached a node or another curve.
pub const REACH_DISTANCE: f64 = 0.5;

/// Distance from a curve's start up to which a node counts as a neighbour of the start: the curve
/// may lead towards it or away from it.
const START_NEIGHBOURHOOD: f64 = 2.0 * REACH_DISTANCE;

/// Distance at which a curve has reached such a neighbouring node.
const ARRIVAL_DISTANCE: f64 = 0.05;

/// Distance from the start of a curve within which it cannot meet curves with the same start.
const SHARED_START_DISTANCE: f64 = 1.5;

/// Points of the skeleton closer than this are the same point.
const MERGE_DISTANCE: f64 = 1e-9;

/// A skeleton under construction.
pub struct GrowingSkeleton {
    skeleton: Skeleton,
    grid: PointGrid,
    metric: Metric,
}

impl GrowingSkeleton {
    /// Creates an empty skeleton.
    pub fn new(geometry: Geometry) -> Self {
        let (metric, _) = Metric::snapped(&geometry);
        Self {
            skeleton: Skeleton {
                nodes: Vec::new(),
                edges: Vec::new(),
                geometry,
            },
            grid: PointGrid::new(metric),
            metric,
        }
    }

    /// Adds a node and returns its index.
    pub fn add_node(
        &mut self,
        kind: NodeKind,
        position: Point3<f64>,
        eigenvalues: Option<[f64; 3]>,
    ) -> usize {
        let index = self.skeleton.nodes.len();
        self.grid.add(position, Hit::Node(index));
        self.skeleton.nodes.push_or_unwind(Node {
            kind,
            position,
            eigenvalues,
            radius: 0.0,
            component: 0,
        });
        index
    }

    /// Returns `true` if a point of the skeleton is within the given distance.
    pub fn is_near(&self, at: &Point3<f64>, within: f64) -> bool {
        self.grid.nearest(at, within, |_, _| true).is_some()
    }

    /// Returns `true` if a point of the skeleton is within the given number of voxels, regardless
    /// of the spacing.
    pub fn is_within_voxels(&self, voxel: &Point3<f64>, within: f64) -> bool {
        let metric = Metric::cubic();
        let nearest = self.grid.nearest_by(metric, voxel, within, |_, _| true);
        nearest.is_some()
    }

    /// Returns the distance from a node to the nearest other node, if it is at most `within`.
    pub fn nearest_node(&self, node: usize, within: f64) -> Option<f64> {
        let at = &self.skeleton.nodes[node].position;
        let is_other =
            |_: &Point3<f64>, hit| matches!(hit, Hit::Node(candidate) if candidate != node);
        Some(self.grid.nearest(at, within, is_other)?.0)
    }

    /// Adds a path that starts at a node, up to the point where it meets the skeleton. A path that
    /// meets nothing gets a node at its end. `path` excludes the position of the node.
    pub fn add_path(&mut self, from: usize, path: &[Point3<f64>], level: u8) {
        let start = self.skeleton.nodes[from].position;
        let mut points = vec![start];
        let mut end_hit = None;
        // the path may start in the node itself
        for at in path.iter().filter(|&&at| at != start) {
            end_hit = self.hit(from, at);
            if end_hit.is_some() {
                break;
            }
            points.push_or_unwind(*at);
        }
        let to = match end_hit {
            Some(Hit::Node(node)) => node,
            Some(Hit::Curve { edge, point }) => self.split(edge, point),
            None if points.len() < 2 => return,
            None => {
                let last = points.pop().expect("there are two");
                self.add_node(NodeKind::End, last, None)
            }
        };
        points.push_or_unwind(self.skeleton.nodes[to].position);
        if to != from || points.len() > 3 {
            self.add_edge([from, to], points, level);
        }
    }

    /// Returns the node or edge that a curve from node `from` meets at a point.
    pub fn hit(&self, from: usize, at: &Point3<f64>) -> Option<Hit> {
        let start = self.skeleton.nodes[from].position;
        let distance = |a: &Point3<f64>, b: &Point3<f64>| self.metric.to_world(a - b).norm();
        let has_left = distance(at, &start) > SHARED_START_DISTANCE;
        let is_eligible = |position: &Point3<f64>, hit: Hit| match hit {
            Hit::Node(node) if node == from => has_left,
            Hit::Node(_) => {
                has_left
                    || distance(position, &start) > START_NEIGHBOURHOOD
                    || distance(position, at) <= ARRIVAL_DISTANCE
            }
            Hit::Curve { edge, .. } => {
                let shares_start = self.skeleton.edges[edge].nodes.contains(&from);
                !shares_start || distance(position, &start) > SHARED_START_DISTANCE
            }
        };
        // a node within reach takes precedence over the curves that lead to it
        let nodes =
            |position: &Point3<f64>, hit| matches!(hit, Hit::Node(_)) && is_eligible(position, hit);
        let node = self.grid.nearest(at, REACH_DISTANCE, nodes);
        let any = || self.grid.nearest(at, REACH_DISTANCE, is_eligible);
        node.or_else(any).map(|(_, hit)| hit)
    }

    fn add_edge(&mut self, nodes: [usize; 2], points: Vec<Point3<f64>>, level: u8) {
        let edge = self.skeleton.edges.len();
        for (point, &at) in points.iter().enumerate() {
            if point > 0 && point + 1 < points.len() {
                self.grid.add(at, Hit::Curve { edge, point });
            }
        }
        self.skeleton.edges.push_or_unwind(Edge {
            nodes,
            radii: zeroed_or_unwind(points.len()),
            points,
            section_areas: Vec::new(),
            level,
        });
    }

    /// Splits an edge at one of its points, which becomes a node.
    fn split(&mut self, edge: usize, point: usize) -> usize {
        let second = self.skeleton.edges.len();
        let original = &self.skeleton.edges[edge];
        let (at, last, level) = (original.points[point], original.nodes[1], original.level);
        let second_points = copy_or_unwind(&original.points[point..]);
        let old_hit = |point| Hit::Curve { edge, point };
        for (k, position) in second_points.iter().enumerate().skip(1) {
            let new_hit = Hit::Curve {
                edge: second,
                point: k,
            };
            self.grid.replace(position, old_hit(point + k), new_hit);
        }
        let node = self.skeleton.nodes.len();
        self.grid.replace(&at, old_hit(point), Hit::Node(node));
        self.skeleton.nodes.push_or_unwind(Node {
            kind: NodeKind::Junction,
            position: at,
            eigenvalues: None,
            radius: 0.0,
            component: 0,
        });
        let first = &mut self.skeleton.edges[edge];
        first.points.truncate(point + 1);
        first.radii.truncate(point + 1);
        first.nodes[1] = node;
        self.skeleton.edges.push_or_unwind(Edge {
            nodes: [node, last],
            radii: zeroed_or_unwind(second_points.len()),
            points: second_points,
            section_areas: Vec::new(),
            level,
        });
        node
    }

    /// Adds a curve between two points of the skeleton, turning them into nodes.
    pub fn add_bridge(&mut self, points: Vec<Point3<f64>>, level: u8) {
        let [Some(&first), Some(&last)] = [points.first(), points.last()] else {
            return;
        };
        if let [Some(from), Some(to)] = [first, last].map(|at| self.node_at(&at)) {
            self.add_edge([from, to], points, level);
        }
    }

    /// Returns the node at a point of the skeleton, splitting an edge if necessary.
    fn node_at(&mut self, at: &Point3<f64>) -> Option<usize> {
        match self.grid.nearest(at, MERGE_DISTANCE, |_, _| true)?.1 {
            Hit::Node(node) => Some(node),
            Hit::Curve { edge, point } => Some(self.split(edge, point)),
        }
    }

    /// Returns the skeleton so far, without radii and components.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Returns the finished skeleton, without radii and components.
    pub fn into_skeleton(self) -> Skeleton {
        self.skeleton
    }
}
