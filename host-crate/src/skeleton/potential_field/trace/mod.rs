//! Tracing of curves along the force field.

mod bridges;
mod flow;
mod force_mask;
mod growing_skeleton;
mod point_grid;
mod streamlines;

pub(super) use bridges::{Seed, find_bridges};
pub(super) use force_mask::ForceMask;
pub(super) use growing_skeleton::{GrowingSkeleton, REACH_DISTANCE};
pub(super) use streamlines::trace_streamlines;
