//! Curve skeletons as graphs: nodes, curves between them, and queries on both.

#[cfg(test)]
mod branch_tests;
mod branches;
mod chains;
mod error;
mod join;
mod prune;
mod queries;
mod soma;
#[cfg(test)]
mod tests;

pub use branches::{Branch, BranchKind};
pub use chains::Chain;
pub use error::GraphError;
pub use prune::Prune;
pub use queries::Components;
pub use soma::Soma;

use crate::grid::Geometry;
use nalgebra::Point3;

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// Attracting critical point: the force converges from all sides, and no eigenvalue of its
    /// Jacobian is positive.
    Attracting,
    /// Saddle: the force diverges along some directions and converges along others.
    Saddle {
        /// Number of positive eigenvalues of the Jacobian: 1 or 2.
        index: u8,
    },
    /// Repelling critical point: the force diverges to all sides. Does not occur with exponents
    /// above 2.
    Repelling,
    /// Point where curves meet that is not a critical point.
    Junction,
    /// Point where a curve ends that is not a critical point.
    End,
}

impl NodeKind {
    /// Returns the kind's name in files: `attracting`, `saddle1`, `saddle2`, `repelling`,
    /// `junction` or `end`.
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

/// Node of a skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Kind of the node.
    pub kind: NodeKind,
    /// Position in voxel coordinates; the centre of voxel (0, 0, 0) is at the origin.
    pub position: Point3<f64>,
    /// Eigenvalues of the force's Jacobian in ascending order, for critical points.
    pub eigenvalues: Option<[f64; 3]>,
    /// Distance to the surface, in world units; 0 if unknown. With the medial method, the distance
    /// to the nearest background voxel centre.
    pub radius: f64,
    /// Index of the connected component of the solid that contains the node.
    pub component: u32,
}

/// Curve between two nodes, or from a node to itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Indices of the nodes at the two ends.
    pub nodes: [usize; 2],
    /// Points from the first node to the second, including both, in voxel coordinates.
    pub points: Vec<Point3<f64>>,
    /// Distance to the surface at each point, in world units, like [`Node::radius`].
    pub radii: Vec<f64>,
    /// Area of the object's cross-section at each point, in world units squared, or `None` where it
    /// is undefined: near junctions and ends. Empty if sections were not measured.
    pub section_areas: Vec<Option<f64>>,
    /// Level of the hierarchy (Cornea et al. 2005): 0 for the core skeleton, 1 for curves added by
    /// divergence, 2 for curves added by curvature.
    pub level: u8,
}

/// Curve skeleton: nodes, and curves between them.
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
///         section_areas: Vec::new(),
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
    /// Nodes. A node without edges is a valid skeleton, for example the centre of a ball.
    pub nodes: Vec<Node>,
    /// Curves between the nodes.
    pub edges: Vec<Edge>,
    /// Position of the voxels in the world.
    pub geometry: Geometry,
}

impl Edge {
    /// Returns the radius of a disc with the area of the cross-section at a point, in world units,
    /// or `None` where the section is undefined or was not measured.
    pub fn section_radius(&self, point: usize) -> Option<f64> {
        let area = self.section_areas.get(point).copied().flatten()?;
        Some((area / std::f64::consts::PI).sqrt())
    }
}

impl Skeleton {
    /// Checks that all numbers are finite, that edges refer to existing nodes and begin and end at
    /// their positions, and that each edge has at least two points and one radius per point.
    ///
    /// # Errors
    /// [`GraphError::Invalid`] for the first invalid node or edge.
    pub fn validate(&self) -> Result<(), GraphError> {
        let invalid = |problem| Err(GraphError::Invalid { problem });
        for (index, node) in self.nodes.iter().enumerate() {
            if !is_finite(&node.position) || !node.radius.is_finite() {
                return invalid(format!(
                    "node {index} has a position or radius that is not finite"
                ));
            }
        }
        for (index, edge) in self.edges.iter().enumerate() {
            if let Some(missing) = edge.nodes.iter().find(|&&node| node >= self.nodes.len()) {
                let count = self.nodes.len();
                return invalid(format!(
                    "edge {index} refers to node {missing}, but there are {count} nodes"
                ));
            }
            let [points, radii] = [edge.points.len(), edge.radii.len()];
            if points < 2 || points != radii {
                return invalid(format!(
                    "edge {index} has {points} points and {radii} radii; give at least two points and one radius per point"
                ));
            }
            if !edge.points.iter().all(is_finite) || !edge.radii.iter().all(|r| r.is_finite()) {
                return invalid(format!(
                    "edge {index} has a point or radius that is not finite"
                ));
            }
            let areas = edge.section_areas.len();
            if areas != 0 && areas != points {
                return invalid(format!(
                    "edge {index} has {points} points and {areas} section areas; give one per point, or none"
                ));
            }
            if edge
                .section_areas
                .iter()
                .flatten()
                .any(|area| !area.is_finite())
            {
                return invalid(format!(
                    "edge {index} has a section area that is not finite"
                ));
            }
            let ends = [edge.points[0], edge.points[points - 1]];
            for (end, node) in ends.iter().zip(edge.nodes) {
                if *end != self.nodes[node].position {
                    return invalid(format!("edge {index} does not end at its node {node}"));
                }
            }
        }
        Ok(())
    }
}

fn is_finite(point: &Point3<f64>) -> bool {
    point.iter().all(|x| x.is_finite())
}
