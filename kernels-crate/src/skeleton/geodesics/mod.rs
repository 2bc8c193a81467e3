//! Shortest paths from a root voxel to all other voxels of an object.
//!
//! A step between 26-neighbours costs its length times the mean edge weight of its two ends. Edge
//! weights are low near the medial axis, so paths run along it (TEASAR, Sato et al. 2000). Path
//! costs are the unique fixed point at which each cost is the minimum over the neighbours of their
//! cost plus the step, so every order of updates yields the same bits. The kernels relax bricks of
//! voxels in shared memory and queue the neighbours of bricks that changed, a block-wise variant of
//! the fast iterative method (Jeong and Whitaker 2008).

mod brick;
mod edge_weights;
mod predecessors;
mod relax;
mod runs;

pub use brick::BRICK_VOXELS;
pub use edge_weights::{
    AxisLines, add_edge_weights_along_axis, edge_weights_along_x, finish_edge_weights,
    squared_distances_along_axis, squared_distances_along_x,
};
pub use predecessors::{find_predecessors, gather_costs};
pub use relax::{relax_bricks, seed_root};

/// Returns the cost of a path extended by one step: half of the step's length times the sum of the
/// edge weights at its ends, and at least the next larger number after `cost`.
///
/// The result is monotone in `cost` and strictly larger, so minimum costs are unique and shortest
/// paths have no cycles.
#[inline(always)]
pub fn extend_path_cost(cost: f64, half_length: f64, weight_sum: f64) -> f64 {
    let next = cost + half_length * weight_sum;
    if next > cost {
        next
    } else {
        // costs are non-negative, so the next bit pattern is the next larger number; after infinity
        // it is NaN, which is not less than any number
        f64::from_bits(cost.to_bits() + 1)
    }
}
