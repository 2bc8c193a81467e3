//! A skeleton that grows curve by curve.

use super::{
    Follow, Sampler,
    near::{Near, What},
};
use crate::skeleton::{Edge, Node, NodeKind, Skeleton};
use crate::volume::Geometry;
use nalgebra::{Point3, Vector3};

/// A curve this near to a node or to another curve, in voxels, has reached it.
const REACHED: f64 = 0.5;

/// The same where a curve has come to a stop: directions between voxels cancel a little beside the point where the force vanishes.
const NEAR_STOP: f64 = 2.0;

/// A curve that has not left this far behind in [`PATIENCE`] steps has come to a stop.
const STUCK: f64 = 0.25;
const PATIENCE: usize = 16;

/// How far from its beginning a curve does not meet those that begin there too.
const AT_BEGINNING: f64 = 1.5;

/// A skeleton on its way.
pub struct Growth<'a> {
    sampler: &'a Sampler,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    near: Near,
}

/// Where a curve ended.
enum End {
    At(What),
    Nowhere,
}

impl<'a> Growth<'a> {
    pub fn new(sampler: &'a Sampler) -> Self {
        Self {
            sampler,
            nodes: Vec::new(),
            edges: Vec::new(),
            near: Near::default(),
        }
    }

    /// Adds a node.
    pub fn add_node(
        &mut self,
        kind: NodeKind,
        position: Point3<f64>,
        eigenvalues: Option<[f64; 3]>,
    ) -> usize {
        let index = self.nodes.len();
        self.near.add(position, What::Node(index));
        self.nodes.push(Node {
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

    /// Follows the force from a node, beginning along `leaving`, to whatever it leads to. A curve that comes to a stop where nothing is gets a node at its end.
    pub fn grow(&mut self, from: usize, leaving: Vector3<f64>, level: u8) {
        let start = self.nodes[from].position;
        let mut points = vec![start];
        let end = self.follow(from, start + leaving, &mut points);
        let to = match end {
            End::At(What::Node(node)) => node,
            End::At(What::Curve { edge, point }) => self.split(edge, point),
            End::Nowhere => {
                let last = points.pop().expect("a curve has points");
                self.add_node(NodeKind::End, last, None)
            }
        };
        points.push(self.nodes[to].position);
        if to == from && points.len() < 4 {
            return;
        }
        self.add_edge([from, to], points, level);
    }

    /// Goes on from `at` until something is reached. The points on the way are added to `points`.
    fn follow(&self, from: usize, at: Point3<f64>, points: &mut Vec<Point3<f64>>) -> End {
        let start = self.nodes[from].position;
        let mut follow = Follow::new(self.sampler, at);
        points.push(at);
        loop {
            let met = self.met(from, &start, &follow.at, REACHED);
            if let Some(what) = met {
                // what was reached ends the curve instead
                points.pop();
                return End::At(what);
            }
            let behind = points.len().checked_sub(PATIENCE).map(|back| points[back]);
            let stuck = behind.is_some_and(|behind| (behind - follow.at).norm() < STUCK);
            if stuck || !follow.step() {
                return match self.met(from, &start, &follow.at, NEAR_STOP) {
                    Some(what) => End::At(what),
                    None => End::Nowhere,
                };
            }
            points.push(follow.at);
        }
    }

    /// What a curve from a node has met.
    fn met(&self, from: usize, start: &Point3<f64>, at: &Point3<f64>, within: f64) -> Option<What> {
        let has_left = (at - start).norm() > AT_BEGINNING.max(within);
        let wanted = |place: &Point3<f64>, what: What| match what {
            What::Node(node) => node != from || has_left,
            What::Curve { edge, .. } => {
                let same_beginning = self.edges[edge].nodes.contains(&from);
                !same_beginning || (place - start).norm() > AT_BEGINNING.max(within)
            }
        };
        // a node that is near enough comes before the curves that lead to it
        let nodes =
            |place: &Point3<f64>, what| matches!(what, What::Node(_)) && wanted(place, what);
        let node = self.near.nearest(at, within, nodes);
        let any = || self.near.nearest(at, within, wanted);
        node.or_else(any).map(|(_, what)| what)
    }

    fn add_edge(&mut self, nodes: [usize; 2], points: Vec<Point3<f64>>, level: u8) {
        let edge = self.edges.len();
        for (point, &at) in points.iter().enumerate() {
            if point > 0 && point + 1 < points.len() {
                self.near.add(at, What::Curve { edge, point });
            }
        }
        self.edges.push(Edge {
            nodes,
            radii: vec![0.0; points.len()],
            points,
            level,
        });
    }

    /// Makes a node of a point of an edge, which becomes two.
    fn split(&mut self, edge: usize, point: usize) -> usize {
        let second = self.edges.len();
        let whole = &self.edges[edge];
        let (at, last, level) = (whole.points[point], whole.nodes[1], whole.level);
        let rest = whole.points[point..].to_vec();
        let old = |point| What::Curve { edge, point };
        for (k, place) in rest.iter().enumerate().skip(1) {
            let new = What::Curve {
                edge: second,
                point: k,
            };
            self.near.rename(place, old(point + k), new);
        }
        let node = self.nodes.len();
        self.near.rename(&at, old(point), What::Node(node));
        self.nodes.push(Node {
            kind: NodeKind::Junction,
            position: at,
            eigenvalues: None,
            radius: 0.0,
            component: 0,
        });
        let first = &mut self.edges[edge];
        first.points.truncate(point + 1);
        first.radii.truncate(point + 1);
        first.nodes[1] = node;
        self.edges.push(Edge {
            nodes: [node, last],
            radii: vec![0.0; rest.len()],
            points: rest,
            level,
        });
        node
    }

    /// The skeleton, without radii and components.
    pub fn done(self, geometry: Geometry) -> Skeleton {
        Skeleton {
            nodes: self.nodes,
            edges: self.edges,
            geometry,
        }
    }
}
