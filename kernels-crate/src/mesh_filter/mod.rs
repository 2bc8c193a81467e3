//! Mesh filters: vertex adjacency, smoothing, normals.
//!
//! The neighbours or triangles of all vertices are stored in one array, in which each vertex's list
//! begins at its *start* (compressed sparse rows). A first pass counts, an exclusive scan turns
//! counts into starts, and a second pass fills the lists in unspecified order. Each list is then
//! [sorted](lists), so that sums over it have a fixed order and the same bits on every device.

pub mod incidence;
pub mod lists;
pub mod neighbours;
pub mod normals;
pub mod smooth;
