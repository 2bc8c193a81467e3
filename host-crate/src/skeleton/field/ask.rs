//! The force anywhere.

use crate::{
    device::{Launch, Stream},
    distance::SitePoints,
    skeleton::SkeletonError,
};
use ferrovox_kernels::{
    rows::Items,
    skeleton::field::{Exponent, OF_POINT, THREADS, forces_at as forces_at_points},
};
use nalgebra::{Matrix3, Point3, Vector3};

/// The force at a point, with its derivatives; lengths are in voxels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointForce {
    /// The force.
    pub force: Vector3<f64>,
    /// How it changes: symmetric, since the force is a gradient.
    pub jacobian: Matrix3<f64>,
    /// The sum of the magnitudes of what is added up: what is 10⁻¹⁵ of that is as good as 0.
    pub scale: f64,
}

/// The force that points exert anywhere, in `f64`.
///
/// Work is proportional to the product of both counts. Waits for the result.
///
/// # Errors
/// Those of the device.
pub fn forces_at(
    stream: &Stream,
    sources: &SitePoints,
    points: &[Point3<f64>],
    exponent: f64,
) -> Result<Vec<PointForce>, SkeletonError> {
    let flat: Vec<f64> = points.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
    let at = stream.upload(&flat)?;
    let mut results = stream.alloc::<f64>(OF_POINT * points.len())?;
    let items = Items {
        count: points.len() as u64,
        piece: 1,
    };
    let launch = Launch::pieces(items.count).in_rounds_of(THREADS);
    // SAFETY: sources and points have three coordinates each, and there is room for what is found for each point.
    unsafe {
        let args = (
            sources.coordinates.view(),
            at.view(),
            items,
            Exponent::new(exponent),
            results.view_mut(),
        );
        stream.launch::<forces_at_points>(launch, args)?;
    }
    let results = stream.download(&results)?;
    let (found, _) = results.as_chunks::<OF_POINT>();
    let force = |&[x, y, z, xx, xy, xz, yy, yz, zz, scale]: &[f64; OF_POINT]| PointForce {
        force: Vector3::new(x, y, z),
        jacobian: Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
        scale,
    };
    Ok(found.iter().map(force).collect())
}
