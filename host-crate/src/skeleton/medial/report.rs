//! What is known of a skeleton of a real object.

use crate::{graph::Skeleton, monitor::StageTime};
use nalgebra::Point3;

/// The skeletons of all labels of a volume.
#[derive(Clone, Debug, Default)]
pub struct Skeletons {
    /// One for each label that has a voxel and was asked for, in ascending order of labels.
    pub labels: Vec<LabelSkeleton>,
    /// How long each stage took; stages that components go through side by side are added up over
    /// them.
    pub times: Vec<StageTime>,
}

/// The skeleton of one label.
#[derive(Clone, Debug)]
pub struct LabelSkeleton {
    /// The label.
    pub label: i64,
    /// Its skeleton: the curves of all components.
    /// [`Node::component`](crate::graph::Node::component) counts in `components`.
    pub skeleton: Skeleton,
    /// What is known of each component with a skeleton, in the order of their first voxels, x
    /// fastest.
    pub components: Vec<ComponentReport>,
    /// Components that were too small.
    pub dust: Dust,
}

/// Components that were left out because they are small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dust {
    /// How many there are.
    pub components: u64,
    /// Their voxels together.
    pub voxels: u64,
}

/// A component of an object (voxels of one label that hang together by faces, edges or corners),
/// and whether its skeleton has the properties that it must have.
///
/// Numbers of the object are those of the union of its closed cubes.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentReport {
    /// Its first voxel, x fastest.
    pub first: [u64; 3],
    /// Its voxels.
    pub voxels: u64,
    /// The independent cycles of the object, b1: its tunnels.
    pub tunnels: u64,
    /// The cavities of the object, b2, which no curve shows.
    pub cavities: u64,
    /// The rank of the skeleton's cycles among those of the object: with as many cycles as tunnels
    /// and this rank, the cycles are a basis of the object's first homology with coefficients in
    /// Z/2.
    pub rank: u64,
    /// Whether its curves have been moved to where the force of the surface vanishes across them.
    /// Where something would not hold then, and where it was not asked for, they lead through
    /// centres of voxels.
    pub centred: bool,
    /// What does not hold; empty if the skeleton is certified.
    pub failures: Vec<Failure>,
}

impl ComponentReport {
    /// Whether all properties hold.
    pub fn certified(&self) -> bool {
        self.failures.is_empty()
    }
}

/// A property that a component's skeleton does not have. Edges and nodes are those of the label's
/// skeleton; places are in voxels.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// The skeleton of the component is not in one piece.
    Pieces {
        /// How many there are.
        found: u64,
    },
    /// It has not as many cycles as the object has tunnels.
    Cycles {
        /// The cycles.
        found: u64,
        /// The tunnels.
        expected: u64,
    },
    /// Its cycles are not independent in the object.
    Classes {
        /// Their rank.
        rank: u64,
        /// The tunnels.
        expected: u64,
    },
    /// The classes of steps between voxels do not add up to zero around triangles: nothing is known
    /// of classes. An error of the program.
    Cocycle {
        /// Triangles whose sum is not zero.
        triangles: u64,
    },
    /// Voxels are farther from the skeleton than the cover allows.
    Cover {
        /// How many.
        voxels: u64,
        /// The first of them.
        at: Point3<f64>,
    },
    /// A segment leaves the closed cubes of the component.
    Outside {
        /// The edge.
        edge: usize,
        /// Its segment, from point `segment` to the next.
        segment: usize,
        /// Where it begins.
        at: Point3<f64>,
    },
    /// A segment of no length.
    ZeroLength {
        /// The edge.
        edge: usize,
        /// Its segment.
        segment: usize,
    },
    /// A place is passed twice.
    Twice {
        /// The edge that comes there again.
        edge: usize,
        /// The place.
        at: Point3<f64>,
    },
    /// An edge is longer than twice the shortest way of its class between its ends, and the radius
    /// there.
    Detour {
        /// The edge.
        edge: usize,
        /// Its length, in world units.
        length: f64,
        /// That of the shorter way, in world units.
        shortest: f64,
    },
}

impl LabelSkeleton {
    /// Whether all of its components are certified.
    pub fn certified(&self) -> bool {
        self.components.iter().all(ComponentReport::certified)
    }
}

impl Skeletons {
    /// Whether all components of all labels are certified.
    pub fn certified(&self) -> bool {
        self.labels.iter().all(LabelSkeleton::certified)
    }

    /// The skeleton of a label, if it has one.
    pub fn get(&self, label: i64) -> Option<&LabelSkeleton> {
        let at = self.labels.binary_search_by_key(&label, |one| one.label);
        at.ok().map(|at| &self.labels[at])
    }
}
