//! What does not hold of a skeleton, and where.

use crate::skeleton::medial::{Failure, LabelSkeleton};
use nalgebra::Point3;
use std::fmt;

/// A property that a component's skeleton does not have, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Defect {
    /// The label.
    pub label: i64,
    /// The component, by its number in [`Checks::Medial`](super::Checks::Medial).
    pub component: usize,
    /// What does not hold. Its edges are those of the skeleton before it was pruned or merged.
    pub failure: Failure,
    /// Where, in the world; the first voxel of the component for what has no place.
    pub at: Point3<f64>,
}

impl Defect {
    /// The property's name: `pieces`, `cycles`, `classes`, `cocycle`, `cover`, `inside`,
    /// `zero-length`, `twice` or `detour`.
    pub fn property(&self) -> &'static str {
        match self.failure {
            Failure::Pieces { .. } => "pieces",
            Failure::Cycles { .. } => "cycles",
            Failure::Classes { .. } => "classes",
            Failure::Cocycle { .. } => "cocycle",
            Failure::Cover { .. } => "cover",
            Failure::Outside { .. } => "inside",
            Failure::ZeroLength { .. } => "zero-length",
            Failure::Twice { .. } => "twice",
            Failure::Detour { .. } => "detour",
        }
    }

    pub(super) fn of(found: &LabelSkeleton, component: usize, failure: &Failure) -> Self {
        let skeleton = &found.skeleton;
        let on_edge = |edge: usize, segment: usize| skeleton.edges[edge].points[segment];
        let at = match failure {
            Failure::Pieces { .. }
            | Failure::Cycles { .. }
            | Failure::Classes { .. }
            | Failure::Cocycle { .. } => {
                Point3::from(found.components[component].first.map(|x| x as f64))
            }
            Failure::Cover { at, .. } | Failure::Outside { at, .. } | Failure::Twice { at, .. } => {
                *at
            }
            Failure::ZeroLength { edge, segment } => on_edge(*edge, *segment),
            Failure::Detour { edge, .. } => on_edge(*edge, 0),
        };
        Self {
            label: found.label,
            component,
            failure: failure.clone(),
            at: skeleton.to_world(at),
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.property())?;
        match &self.failure {
            Failure::Pieces { found } => write!(f, "the curves are in {found} pieces"),
            Failure::Cycles { found, expected } => {
                write!(f, "{found} cycles for {expected} tunnels")
            }
            Failure::Classes { rank, expected } => {
                write!(f, "the cycles lead round {rank} of {expected} tunnels")
            }
            Failure::Cocycle { triangles } => {
                write!(
                    f,
                    "the classes of steps do not add up at {triangles} triangles"
                )
            }
            Failure::Cover { voxels, .. } => {
                write!(f, "{voxels} voxels are too far from the curves")
            }
            Failure::Outside { .. } => f.write_str("a curve leaves the object"),
            Failure::ZeroLength { .. } => f.write_str("a segment has no length"),
            Failure::Twice { .. } => f.write_str("curves pass a place twice"),
            Failure::Detour {
                length, shortest, ..
            } => write!(
                f,
                "a curve has the length {}, where the shortest is {}",
                short(*length),
                short(*shortest)
            ),
        }?;
        let [x, y, z] = <[f64; 3]>::from(self.at).map(short);
        write!(f, ", at ({x}, {y}, {z})")
    }
}

/// Six significant digits.
fn short(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}
