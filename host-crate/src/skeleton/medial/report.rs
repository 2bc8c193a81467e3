//! Results of the medial method: skeletons, and the certificate of each component.

use crate::{graph::Skeleton, monitor::StageTime};
use nalgebra::Point3;

/// Skeletons of all labels of a volume.
#[derive(Clone, Debug, Default)]
pub struct Skeletons {
    /// One entry per selected label that has a voxel, in ascending order of labels.
    pub labels: Vec<LabelSkeleton>,
    /// Duration of each stage; stages that run on several components concurrently are summed over
    /// the components.
    pub timings: Vec<StageTime>,
}

/// Skeleton of one label.
#[derive(Clone, Debug)]
pub struct LabelSkeleton {
    /// The label.
    pub label: i64,
    /// Curves of all components; [`Node::component`](crate::graph::Node::component) is an index
    /// into `components`.
    pub skeleton: Skeleton,
    /// One report per component, in the order of their first voxels.
    pub components: Vec<ComponentReport>,
    /// Components that were skipped because they are smaller than
    /// [`Params::dust`](super::Params::dust).
    pub dust: Dust,
}

/// Components that were skipped because they are small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dust {
    /// Number of components.
    pub components: u64,
    /// Number of voxels of these components.
    pub voxels: u64,
}

/// Certificate of one component: a 26-connected set of voxels of one label, and the required
/// properties that its skeleton violates.
///
/// Betti numbers are those of the union of the component's closed voxel cubes.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentReport {
    /// First voxel of the component, x fastest.
    pub first_voxel: [u64; 3],
    /// Number of voxels, without those that fill tunnels.
    pub voxels: u64,
    /// Number of tunnels: the first Betti number.
    pub tunnels: u64,
    /// Number of further tunnels, which were filled first; see
    /// [`Params::fill_tunnels`](super::Params::fill_tunnels).
    pub filled_tunnels: u64,
    /// Number of cavities: the second Betti number. Curves do not represent cavities.
    pub cavities: u64,
    /// Rank of the skeleton's cycles in the first homology of the component with coefficients in
    /// Z/2. If it equals both the number of cycles and the number of tunnels, the cycles are a
    /// basis of the homology. 0 if a segment leaves the component ([`Violation::Outside`]).
    pub cycle_rank: u64,
    /// `true` if the curves were moved to where the force of the surface vanishes across them.
    /// `false` if centring was not requested or would violate a property; the curves then run
    /// through voxel centres.
    pub is_centred: bool,
    /// Protrusion without a branch that has the greatest significance, with
    /// [`BranchRule::Significance`](super::BranchRule::Significance): a measure of what the
    /// skeleton does not represent. `None` if no protrusion is longer than three voxels, and for
    /// the coverage rule.
    pub uncovered: Option<UncoveredProtrusion>,
    /// Violated properties; empty if the skeleton is certified.
    pub violations: Vec<Violation>,
}

impl ComponentReport {
    /// Returns `true` if no property is violated.
    pub fn is_certified(&self) -> bool {
        self.violations.is_empty()
    }
}

/// Protrusion of a component that has no branch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UncoveredProtrusion {
    /// Length less two voxels for noise, divided by the width.
    pub significance: f64,
    /// Length, in world units.
    pub length: f64,
    /// Width, in world units: the radius of a tube, 0.82 times the half width of a sheet.
    pub width: f64,
    /// Position of its tip, in voxel coordinates.
    pub position: Point3<f64>,
}

/// Violated property of a component's skeleton. Edge indices refer to the label's skeleton;
/// positions are in voxel coordinates.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Violation {
    /// The skeleton of the component is not connected.
    Disconnected {
        /// Number of connected components of the skeleton.
        parts: u64,
    },
    /// The number of cycles differs from the number of tunnels.
    CycleCount {
        /// Number of independent cycles of the skeleton.
        cycles: u64,
        /// Number of tunnels of the component.
        tunnels: u64,
    },
    /// The cycles are not independent in the homology of the component.
    HomologyRank {
        /// Rank of the cycles.
        rank: u64,
        /// Number of tunnels of the component.
        tunnels: u64,
    },
    /// The cocycle does not vanish on every triangle of adjacent voxels, so homology classes are
    /// undefined: a programming error.
    Cocycle {
        /// Number of triangles on which the cocycle does not vanish.
        triangles: u64,
    },
    /// Voxels lie beyond the coverage radius of all skeleton points. Only checked with
    /// [`BranchRule::Coverage`](super::BranchRule::Coverage).
    Uncovered {
        /// Number of uncovered voxels.
        voxels: u64,
        /// Position of the first uncovered voxel.
        position: Point3<f64>,
    },
    /// A segment leaves the union of the component's closed voxel cubes.
    Outside {
        /// Index of the edge.
        edge: usize,
        /// Index of the segment, from point `segment` of the edge to the next.
        segment: usize,
        /// Start of the segment.
        position: Point3<f64>,
    },
    /// A segment has length zero.
    ZeroLength {
        /// Index of the edge.
        edge: usize,
        /// Index of the segment.
        segment: usize,
    },
    /// Two stretches of the skeleton overlap.
    SelfOverlap {
        /// Index of the later edge.
        edge: usize,
        /// Position of the overlap.
        position: Point3<f64>,
    },
    /// An edge is longer than twice the shortest path of its homology class between its end nodes
    /// plus the maximum radius along the edge.
    TooLong {
        /// Index of the edge.
        edge: usize,
        /// Length of the edge, in world units.
        length: f64,
        /// Length of the shorter path of the same homology class, in world units.
        shortest: f64,
    },
}

impl Violation {
    /// Returns the edge that violates the property, if it is one edge.
    pub(crate) fn edge(&self) -> Option<usize> {
        match self {
            Self::Outside { edge, .. }
            | Self::ZeroLength { edge, .. }
            | Self::SelfOverlap { edge, .. }
            | Self::TooLong { edge, .. } => Some(*edge),
            _ => None,
        }
    }
}

impl LabelSkeleton {
    /// Returns `true` if all components are certified.
    pub fn is_certified(&self) -> bool {
        self.components.iter().all(ComponentReport::is_certified)
    }
}

impl Skeletons {
    /// Returns `true` if all components of all labels are certified.
    pub fn is_certified(&self) -> bool {
        self.labels.iter().all(LabelSkeleton::is_certified)
    }

    /// Returns the skeleton of a label, or `None` if the label has none.
    pub fn get(&self, label: i64) -> Option<&LabelSkeleton> {
        let index = self
            .labels
            .binary_search_by_key(&label, |entry| entry.label);
        index.ok().map(|index| &self.labels[index])
    }
}
