//! In what unit distances are computed.

use super::{DistanceParams, separable::integer_weights};
use crate::grid::Geometry;
use ferrovox_kernels::distance::measure::Scale;

/// The unit of lengths on a grid, and whether all voxels are integers long in it.
pub(super) fn scale_of(geometry: &Geometry, params: &DistanceParams) -> (Scale, bool) {
    let spacing: [f64; 3] = geometry.spacing().into();
    let (unit, squares) = integer_weights(spacing);
    let least = spacing.iter().copied().fold(f64::INFINITY, f64::min);
    // ratios to the shortest, so that no square leaves the range of a float
    let (factors, unit) = match squares {
        Some(squares) => (squares.map(f64::sqrt), unit),
        None => (spacing.map(|s| s / least), least),
    };
    let scale = Scale {
        factors,
        unit,
        bound: params.max_distance.unwrap_or(f64::INFINITY),
    };
    (scale, squares.is_some())
}
