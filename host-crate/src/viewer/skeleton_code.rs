//! Code of skeletons in pages: the number of points of each line as `u32`, then the world position
//! and the radius of each point as `f32`, all little-endian.

use crate::{
    graph::Skeleton,
    memory::{ExtendOrUnwind, zeroed_or_unwind},
};
use nalgebra::Point3;

/// Code of a skeleton, before compression.
#[derive(Debug)]
pub(super) struct SkeletonCode {
    pub points: usize,
    pub lines: usize,
    /// Smallest and largest finite radius; zeros without points.
    pub radii: [f64; 2],
    pub bytes: Vec<u8>,
}

impl SkeletonCode {
    /// Encodes the curves of a skeleton. A node without curves is a line between two equal points.
    pub fn new(skeleton: &Skeleton) -> Self {
        let mut counts = Vec::new();
        let mut points = PointList::new(skeleton);
        let mut has_curve = zeroed_or_unwind::<u8>(skeleton.nodes.len());
        for edge in &skeleton.edges {
            for node in edge.nodes {
                if let Some(flag) = has_curve.get_mut(node) {
                    *flag = 1;
                }
            }
            counts.push_or_unwind(edge.points.len() as u32);
            for (at, point) in edge.points.iter().enumerate() {
                points.push(*point, edge.radii.get(at).copied().unwrap_or(0.0));
            }
        }
        let nodes = skeleton.nodes.iter().zip(has_curve);
        for (node, _) in nodes.filter(|(_, has_curve)| *has_curve == 0) {
            counts.push_or_unwind(2);
            for _ in 0..2 {
                points.push(node.position, node.radius);
            }
        }
        let mut bytes = Vec::new();
        for count in &counts {
            bytes.extend_or_unwind(count.to_le_bytes());
        }
        for number in &points.numbers {
            bytes.extend_or_unwind(number.to_le_bytes());
        }
        let [min, max] = points.radii;
        Self {
            points: points.numbers.len() / 4,
            lines: counts.len(),
            radii: if min <= max { [min, max] } else { [0.0; 2] },
            bytes,
        }
    }
}

/// Points of a skeleton in world coordinates, with their radii.
struct PointList<'a> {
    skeleton: &'a Skeleton,
    numbers: Vec<f32>,
    radii: [f64; 2],
}

impl<'a> PointList<'a> {
    fn new(skeleton: &'a Skeleton) -> Self {
        Self {
            skeleton,
            numbers: Vec::new(),
            radii: [f64::INFINITY, f64::NEG_INFINITY],
        }
    }

    fn push(&mut self, point: Point3<f64>, radius: f64) {
        let world = self.skeleton.to_world(point);
        let numbers = [world.x, world.y, world.z, radius].map(|it| it as f32);
        self.numbers.extend_or_unwind(numbers);
        if radius.is_finite() {
            self.radii = [self.radii[0].min(radius), self.radii[1].max(radius)];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, Node, NodeKind};

    #[test]
    fn isolated_nodes_are_lines_between_equal_points() {
        let node = |x: f64, radius: f64| Node {
            kind: NodeKind::End,
            position: Point3::new(x, 0.0, 0.0),
            eigenvalues: None,
            radius,
            component: 0,
        };
        let edge = Edge {
            nodes: [0, 1],
            points: [0.0, 1.0, 2.0].map(|x| Point3::new(x, 0.0, 0.0)).to_vec(),
            radii: vec![1.0, 3.0],
            section_areas: Vec::new(),
            level: 0,
        };
        let skeleton = Skeleton {
            nodes: vec![node(0.0, 1.0), node(2.0, 3.0), node(9.0, 5.0)],
            edges: vec![edge],
            ..Skeleton::default()
        };
        let code = SkeletonCode::new(&skeleton);
        assert_eq!((code.points, code.lines, code.radii), (5, 2, [0.0, 5.0]));
        assert_eq!(code.bytes.len(), 4 * 2 + 16 * 5);
        let (words, _) = code.bytes.as_chunks::<4>();
        assert_eq!([words[0], words[1]].map(u32::from_le_bytes), [3, 2]);
        let last = words[words.len() - 4..].iter().copied();
        let last: Vec<f32> = last.map(f32::from_le_bytes).collect();
        assert_eq!(last, [9.0, 0.0, 0.0, 5.0]);
        assert_eq!(SkeletonCode::new(&Skeleton::default()).radii, [0.0; 2]);
    }
}
