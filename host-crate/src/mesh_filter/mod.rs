//! Mesh filters: connected components, smoothing, simplification, normals.
//!
//! | function | runs on | preserves |
//! | --- | --- | --- |
//! | [`filter_components`] | host | the surfaces of large components, unchanged |
//! | [`smooth`], [`smooth_mesh`] | device | the triangles; approximately, the volume |
//! | [`simplify`](simplify()) | host | the topology; the surface up to a reported error |
//! | [`simplify_walls`] | host | the topology of each label's surface, and shared walls |
//! | [`vertex_normals`], [`recompute_normals`] | device | everything |
//!
//! Filters that run on a device yield the same bits on every device.

mod coefficients;
mod components;
mod error;
mod lists;
mod normals;
mod params;
mod simplify;
mod smooth;

pub use components::{ComponentFilter, ComponentFilterReport, filter_components};
pub use error::MeshFilterError;
pub(crate) use lists::VertexLists;
pub use normals::{recompute_normals, vertex_normals};
pub use params::SmoothParams;
pub use simplify::{SimplifyReport, SimplifyTarget, simplify, simplify_walls};
pub use smooth::{smooth, smooth_mesh};
