//! Cheapest ways from a voxel to all others of an object.
//!
//! A step between voxels that touch costs its length by the mean of the prices of its ends, and prices are low in the middle of the object (as in TEASAR, Sato et al.
//! 2000). The costs are the only numbers of which each is the least of those of the voxels around plus the step: so any order of
//! updates ends with the same bits. Here bricks of voxels are brought up to date in shared memory, and tell those beside them (a block-wise form of the
//! fast iterative method of Jeong and Whitaker 2008).

mod back;
mod distances;
mod relax;
mod steps;

pub use back::{chain_lengths, follow, list_costs, trace_back};
pub use distances::{
    Columns, price_columns, price_rows, price_samples, squares_along, squares_along_x,
};
pub use relax::{BRICK, VOXELS, begin_at_root, relax_bricks};
