//! A skeleton as points and lines between them, in the world.

use crate::graph::Skeleton;
use crate::memory::{CollectOrUnwind, ExtendOrUnwind, filled_or_unwind, with_capacity_or_unwind};
use nalgebra::Point3;

/// Points that lines share. The first are the nodes.
#[derive(Default)]
pub struct Polylines {
    pub positions: Vec<Point3<f64>>,
    /// In world units.
    pub radii: Vec<f64>,
    /// The lowest level of the lines that have the point.
    pub levels: Vec<u8>,
    /// For each edge the numbers of its points.
    pub lines: Vec<Vec<usize>>,
    /// Nodes without an edge.
    pub alone: Vec<usize>,
}

impl Polylines {
    pub fn of(skeleton: &Skeleton) -> Self {
        let nodes = skeleton.nodes.iter();
        let mut made = Self {
            positions: nodes
                .clone()
                .map(|node| skeleton.to_world(node.position))
                .collect_or_unwind(),
            radii: nodes.map(|node| node.radius).collect_or_unwind(),
            levels: filled_or_unwind(u8::MAX, skeleton.nodes.len()),
            lines: with_capacity_or_unwind(skeleton.edges.len()),
            alone: Vec::new(),
        };
        for edge in &skeleton.edges {
            let last = edge.points.len() - 1;
            let mut line = vec![edge.nodes[0]];
            for (point, radius) in edge.points.iter().zip(&edge.radii).take(last).skip(1) {
                line.push_or_unwind(made.positions.len());
                made.positions.push_or_unwind(skeleton.to_world(*point));
                made.radii.push_or_unwind(*radius);
                made.levels.push_or_unwind(edge.level);
            }
            line.push_or_unwind(edge.nodes[1]);
            for (node, end) in edge.nodes.into_iter().zip([0, last]) {
                made.levels[node] = made.levels[node].min(edge.level);
                if made.radii[node] == 0.0 {
                    made.radii[node] = edge.radii[end];
                }
            }
            made.lines.push_or_unwind(line);
        }
        for (node, level) in made.levels.iter_mut().enumerate() {
            if *level == u8::MAX {
                *level = 0;
                made.alone.push_or_unwind(node);
            }
        }
        made
    }

    /// Adds others, whose points come after these.
    pub fn append(&mut self, mut others: Self) {
        let first = self.positions.len();
        let lines = others.lines.iter_mut().flatten();
        for point in lines.chain(&mut others.alone) {
            *point += first;
        }
        self.positions.extend_or_unwind(others.positions);
        self.radii.extend_or_unwind(others.radii);
        self.levels.extend_or_unwind(others.levels);
        self.lines.extend_or_unwind(others.lines);
        self.alone.extend_or_unwind(others.alone);
    }
}
