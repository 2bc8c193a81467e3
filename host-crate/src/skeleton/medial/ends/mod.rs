//! Ends of curves: protrusions of a component that are long compared with their width.
//!
//! A front that starts at an end of the object and visits the voxels by geodesic distance splits at
//! each protrusion. A merge tree of the superlevel sets of the distance records for each local
//! maximum, a *tip*, how far it protrudes beyond the saddle at which it meets a farther one: its
//! persistence (Edelsbrunner, Letscher and Zomorodian 2002). A tip is an end if its *significance*,
//! the protrusion less [`NOISE_VOXELS`](protrusion::NOISE_VOXELS) divided by the width of the front
//! along it, reaches a threshold. Corners of a box are no ends, because they are not local maxima
//! of the distance from an end.
//!
//! | module | contents |
//! | --- | --- |
//! | `input` | component that is searched |
//! | `graph` | graph that fronts run in, and that of all voxels |
//! | `block_graph` | graph of the connected parts of blocks, for large components |
//! | `block_nodes` | connected parts of blocks with their moments |
//! | `block_segments` | segments of rows within blocks, and the pairs that touch |
//! | `front` | geodesic distances from a node, in a small number of integer units |
//! | `merge_tree` | tips with their saddles and the sections of the front along them |
//! | `section_parts` | connected parts of these sections |
//! | `protrusion` | length, width and significance of tips |
//! | `region` | surroundings of tips in a block graph |
//! | `rule` | requirements on an end |
//! | `tip_list` | tips of all fronts, each of them once |
//! | `search` | selection of the ends from several fronts |
//! | `local_look` | another measurement of doubtful tips, from their base |

mod block_graph;
#[cfg(test)]
mod block_graph_tests;
mod block_nodes;
mod block_segments;
mod front;
mod graph;
mod input;
mod local_look;
mod merge_tree;
mod protrusion;
mod region;
mod rule;
mod search;
#[cfg(test)]
mod search_tests;
mod section_parts;
mod tip_list;

pub use input::EndSearchInput;
pub use protrusion::Tip;
pub use rule::EndRule;
pub use search::{Ends, find_ends};
