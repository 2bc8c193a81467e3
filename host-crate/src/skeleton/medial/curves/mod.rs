//! Curves of one component: from voxel paths to a centred graph.

pub mod centring;
pub mod coverage;
pub mod endpoints;
pub mod intermediate_graph;
pub mod intersections;
pub mod newton_step;
pub mod repair;
pub mod resample;
pub mod self_overlap;
pub mod shared_stems;
pub mod shorten;
pub mod surface_blocks;
pub mod surface_force;
pub mod taut_lines;
pub mod trace;
pub mod uncovered_queue;
pub mod voxel_links;
