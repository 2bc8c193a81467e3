//! Violated properties of skeletons, with their positions.

use crate::skeleton::medial::{LabelSkeleton, Violation};
use nalgebra::Point3;
use std::fmt;

/// Violated property of the skeleton of one component, with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedViolation {
    /// Label of the component.
    pub label: i64,
    /// Index of the component in [`Checks::Medial`](super::Checks::Medial).
    pub component: usize,
    /// The violated property. Edge indices refer to the skeleton before pruning and merging.
    pub violation: Violation,
    /// Position in world coordinates; the first voxel of the component for properties of the
    /// component as a whole.
    pub position: Point3<f64>,
}

impl LocatedViolation {
    /// Returns the name of the property: `connectivity`, `cycles`, `homology`, `cocycle`,
    /// `coverage`, `inside`, `zero-length`, `self-overlap` or `length`.
    pub fn property(&self) -> &'static str {
        match self.violation {
            Violation::Disconnected { .. } => "connectivity",
            Violation::CycleCount { .. } => "cycles",
            Violation::HomologyRank { .. } => "homology",
            Violation::Cocycle { .. } => "cocycle",
            Violation::Uncovered { .. } => "coverage",
            Violation::Outside { .. } => "inside",
            Violation::ZeroLength { .. } => "zero-length",
            Violation::SelfOverlap { .. } => "self-overlap",
            Violation::TooLong { .. } => "length",
        }
    }

    /// Locates a violation of component `component` of `label`.
    pub(super) fn new(label: &LabelSkeleton, component: usize, violation: &Violation) -> Self {
        let skeleton = &label.skeleton;
        let segment_start = |edge: usize, segment: usize| skeleton.edges[edge].points[segment];
        let position = match violation {
            Violation::Disconnected { .. }
            | Violation::CycleCount { .. }
            | Violation::HomologyRank { .. }
            | Violation::Cocycle { .. } => {
                Point3::from(label.components[component].first_voxel.map(|x| x as f64))
            }
            Violation::Uncovered { position, .. }
            | Violation::Outside { position, .. }
            | Violation::SelfOverlap { position, .. } => *position,
            Violation::ZeroLength { edge, segment } => segment_start(*edge, *segment),
            Violation::TooLong { edge, .. } => segment_start(*edge, 0),
        };
        Self {
            label: label.label,
            component,
            violation: violation.clone(),
            position: skeleton.to_world(position),
        }
    }
}

impl fmt::Display for LocatedViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.property())?;
        match &self.violation {
            Violation::Disconnected { parts } => {
                write!(f, "the skeleton has {parts} connected components")
            }
            Violation::CycleCount { cycles, tunnels } => {
                write!(f, "{cycles} cycles for {tunnels} tunnels")
            }
            Violation::HomologyRank { rank, tunnels } => {
                write!(f, "the cycles enclose {rank} of {tunnels} tunnels")
            }
            Violation::Cocycle { triangles } => {
                write!(f, "the cocycle does not vanish on {triangles} triangles")
            }
            Violation::Uncovered { voxels, .. } => {
                write!(f, "{voxels} voxels lie beyond the coverage radius")
            }
            Violation::Outside { .. } => f.write_str("a curve leaves the object"),
            Violation::ZeroLength { .. } => f.write_str("a segment has length zero"),
            Violation::SelfOverlap { .. } => f.write_str("two curves overlap"),
            Violation::TooLong {
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
