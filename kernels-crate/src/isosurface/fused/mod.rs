//! The same mesh from one bit per sample.
//!
//! | kernel | reads | writes |
//! | --- | --- | --- |
//! | [`threshold_bits`] | samples, mask | one bit per sample: below the isovalue or not; whether it is finite, and kept by the mask |
//! | [`classify_edges`] | the bits | for each word its active edges and occupied cells, and counts per tile |
//! | [`count_shapes`] | samples of listed cells | corrected counts per tile |
//! | a scan of the counts | | where each tile's vertices and triangles go |
//! | [`emit_word_vertices`] | active edges, samples at their ends | positions, and normals if asked for |
//! | [`emit_shapes`] | samples of listed cells | their shapes |
//! | [`emit_inner_word_vertices`] | shapes, samples of cells with inner vertices | positions, and normals if asked for |
//! | [`emit_word_triangles`] | the bits, occupied cells, active edges | vertex indices |
//! | [`emit_shaped_triangles`] | the same, and shapes | vertex indices in tiles with listed cells |
//!
//! A word holds 32 neighbouring samples along x, and a row of samples has whole words ([`Words`]).
//! Cells and edges are named by their lowest corner, so a word also stands for 32 cells and three
//! times 32 edges, and which of them the surface crosses comes from exclusive ors of words. The
//! samples are read once in full, and once more at the ends of active edges. Cells are listed whose
//! triangles depend on values under [`Rule::Trilinear`](super::topology::Rule): they are few, and
//! without them or that rule the kernels of shapes are not launched, or leave at once. A vertex's
//! number is the count before its tile, plus that before its word, plus that of the lower bits: no
//! array of edges is ever written.

mod cells;
mod classify;
mod numbers;
mod shaped_triangles;
mod shapes;
mod threshold;
mod triangles;
mod vertices;
mod words;

pub use cells::SHAPED_BLOCK;
pub use classify::classify_edges;
pub use shaped_triangles::emit_shaped_triangles;
pub use shapes::{count_shapes, emit_inner_word_vertices, emit_shapes};
pub use threshold::{threshold_bits, threshold_bits_by_fours};
pub use triangles::{Index, emit_word_triangles};
pub use vertices::{emit_cubic_word_vertices, emit_word_vertices, emit_word_vertices_and_normals};
pub use words::{PARTS, SUMS_AFTER_TILES, TILE, Words};
