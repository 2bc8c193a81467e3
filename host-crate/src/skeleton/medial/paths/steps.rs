//! Lengths and costs of steps between adjacent voxels.

use crate::{grid::Metric, skeleton::medial::voxels::neighbour_bits::OFFSETS};
use ferrovox_kernels::skeleton::geodesics::extend_path_cost;

/// Returns the cost of a path extended by a step of half length `half` between voxels with the
/// given edge weights.
#[inline(always)]
pub fn extended_cost(cost: f64, half: f64, from_weight: f32, to_weight: f32) -> f64 {
    extend_path_cost(cost, half, f64::from(from_weight) + f64::from(to_weight))
}

/// Returns the length of each step, in units of the smallest spacing.
pub fn step_lengths(metric: &Metric) -> [f64; 27] {
    OFFSETS.map(|step| metric.length(step.map(f64::from)))
}

/// Returns half of the length of each step.
pub fn half_step_lengths(metric: &Metric) -> [f64; 27] {
    step_lengths(metric).map(|length| 0.5 * length)
}
