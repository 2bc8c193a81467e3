//! Surfaces between the labels of a volume: surface nets of several labels that share their walls,
//! after Gibson (1998) and Frisken (2022).
//!
//! A cell is the cube between eight neighbouring voxels; around the volume there is one layer of
//! voxels without a label, which are not stored. A cell whose corners have more than one label has
//! a vertex. A pair of neighbouring voxels with two labels has a quad between them, whose corners
//! are the vertices of the four cells around the pair.

mod mark;
mod net;
mod quads;
mod vertices;

pub use mark::mark_label_cells;
pub use net::{MARKS, Net};
pub use quads::emit_label_quads;
pub use vertices::emit_label_vertices;
