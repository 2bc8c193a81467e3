//! In what unit distances are computed.

use super::{DistanceParams, separable::integer_weights};
use crate::grid::{Geometry, Metric};
use ferrovox_kernels::distance::{measure::Scale, sheared::Tilt};

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

/// The same, and what axes that are not at right angles add. Those that are, but for rounding, are
/// taken for right ones.
pub(super) fn tilt_of(geometry: &Geometry, params: &DistanceParams) -> Tilt {
    let (scale, _) = scale_of(geometry, params);
    if geometry.shear().is_none() {
        let above = [0.0; 3];
        return Tilt { scale, above };
    }
    let (metric, unit) = Metric::exact(geometry);
    let upper = metric.upper();
    Tilt {
        scale: Scale {
            factors: [upper[0][0], upper[1][1], upper[2][2]],
            unit,
            bound: scale.bound,
        },
        above: [upper[0][1], upper[0][2], upper[1][2]],
    }
}
