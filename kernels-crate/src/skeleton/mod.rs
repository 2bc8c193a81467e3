//! Kernels for curve skeletons.
//!
//! | module | kernels |
//! | --- | --- |
//! | [`classes`], [`euler`] | topology and surface of a solid |
//! | [`field`] | force field by all pairs, and by the fast multipole method ([`field::fmm`]) |
//! | [`critical`], [`divergence`], [`error_bounds`] | cells and voxels selected from the field |
//! | [`interpolation`] | radii at the points of a skeleton |
//! | [`geodesics`] | distances, edge weights and shortest paths of the medial method |

pub mod classes;
pub mod critical;
pub mod divergence;
pub mod error_bounds;
pub mod euler;
pub mod field;
pub mod geodesics;
pub mod interpolation;
