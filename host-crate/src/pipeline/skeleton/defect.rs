//! Violated properties of skeletons, with their positions.

use crate::skeleton::medial::{Failure, LabelSkeleton};
use nalgebra::Point3;
use std::fmt;

/// Violated property of the skeleton of one component, with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Defect {
    /// Label of the component.
    pub label: i64,
    /// Index of the component in [`Checks::Medial`](super::Checks::Medial).
    pub component: usize,
    /// The violated property. Edge indices refer to the skeleton before pruning and merging.
    pub failure: Failure,
    /// Position in world coordinates; the first voxel of the component for properties of the
    /// component as a whole.
    pub position: Point3<f64>,
}

impl Defect {
    /// Returns the name of the property: `connectivity`, `cycles`, `homology`, `cocycle`,
    /// `coverage`, `inside`, `zero-length`, `self-overlap` or `length`.
    pub fn property(&self) -> &'static str {
        match self.failure {
            Failure::Disconnected { .. } => "connectivity",
            Failure::CycleCount { .. } => "cycles",
            Failure::HomologyRank { .. } => "homology",
            Failure::Cocycle { .. } => "cocycle",
            Failure::Uncovered { .. } => "coverage",
            Failure::Outside { .. } => "inside",
            Failure::ZeroLength { .. } => "zero-length",
            Failure::SelfOverlap { .. } => "self-overlap",
            Failure::TooLong { .. } => "length",
        }
    }

    /// Creates the defect for a failure of component `component` of `label`.
    pub(super) fn new(label: &LabelSkeleton, component: usize, failure: &Failure) -> Self {
        let skeleton = &label.skeleton;
        let segment_start = |edge: usize, segment: usize| skeleton.edges[edge].points[segment];
        let position = match failure {
            Failure::Disconnected { .. }
            | Failure::CycleCount { .. }
            | Failure::HomologyRank { .. }
            | Failure::Cocycle { .. } => {
                Point3::from(label.components[component].first_voxel.map(|x| x as f64))
            }
            Failure::Uncovered { position, .. }
            | Failure::Outside { position, .. }
            | Failure::SelfOverlap { position, .. } => *position,
            Failure::ZeroLength { edge, segment } => segment_start(*edge, *segment),
            Failure::TooLong { edge, .. } => segment_start(*edge, 0),
        };
        Self {
            label: label.label,
            component,
            failure: failure.clone(),
            position: skeleton.to_world(position),
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.property())?;
        match &self.failure {
            Failure::Disconnected { parts } => {
                write!(f, "the skeleton has {parts} connected components")
            }
            Failure::CycleCount { cycles, tunnels } => {
                write!(f, "{cycles} cycles for {tunnels} tunnels")
            }
            Failure::HomologyRank { rank, tunnels } => {
                write!(f, "the cycles enclose {rank} of {tunnels} tunnels")
            }
            Failure::Cocycle { triangles } => {
                write!(f, "the cocycle does not vanish on {triangles} triangles")
            }
            Failure::Uncovered { voxels, .. } => {
                write!(f, "{voxels} voxels lie beyond the coverage radius")
            }
            Failure::Outside { .. } => f.write_str("a curve leaves the object"),
            Failure::ZeroLength { .. } => f.write_str("a segment has length zero"),
            Failure::SelfOverlap { .. } => f.write_str("two curves overlap"),
            Failure::TooLong {
                length, shortest, ..
            } => write!(
                f,
                "a curve has length {}, but the shortest path of its homology class has length {}",
                rounded(*length),
                rounded(*shortest)
            ),
        }?;
        let [x, y, z] = <[f64; 3]>::from(self.position).map(rounded);
        write!(f, ", at ({x}, {y}, {z})")
    }
}

/// Rounds to six significant digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}
