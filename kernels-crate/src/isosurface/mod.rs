//! Marching cubes with shared vertices: each vertex once, and the triangles as indices into them.
//!
//! The stages of the `staged` method, in their order; scans between them are [`crate::scan`]'s:
//!
//! | stage | kernel | reads | writes |
//! | --- | --- | --- | --- |
//! | classify | [`classify_cells`] | samples | case, occupied flag and triangle count of each cell |
//! | shapes | [`decide_shapes`] | cases, samples | triangles and inner vertices of cells whose case leaves them open |
//! | compact | [`compact_flagged`] | flags and their scan | the numbers of the occupied cells, then of the active edges |
//! | edges | [`flag_edges`] | samples, cases | 1 for each active edge |
//! | vertices | [`emit_vertices`] | active edges, samples | positions |
//! | triangles | [`emit_triangles`] | occupied cells, cases, scans | vertex indices |
//! | normals | [`emit_normals`] | active edges, samples | unit normals |
//! | inner vertices | [`number_planes`], [`emit_inner_vertices`] | shapes, samples | positions and normals |
//!
//! Vertices are numbered plane by plane: those on the edges in the plane, those on the edges above
//! it, and the inner vertices of the cells above it. The stages of shapes and inner vertices are
//! left out where no cell has any ([`topology::Rule::Separated`]).
//!
//! A sample is *below* when its value is less than the isovalue, else *above*. An edge is active
//! when its ends differ and a cell around it emits triangles. Cells with a non-finite corner, and
//! cells that a mask excludes, emit nothing.

mod classify;
mod compact;
mod edges;
pub mod fused;
mod inner;
pub mod interpolate;
mod pad;
pub mod padded;
mod shapes;
pub mod table;
pub mod topology;
mod triangles;
mod vertices;

pub use classify::classify_cells;
pub use compact::compact_flagged;
pub use edges::flag_edges;
pub use pad::{pad_mask, pad_samples};
pub use shapes::{decide_shapes, emit_inner_vertices, number_planes};
pub use triangles::{MAX_BLOCK, emit_triangles};
pub use vertices::{NormalRule, emit_normals, emit_vertices};
