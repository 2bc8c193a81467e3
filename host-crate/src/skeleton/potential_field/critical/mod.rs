//! Critical points: where the force vanishes.

mod cells;
mod newton;
mod rounds;
mod search;

use crate::skeleton::NodeKind;
use cells::candidates;
pub(super) use search::Search;
use search::{Density, with_neighbours};

use nalgebra::Point3;

/// A point at which the force vanishes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CriticalPoint {
    /// Where, in voxels.
    pub position: Point3<f64>,
    /// Of what kind.
    pub kind: NodeKind,
    /// The eigenvalues of the force's Jacobian in the world, ascending.
    pub eigenvalues: [f64; 3],
    /// The eigenvectors that belong to the positive ones, in the world: the force leads away along
    /// them.
    pub leaving: [Option<nalgebra::Vector3<f64>>; 3],
}
