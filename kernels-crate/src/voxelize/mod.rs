//! Triangle meshes as voxels.
//!
//! A voxel is inside if a ray from it along x crosses the mesh an odd number of times.
//! [`crossings`] marks for each triangle and each ray through it the first voxel behind the
//! crossing; [`parity`] then goes along the rows.
//!
//! Vertices are whole numbers of a fine grid, voxels' centres too, so that which rays pass through
//! a triangle is decided exactly. A ray through an edge or a vertex is taken as one a little
//! farther along y, and less so along z: so it passes through one of two neighbouring triangles, or
//! through both or neither if it touches a fold.

pub mod crossings;
pub mod parity;
