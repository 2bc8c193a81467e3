//! What is done with triangle meshes: which vertices are neighbours, smoothing, normals.
//!
//! What belongs to a vertex (its neighbours, its triangles) is a list, and all lists are one array
//! in which a vertex's list begins at its *start*. A pass counts, a scan makes starts of the
//! counts, and a second pass fills the lists in whatever order its threads come. Then each list is
//! [sorted](lists), so that sums over it are made in one order, and have the same bits on every
//! device.

pub mod corners;
pub mod lists;
pub mod neighbours;
pub mod normals;
pub mod smooth;
