//! A skeleton that grows curve by curve. Points are in voxels, lengths in the world, in its
//! smallest spacing.

use super::point_grid::{Hit, PointGrid};
use crate::{
    grid::{Geometry, Metric},
    memory::{ExtendOrUnwind, copy_or_unwind, zeroed_or_unwind},
    skeleton::{Edge, Node, NodeKind, Skeleton},
};
use nalgebra::Point3;

/// A curve this near to a node or to another curve has reached it.
pub const REACHED: f64 = 0.5;

/// A node no farther than this from a curve's beginning is one that the curve begins beside: it may
/// lead there, or away.
const BESIDE_BEGINNING: f64 = 2.0 * REACHED;

/// Such a node has been reached by a curve this near to it.
const ARRIVED: f64 = 0.05;

/// How far from its beginning a curve does not meet those that begin there too.
const AT_BEGINNING: f64 = 1.5;

/// Points of the skeleton that are nearer than this are the same.
const SAME_POINT: f64 = 1e-9;

/// A skeleton on its way.
pub struct Growth {
    skeleton: Skeleton,
    near: PointGrid,
    metric: Metric,
}

impl Growth {
    /// Nothing, as yet.
    pub fn new(geometry: Geometry) -> Self {
        let (metric, _) = Metric::snapped(&geometry);
        Self {
            skeleton: Skeleton {
                nodes: Vec::new(),
                edges: Vec::new(),
                geometry,
            },
            near: PointGrid::new(metric),
            metric,
        }
    }

    /// Adds a node.
    pub fn add_node(
        &mut self,
        kind: NodeKind,
        position: Point3<f64>,
        eigenvalues: Option<[f64; 3]>,
    ) -> usize {
        let index = self.skeleton.nodes.len();
        self.near.add(position, Hit::Node(index));
        self.skeleton.nodes.push_or_unwind(Node {
            kind,
            position,
            eigenvalues,
            radius: 0.0,
            component: 0,
        });
        index
    }

    /// Whether something of the skeleton is near.
    pub fn is_near(&self, at: &Point3<f64>, within: f64) -> bool {
        self.near.nearest(at, within, |_, _| true).is_some()
    }

    /// Whether something of the skeleton is near a voxel, within so many steps of the grid: along
    /// an axis of wide spacing they are long.
    pub fn is_beside(&self, voxel: &Point3<f64>, within: f64) -> bool {
        let metric = Metric::cubes();
        let found = self.near.nearest_by(metric, voxel, within, |_, _| true);
        found.is_some()
    }

    /// How far the nearest other node is from a node, if it is within a distance.
    pub fn nearest_node(&self, node: usize, within: f64) -> Option<f64> {
        let at = &self.skeleton.nodes[node].position;
        let is_other = |_: &Point3<f64>, hit| matches!(hit, Hit::Node(other) if other != node);
        Some(self.near.nearest(at, within, is_other)?.0)
    }

    /// Adds a way that begins at a node, as far as it goes before it meets something. One that
    /// meets nothing gets a node at its end. Points are those after the node.
    pub fn add_path(&mut self, from: usize, path: &[Point3<f64>], level: u8) {
        let start = self.skeleton.nodes[from].position;
        let mut points = vec![start];
        let mut reached = None;
        // a way may begin in the node itself
        for at in path.iter().filter(|&&at| at != start) {
            reached = self.met(from, at);
            if reached.is_some() {
                break;
            }
            points.push_or_unwind(*at);
        }
        let to = match reached {
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

    /// What a curve from a node meets at a point.
    pub fn met(&self, from: usize, at: &Point3<f64>) -> Option<Hit> {
        let start = self.skeleton.nodes[from].position;
        let distance = |a: &Point3<f64>, b: &Point3<f64>| self.metric.to_world(a - b).norm();
        let has_left = distance(at, &start) > AT_BEGINNING;
        let wanted = |place: &Point3<f64>, hit: Hit| match hit {
            Hit::Node(node) if node == from => has_left,
            Hit::Node(_) => {
                has_left
                    || distance(place, &start) > BESIDE_BEGINNING
                    || distance(place, at) <= ARRIVED
            }
            Hit::Curve { edge, .. } => {
                let same_beginning = self.skeleton.edges[edge].nodes.contains(&from);
                !same_beginning || distance(place, &start) > AT_BEGINNING
            }
        };
        // a node that is near enough comes before the curves that lead to it
        let nodes = |place: &Point3<f64>, hit| matches!(hit, Hit::Node(_)) && wanted(place, hit);
        let node = self.near.nearest(at, REACHED, nodes);
        let any = || self.near.nearest(at, REACHED, wanted);
        node.or_else(any).map(|(_, what)| what)
    }

    fn add_edge(&mut self, nodes: [usize; 2], points: Vec<Point3<f64>>, level: u8) {
        let edge = self.skeleton.edges.len();
        for (point, &at) in points.iter().enumerate() {
            if point > 0 && point + 1 < points.len() {
                self.near.add(at, Hit::Curve { edge, point });
            }
        }
        self.skeleton.edges.push_or_unwind(Edge {
            nodes,
            radii: zeroed_or_unwind(points.len()),
            points,
            level,
        });
    }

    /// Makes a node of a point of an edge, which becomes two.
    fn split(&mut self, edge: usize, point: usize) -> usize {
        let second = self.skeleton.edges.len();
        let whole = &self.skeleton.edges[edge];
        let (at, last, level) = (whole.points[point], whole.nodes[1], whole.level);
        let rest = copy_or_unwind(&whole.points[point..]);
        let old = |point| Hit::Curve { edge, point };
        for (k, place) in rest.iter().enumerate().skip(1) {
            let new = Hit::Curve {
                edge: second,
                point: k,
            };
            self.near.rename(place, old(point + k), new);
        }
        let node = self.skeleton.nodes.len();
        self.near.rename(&at, old(point), Hit::Node(node));
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
            radii: zeroed_or_unwind(rest.len()),
            points: rest,
            level,
        });
        node
    }

    /// Adds a curve between two points of the skeleton, and makes nodes of them.
    pub fn join(&mut self, points: Vec<Point3<f64>>, level: u8) {
        let [Some(&first), Some(&last)] = [points.first(), points.last()] else {
            return;
        };
        if let [Some(from), Some(to)] = [first, last].map(|at| self.node_at(&at)) {
            self.add_edge([from, to], points, level);
        }
    }

    /// The node at a point of the skeleton, which is made one.
    fn node_at(&mut self, at: &Point3<f64>) -> Option<usize> {
        match self.near.nearest(at, SAME_POINT, |_, _| true)?.1 {
            Hit::Node(node) => Some(node),
            Hit::Curve { edge, point } => Some(self.split(edge, point)),
        }
    }

    /// The skeleton, without radii and components.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// The same, when it is done.
    pub fn done(self) -> Skeleton {
        self.skeleton
    }
}
