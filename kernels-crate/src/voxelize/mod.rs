//! Conversion of triangle meshes to voxels by ray parity.
//!
//! A voxel is inside if a ray from it along x crosses the mesh an odd number of times.
//! [`crossings`] toggles, for each triangle and each ray through it, the first voxel behind the
//! crossing; [`parity`] then accumulates the parity along each row.
//!
//! Vertices and voxel centres have fixed-point coordinates, so that the set of rays through a
//! triangle is determined exactly. A ray through an edge or a vertex is treated as if it were
//! displaced infinitesimally along y, and by a smaller order along z: it passes through exactly one
//! of two neighbouring triangles, or through both or neither at a fold.

pub mod crossings;
pub mod parity;
