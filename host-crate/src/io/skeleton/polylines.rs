//! A skeleton as points and polylines, in world coordinates.

use crate::graph::Skeleton;
use crate::memory::{
    CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, with_capacity_or_unwind, zeroed_or_unwind,
};
use nalgebra::Point3;

/// Points and the polylines that connect them. The first points are the nodes.
#[derive(Default)]
pub struct Polylines {
    pub positions: Vec<Point3<f64>>,
    /// Radius at each point, in world units.
    pub radii: Vec<f64>,
    /// Area of the cross-section at each point, in world units squared; 0 where it is undefined.
    /// Nodes have none.
    pub section_areas: Vec<f64>,
    /// Lowest level of the lines through each point.
    pub levels: Vec<u8>,
    /// Point indices of each edge.
    pub lines: Vec<Vec<usize>>,
    /// Nodes without edges.
    pub isolated_nodes: Vec<usize>,
}

impl Polylines {
    /// Converts a valid skeleton.
    pub fn from_skeleton(skeleton: &Skeleton) -> Self {
        let nodes = skeleton.nodes.iter();
        let mut polylines = Self {
            positions: nodes
                .clone()
                .map(|node| skeleton.to_world(node.position))
                .collect_or_unwind(),
            radii: nodes.map(|node| node.radius).collect_or_unwind(),
            section_areas: zeroed_or_unwind(skeleton.nodes.len()),
            levels: filled_or_unwind(u8::MAX, skeleton.nodes.len()),
            lines: with_capacity_or_unwind(skeleton.edges.len()),
            isolated_nodes: Vec::new(),
        };
        for edge in &skeleton.edges {
            let last = edge.points.len() - 1;
            let mut line = vec![edge.nodes[0]];
            let points = edge.points.iter().zip(&edge.radii).enumerate();
            for (number, (point, radius)) in points.take(last).skip(1) {
                let area = edge.section_areas.get(number).copied().flatten();
                polylines
                    .section_areas
                    .push_or_unwind(area.unwrap_or_default());
                line.push_or_unwind(polylines.positions.len());
                polylines
                    .positions
                    .push_or_unwind(skeleton.to_world(*point));
                polylines.radii.push_or_unwind(*radius);
                polylines.levels.push_or_unwind(edge.level);
            }
            line.push_or_unwind(edge.nodes[1]);
            for (node, end) in edge.nodes.into_iter().zip([0, last]) {
                polylines.levels[node] = polylines.levels[node].min(edge.level);
                if polylines.radii[node] == 0.0 {
                    polylines.radii[node] = edge.radii[end];
                }
            }
            polylines.lines.push_or_unwind(line);
        }
        for (node, level) in polylines.levels.iter_mut().enumerate() {
            if *level == u8::MAX {
                *level = 0;
                polylines.isolated_nodes.push_or_unwind(node);
            }
        }
        polylines
    }

    /// Appends the points and lines of another skeleton.
    pub fn append(&mut self, mut others: Self) {
        let first = self.positions.len();
        let lines = others.lines.iter_mut().flatten();
        for point in lines.chain(&mut others.isolated_nodes) {
            *point += first;
        }
        self.positions.extend_or_unwind(others.positions);
        self.radii.extend_or_unwind(others.radii);
        self.section_areas.extend_or_unwind(others.section_areas);
        self.levels.extend_or_unwind(others.levels);
        self.lines.extend_or_unwind(others.lines);
        self.isolated_nodes.extend_or_unwind(others.isolated_nodes);
    }
}
