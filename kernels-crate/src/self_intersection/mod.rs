//! Intersections between the triangles of a mesh.
//!
//! Triangles are listed in the buckets of a spatial hash that their bounding boxes overlap, and
//! those of a bucket are compared with each other. Signs of determinants are computed in `f64` with
//! bounds of their errors (Shewchuk 1997). Pairs that these do not decide are listed for the host,
//! which has exact arithmetic; they are few, since vertices are `f32`.
//!
//! | module | contents |
//! | --- | --- |
//! | [`buckets`] | the spatial hash, and kernels that fill it |
//! | [`orientation`] | signs of determinants |
//! | [`triangles`] | the test of two triangles |
//! | [`pairs`] | kernels that list and test the pairs of each bucket |

pub mod buckets;
pub mod orientation;
pub mod pairs;
pub mod triangles;
