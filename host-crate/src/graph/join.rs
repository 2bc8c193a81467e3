//! Joining of components across gaps.

use super::{Edge, GraphError, Node, NodeKind, Skeleton};
use crate::{
    memory::{
        CollectOrUnwind, ExtendOrUnwind, catch_out_of_memory, copy_or_unwind, unwrap_or_unwind,
    },
    union_find::UnionFind,
};
use nalgebra::Point3;
use std::collections::HashMap;

/// Point of a skeleton: a node, or an inner point of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Location {
    Node(usize),
    Inner { edge: usize, point: usize },
}

/// Point that can be joined to another component.
struct JoinPoint {
    world: Point3<f64>,
    component: usize,
    location: Location,
}

/// Shortest gap between two components: its length and its points.
#[derive(Clone, Copy)]
struct Gap {
    length: f64,
    points: [usize; 2],
}

impl Skeleton {
    /// Joins connected components whose points are at most `max_distance` apart, in world units,
    /// by straight edges between their nearest points, shortest gaps first. An inner point of an
    /// edge becomes a node. No cycles result. Returns the number of edges added; see kimimaro's
    /// `join_close_components`.
    ///
    /// Takes time linear in the number of points, and in the number of pairs within the distance.
    ///
    /// # Errors
    /// [`GraphError::Join`] if the distance is negative or not finite.
    pub fn join_components(&mut self, max_distance: f64) -> Result<usize, GraphError> {
        if !(max_distance.is_finite() && max_distance >= 0.0) {
            return Err(GraphError::Join {
                found: max_distance,
            });
        }
        catch_out_of_memory("joining a skeleton", || Ok(self.add_joins(max_distance)))
    }

    fn add_joins(&mut self, max_distance: f64) -> usize {
        let points = self.join_points();
        let mut gaps = find_gaps(&points, max_distance);
        gaps.sort_unstable_by(|a, b| {
            let lengths = a.length.total_cmp(&b.length);
            lengths.then(a.points.cmp(&b.points))
        });
        let count = points.iter().map(|point| point.component + 1).max();
        let mut sets = unwrap_or_unwind(UnionFind::<usize>::try_new(count.unwrap_or(0)));
        gaps.retain(|gap| {
            let [a, b] = gap.points.map(|point| points[point].component);
            sets.join(a, b)
        });
        let joined = gaps
            .iter()
            .map(|gap| gap.points.map(|point| points[point].location));
        let joined: Vec<[Location; 2]> = joined.collect_or_unwind();
        let nodes = self.split_at(joined.iter().flatten().copied());
        let is_measured = self.edges.iter().any(|edge| !edge.section_areas.is_empty());
        for pair in &joined {
            let ends = pair.map(|location| nodes[&location]);
            for node in ends {
                if self.nodes[node].kind == NodeKind::End {
                    self.nodes[node].kind = NodeKind::Junction;
                }
            }
            self.edges.push_or_unwind(Edge {
                nodes: ends,
                points: ends.map(|node| self.nodes[node].position).into(),
                radii: ends.map(|node| self.nodes[node].radius).into(),
                section_areas: if is_measured {
                    vec![None; 2]
                } else {
                    Vec::new()
                },
                level: 0,
            });
        }
        joined.len()
    }

    /// Returns all nodes and inner points.
    fn join_points(&self) -> Vec<JoinPoint> {
        let components = self.components().labels;
        let mut points = Vec::new();
        for (node, &component) in components.iter().enumerate() {
            points.push_or_unwind(JoinPoint {
                world: self.node_in_world(node),
                component,
                location: Location::Node(node),
            });
        }
        for (number, edge) in self.edges.iter().enumerate() {
            for point in 1..edge.points.len() - 1 {
                points.push_or_unwind(JoinPoint {
                    world: self.to_world(edge.points[point]),
                    component: components[edge.nodes[0]],
                    location: Location::Inner {
                        edge: number,
                        point,
                    },
                });
            }
        }
        points
    }

    /// Splits edges at inner points, and returns the node at each location.
    fn split_at(&mut self, locations: impl Iterator<Item = Location>) -> HashMap<Location, usize> {
        let mut nodes = HashMap::new();
        let mut locations: Vec<Location> = locations.collect_or_unwind();
        // points of an edge in descending order, so that the first part keeps its number
        locations.sort_unstable_by(|a, b| b.cmp(a));
        locations.dedup();
        for location in locations {
            let node = match location {
                Location::Node(node) => node,
                Location::Inner { edge, point } => self.split_edge(edge, point),
            };
            nodes.push_or_unwind((location, node));
        }
        nodes
    }

    /// Splits an edge at an inner point, and returns the new node.
    fn split_edge(&mut self, number: usize, point: usize) -> usize {
        let node = self.nodes.len();
        let edge = &mut self.edges[number];
        let last = edge.nodes[1];
        let rest = Edge {
            nodes: [node, last],
            points: copy_or_unwind(&edge.points[point..]),
            radii: copy_or_unwind(&edge.radii[point..]),
            section_areas: copy_or_unwind(edge.section_areas.get(point..).unwrap_or(&[])),
            level: edge.level,
        };
        edge.nodes[1] = node;
        edge.points.truncate(point + 1);
        edge.radii.truncate(point + 1);
        edge.section_areas.truncate(point + 1);
        self.nodes.push_or_unwind(Node {
            kind: NodeKind::Junction,
            position: rest.points[0],
            eigenvalues: None,
            radius: rest.radii[0],
            component: self.nodes[last].component,
        });
        self.edges.push_or_unwind(rest);
        node
    }
}

/// Returns the shortest gap of each pair of components that are at most `max_distance` apart.
fn find_gaps(points: &[JoinPoint], max_distance: f64) -> Vec<Gap> {
    // a cell has a positive size, so that coincident points share one
    let size = max_distance.max(f64::MIN_POSITIVE.sqrt());
    let cell = |point: &JoinPoint| [0, 1, 2].map(|axis| (point.world[axis] / size).floor());
    let mut numbers: Vec<usize> = (0..points.len()).collect_or_unwind();
    let compare = |a: &[f64; 3], b: &[f64; 3]| {
        let axes = (0..3).map(|axis| a[axis].total_cmp(&b[axis]));
        axes.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    };
    numbers
        .sort_unstable_by(|&a, &b| compare(&cell(&points[a]), &cell(&points[b])).then(a.cmp(&b)));
    let cells: Vec<[f64; 3]> = numbers
        .iter()
        .map(|&number| cell(&points[number]))
        .collect_or_unwind();
    let mut shortest: HashMap<[usize; 2], Gap> = HashMap::new();
    let mut visit = |a: usize, b: usize| {
        let [one, other] = [&points[a], &points[b]];
        if one.component >= other.component {
            return;
        }
        let length = (other.world - one.world).norm();
        if length > max_distance {
            return;
        }
        let pair = [one.component, other.component];
        let gap = Gap {
            length,
            points: [a, b],
        };
        match shortest.get_mut(&pair) {
            None => shortest.push_or_unwind((pair, gap)),
            Some(known) => {
                let is_shorter = (length, gap.points) < (known.length, known.points);
                if is_shorter {
                    *known = gap;
                }
            }
        }
    };
    let steps = [-1.0, 0.0, 1.0];
    for (at, &number) in numbers.iter().enumerate() {
        for dx in steps {
            for dy in steps {
                // the cells of a column are consecutive
                let [x, y, z] = cells[at];
                let [low, high] = [z - 1.0, z + 1.0].map(|z| [x + dx, y + dy, z]);
                let from = cells.partition_point(|other| compare(other, &low).is_lt());
                let to = cells.partition_point(|other| compare(other, &high).is_le());
                for &other in &numbers[from..to] {
                    visit(number, other);
                }
            }
        }
    }
    shortest.into_values().collect_or_unwind()
}
