//! Cheapest ways from a voxel to all others of an object.
//!
//! A step between voxels that touch costs its length by the mean of the prices of its ends, and
//! prices are low in the middle of the object (as in TEASAR, Sato et al. 2000). The costs are the
//! only numbers of which each is the least of those of the voxels around plus the step: so any
//! order of updates ends with the same bits. Here bricks of voxels are brought up to date in shared
//! memory, and tell those beside them (a block-wise form of the fast iterative method of Jeong and
//! Whitaker 2008).

mod back;
mod brick;
mod distances;
mod relax;
mod steps;

pub use back::{chain_lengths, follow, list_costs, trace_back};
pub use brick::VOXELS;
pub use distances::{
    Columns, price_columns, price_rows, price_samples, squares_along, squares_along_x,
};
pub use relax::{begin_at_root, relax_bricks};

/// What a way costs that goes on from another by a step: half of the step's length by the sum of
/// the prices of its ends, but at least a bit more than the other.
///
/// It is monotone in the cost, and each voxel's is more than that of the one before it, so there is
/// one least cost, and ways have no cycle.
#[inline(always)]
pub fn cost_after(cost: f64, half: f64, prices: f64) -> f64 {
    let next = cost + half * prices;
    if next > cost {
        next
    } else {
        // costs are not negative; after infinity comes what is no number, and less than nothing
        f64::from_bits(cost.to_bits() + 1)
    }
}
