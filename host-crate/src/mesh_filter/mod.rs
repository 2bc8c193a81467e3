//! Meshes after they are made: choice of pieces, smoothing, simplification, normals.
//!
//! | function | where it works | what it keeps |
//! | --- | --- | --- |
//! | [`choose_pieces`] | on the host | the surfaces of large pieces, as they are |
//! | [`smooth`], [`smooth_mesh`] | on a device | the triangles, and about the volume |
//! | [`simplify`](simplify()) | on the host | pieces, holes, tunnels, boundaries; the surface within an error that is reported |
//! | [`vertex_normals`], [`renew_normals`] | on a device | everything |
//!
//! What works on a device gives the same bits on each.

mod coefficients;
mod error;
mod lists;
mod normals;
mod params;
mod pieces;
mod simplify;
mod smooth;

pub use error::MeshFilterError;
pub use normals::{renew_normals, vertex_normals};
pub use params::SmoothParams;
pub use pieces::{PieceChoice, PiecesReport, choose_pieces};
pub use simplify::{SimplifyReport, SimplifyTarget, simplify};
pub use smooth::{smooth, smooth_mesh};
