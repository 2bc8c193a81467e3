//! Units in which distances are computed.

use super::{DistanceParams, separable::integer_weights};
use crate::grid::{Geometry, Metric};
use ferrovox_kernels::distance::{metric::Scale, oblique::ObliqueMetric};

/// Returns the unit of length on a grid, and whether all voxel sizes are integers in it.
pub(super) fn distance_scale(geometry: &Geometry, params: &DistanceParams) -> (Scale, bool) {
    let spacing: [f64; 3] = geometry.spacing().into();
    let (unit, squared_factors) = integer_weights(spacing);
    let smallest = spacing.iter().copied().fold(f64::INFINITY, f64::min);
    // Without an integer unit, factors are relative to the smallest spacing, so that their squares
    // stay in the range of floats.
    let (factors, unit) = match squared_factors {
        Some(squared_factors) => (squared_factors.map(f64::sqrt), unit),
        None => (spacing.map(|s| s / smallest), smallest),
    };
    let scale = Scale {
        factors,
        unit,
        max_distance: params.max_distance.unwrap_or(f64::INFINITY),
    };
    (scale, squared_factors.is_some())
}

/// Returns the metric of a grid, including the off-diagonal elements of oblique axes. Axes that are
/// orthogonal up to rounding are treated as orthogonal.
pub(super) fn oblique_metric(geometry: &Geometry, params: &DistanceParams) -> ObliqueMetric {
    let (scale, _) = distance_scale(geometry, params);
    if geometry.shear().is_none() {
        let upper = [0.0; 3];
        return ObliqueMetric { scale, upper };
    }
    let (world_metric, unit) = Metric::exact(geometry);
    let matrix = world_metric.upper();
    ObliqueMetric {
        scale: Scale {
            factors: [matrix[0][0], matrix[1][1], matrix[2][2]],
            unit,
            max_distance: scale.max_distance,
        },
        upper: [matrix[0][1], matrix[0][2], matrix[1][2]],
    }
}
