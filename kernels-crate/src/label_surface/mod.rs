//! Surfaces between the labels of a volume: closed and manifold multi-label surface nets with
//! shared walls (after Gibson 1998 and Frisken 2022).
//!
//! A cell is the cube between eight neighbouring voxels. The volume is surrounded by one layer of
//! virtual voxels without a label. A cell whose corners have more than one label has a vertex for
//! each component of the boundaries in it, most often one. A pair of neighbouring voxels with
//! different labels has a quad between them, whose corners are vertices of the four cells around
//! the pair: one for both labels or, if their vertices differ, one for each.
//!
//! | module | contents |
//! | --- | --- |
//! | [`cell`] | the face rule: arcs of label boundaries on the faces of a cell |
//! | [`simple`], [`sheets`] | vertices of a cell, and the arcs that they represent |
//! | `classify`, `ambiguous` | kernels that find vertices, and points on faces |
//! | `vertices`, `quads`, `triangles` | kernels that emit the mesh |
//! | `incidence`, `relax`, `pressure` | kernels that smooth it |
//! | [`fairing`] | kernels that continue the smoothing of the finished walls |

mod ambiguous;
pub mod cell;
mod classify;
pub mod fairing;
mod frame;
mod incidence;
mod net;
mod pressure;
mod quads;
mod relax;
pub mod sheets;
pub mod simple;
mod triangles;
mod vertices;

pub use ambiguous::{
    assign_label_vertices, emit_face_points, find_face_points, list_ambiguous_cells,
};
pub use classify::classify_label_cells;
pub use incidence::{count_incident_quads, list_incident_quads, list_relaxation_neighbours};
pub use net::{MASKS_PER_WORD, Net};
pub use pressure::{
    QUADS_PER_RUN, apply_label_pressures, compute_label_pressures, measure_label_quads,
};
pub use quads::{count_label_quads, emit_label_quads, move_key};
pub use relax::{MARGIN, MAX_SHIFT, relax_label_vertices};
pub use triangles::{divide_label_quads, emit_label_triangles};
pub use vertices::{emit_label_vertices, place_label_vertices};
