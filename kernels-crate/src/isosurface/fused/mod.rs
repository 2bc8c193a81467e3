//! The fused method: the same mesh as the staged method, from one bit per sample.
//!
//! | kernel | reads | writes |
//! | --- | --- | --- |
//! | [`threshold_bits`] | samples, mask | below, finite and unmasked bits |
//! | [`classify_edges`] | bits | active edges, occupied cells, counts per tile |
//! | [`count_subcases`] | samples of ambiguous cells | corrected counts per tile |
//! | exclusive scan | counts | offsets of each tile's vertices and triangles |
//! | [`emit_word_vertices`] | active edges, samples at their ends | positions |
//! | [`emit_subcases`] | samples of ambiguous cells | subcases |
//! | [`emit_inner_word_vertices`] | subcases, samples | positions, normals |
//! | [`emit_word_triangles`] | bits, active edges, occupied cells | vertex indices |
//! | [`emit_ambiguous_triangles`] | bits, active edges, subcases | vertex indices |
//!
//! [`emit_word_vertices_and_normals`] and [`emit_cubic_word_vertices`] replace
//! [`emit_word_vertices`] if normals or cubic interpolation are requested;
//! [`threshold_bits_vectorized`] replaces [`threshold_bits`] for rows of a multiple of four
//! samples, without mask and border.
//!
//! A word holds one bit for each of 32 neighbouring samples along x, and a row of samples consists
//! of whole words ([`WordLayout`]). Cells and edges are identified by their lowest corner, so a
//! word also stands for 32 cells and three times 32 edges; which of them the surface crosses
//! follows from exclusive ors of words. The samples are read once in full, and again at the ends of
//! active edges. A vertex number is the count before its tile, plus the count before its word
//! within the tile, plus the population count of the lower bits (`numbering`): no array of edge
//! flags or offsets is ever written.
//!
//! Ambiguous cells, whose triangles depend on the sample values under
//! [`Disambiguation::Trilinear`](super::topology::Disambiguation), are few. Tiles that contain any
//! are processed by separate kernels, which are not launched, or return early, if there are none.

mod active_bits;
mod ambiguous_triangles;
mod cells;
mod classify;
mod corner_bits;
mod layout;
mod numbering;
mod row_unit;
mod sample_filter;
mod subcases;
mod threshold;
mod tile_counts;
mod triangles;
mod vertices;

pub use ambiguous_triangles::emit_ambiguous_triangles;
pub use cells::MAX_AMBIGUOUS_BLOCK;
pub use classify::{MASKED_BY_LAST_CORNER, classify_edges};
pub use layout::{EXTRA_COUNTS, TILE_PARTS, TILE_WORDS, WordLayout};
pub use subcases::{count_subcases, emit_inner_word_vertices, emit_subcases};
pub use threshold::{threshold_bits, threshold_bits_vectorized};
pub use triangles::{VertexIndex, emit_word_triangles};
pub use vertices::{emit_cubic_word_vertices, emit_word_vertices, emit_word_vertices_and_normals};
