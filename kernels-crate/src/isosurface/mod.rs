//! Marching cubes (Lorensen and Cline 1987) with shared vertices: each vertex is stored once, and
//! triangles are triples of vertex indices.
//!
//! The `staged` method runs one kernel per stage, in this order, with prefix scans from
//! [`crate::scan`] in between. The [`fused`] method computes the same mesh from one bit per sample.
//! Stage numbers in the documentation of the kernels are those of the topology page (2011).
//!
//! | stage | number | kernel | reads | writes |
//! | --- | --- | --- | --- | --- |
//! | classify | 2 | [`classify_cells`] | samples | case, occupied flag, triangle count |
//! | subcases | | [`resolve_subcases`] | cases, samples | subcases, counts |
//! | edges | 5 | [`flag_edges`] | samples, cases | active-edge flags |
//! | compact | 4, 6 | [`compact_flagged`] | flags and their scan | occupied cells, active edges |
//! | vertices | 5, 6 | [`emit_vertices`] | active edges, samples | positions |
//! | normals | 8 | [`emit_normals`] | active edges, samples | unit normals |
//! | inner vertices | | [`emit_inner_vertices`] | subcases, samples | positions, normals |
//! | triangles | 7 | [`emit_triangles`] | occupied cells, cases, scans | vertex indices |
//!
//! Vertices are numbered plane by plane: first those on edges in the plane, then those on edges to
//! the next plane, then the inner vertices of the cells between the two planes. The subcase and
//! inner vertex stages run only if ambiguous cells are resolved by the trilinear interpolant
//! ([`topology::Disambiguation::Trilinear`]).
//!
//! # Terms
//! - A sample is *below* if its value is less than the isovalue, and *above* otherwise.
//! - A cell is *occupied* if its corners are neither all below nor all above.
//! - An edge is *active* if exactly one of its ends is below and an adjacent cell emits triangles.
//! - A cell is *ambiguous* if the signs at its corners admit more than one surface topology.
//!
//! Cells with a non-finite corner, and cells excluded by a mask, emit nothing.

mod case_loops;
mod cell;
mod classify;
mod compact;
mod edges;
pub mod fused;
mod inner;
pub mod interpolate;
mod pad;
pub mod padded;
mod subcases;
pub mod table;
pub mod topology;
mod triangles;
mod vertices;

pub use classify::classify_cells;
pub use compact::compact_flagged;
pub use edges::flag_edges;
pub use pad::{pad_mask, pad_samples};
pub use subcases::{compute_plane_offsets, emit_inner_vertices, resolve_subcases};
pub use triangles::{MAX_BLOCK, emit_triangles};
pub use vertices::{NormalRule, emit_normals, emit_vertices};
