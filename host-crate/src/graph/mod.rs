//! Curve skeletons as graphs: nodes, and curves between them, with what can be asked of them.

mod chains;
mod error;
mod prune;
mod queries;
#[cfg(test)]
mod tests;

pub use chains::Chain;
pub use error::GraphError;
pub use prune::Prune;
pub use queries::Components;

use crate::grid::Geometry;
use nalgebra::Point3;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// A critical point at which the force ends from all sides: no eigenvalue of its Jacobian is
    /// positive.
    Attracting,
    /// A critical point that the force leaves along some directions and reaches along others.
    Saddle {
        /// How many eigenvalues of its Jacobian are positive: 1 or 2.
        index: u8,
    },
    /// A critical point that the force leaves to all sides. There are none where the exponent is
    /// above 2.
    Repelling,
    /// Where curves meet, and no critical point is.
    Junction,
    /// Where a curve ends, and no critical point is.
    End,
}

impl NodeKind {
    /// The kind's name in files: `attracting`, `saddle1`, `saddle2`, `repelling`, `junction` or
    /// `end`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Attracting => "attracting",
            Self::Saddle { index: 1 } => "saddle1",
            Self::Saddle { .. } => "saddle2",
            Self::Repelling => "repelling",
            Self::Junction => "junction",
            Self::End => "end",
        }
    }
}

/// A node of a skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Where it is, in voxels: the centre of voxel (0, 0, 0) is at 0, 0, 0.
    pub position: Point3<f64>,
    /// The eigenvalues of the force's Jacobian, ascending, of a critical point.
    pub eigenvalues: Option<[f64; 3]>,
    /// The distance to the surface, in world units; 0 where it is not known.
    pub radius: f64,
    /// The component of the solid that it is in, counted from 0.
    pub component: u32,
}

/// A curve between two nodes, which may be one.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// The nodes at its two ends, by their index.
    pub nodes: [usize; 2],
    /// Its points from the first node to the second, both included, in voxels.
    pub points: Vec<Point3<f64>>,
    /// The distance to the surface at each of the points, in world units.
    pub radii: Vec<f64>,
    /// The level of the hierarchy that it belongs to: 0 for the core, 1 and 2 for what is added to
    /// it.
    pub level: u8,
}

/// A skeleton: nodes, and curves between them.
///
/// ```
/// use ferrovox::{graph::{Edge, Node, NodeKind, Skeleton}, grid::Geometry};
/// use nalgebra::Point3;
///
/// let node = |kind, x| Node {
///     kind,
///     position: Point3::new(x, 0.0, 0.0),
///     eigenvalues: None,
///     radius: 1.0,
///     component: 0,
/// };
/// let skeleton = Skeleton {
///     nodes: vec![node(NodeKind::Attracting, 0.0), node(NodeKind::End, 3.0)],
///     edges: vec![Edge {
///         nodes: [0, 1],
///         points: vec![Point3::origin(), Point3::new(3.0, 0.0, 0.0)],
///         radii: vec![1.0, 1.0],
///         level: 0,
///     }],
///     geometry: Geometry::from_spacing([0.5; 3], [0.0; 3])?,
/// };
/// assert_eq!(skeleton.length(), 1.5);
/// assert_eq!((skeleton.cycles(), skeleton.is_connected()), (0, true));
/// # Ok::<(), ferrovox::grid::VolumeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    /// The nodes. One without an edge is a skeleton too: that of a ball is its centre.
    pub nodes: Vec<Node>,
    /// The curves.
    pub edges: Vec<Edge>,
    /// Where the voxels lie in the world.
    pub geometry: Geometry,
}

impl Skeleton {
    /// Fails unless edges have nodes, at least two points and as many radii, begin and end where
    /// their nodes are, and all numbers are finite.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] with the first edge or node that is wrong.
    pub fn validate(&self) -> Result<(), GraphError> {
        let wrong = |problem| Err(GraphError::Invalid { problem });
        for (number, node) in self.nodes.iter().enumerate() {
            if !is_finite(&node.position) || !node.radius.is_finite() {
                return wrong(format!("node {number} is not at a finite position"));
            }
        }
        for (number, edge) in self.edges.iter().enumerate() {
            if let Some(missing) = edge.nodes.iter().find(|&&node| node >= self.nodes.len()) {
                let count = self.nodes.len();
                return wrong(format!(
                    "edge {number} has node {missing}, and there are {count}"
                ));
            }
            let [points, radii] = [edge.points.len(), edge.radii.len()];
            if points < 2 || points != radii {
                return wrong(format!(
                    "edge {number} has {points} points and {radii} radii; it needs two points, and as many radii"
                ));
            }
            if !edge.points.iter().all(is_finite) || !edge.radii.iter().all(|r| r.is_finite()) {
                return wrong(format!("edge {number} has a point that is not finite"));
            }
            let ends = [edge.points[0], edge.points[points - 1]];
            for (end, node) in ends.iter().zip(edge.nodes) {
                if *end != self.nodes[node].position {
                    return wrong(format!("edge {number} does not end at its node {node}"));
                }
            }
        }
        Ok(())
    }
}

fn is_finite(point: &Point3<f64>) -> bool {
    point.iter().all(|x| x.is_finite())
}
