//! Surfaces between the labels of a volume: multi-label surface nets with shared walls (Gibson
//! 1998; Frisken 2022).
//!
//! A cell is the cube between eight neighbouring voxels. The volume is surrounded by one layer of
//! virtual voxels without a label. A cell whose corners have more than one label has a vertex. A
//! pair of neighbouring voxels with different labels has a quad between them, whose corners are the
//! vertices of the four cells around the pair.

mod classify;
mod net;
mod quads;
mod vertices;

pub use classify::classify_label_cells;
pub use net::{MASKS_PER_WORD, Net};
pub use quads::emit_label_quads;
pub use vertices::emit_label_vertices;
