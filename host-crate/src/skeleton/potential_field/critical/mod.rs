//! Critical points: zeros of the force field.

mod cells;
mod certified_search;
mod newton;
mod search;

use crate::skeleton::NodeKind;
use cells::candidate_cells;
pub(super) use search::Search;
use search::{Density, with_neighbours};

use nalgebra::Point3;

/// Zero of the force field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CriticalPoint {
    /// Position in voxel coordinates.
    pub position: Point3<f64>,
    /// Kind of the critical point.
    pub kind: NodeKind,
    /// Eigenvalues of the force's Jacobian in world space, in ascending order.
    pub eigenvalues: [f64; 3],
    /// Eigenvectors of the positive eigenvalues in world space: the directions along which the
    /// force diverges.
    pub unstable_directions: [Option<nalgebra::Vector3<f64>>; 3],
}
