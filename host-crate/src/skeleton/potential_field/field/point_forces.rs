//! The force anywhere.

use super::{Sources, sources::world_metric};
use crate::{
    device::{Launch, Stream, over},
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, catch_out_of_memory, with_capacity_or_unwind},
    skeleton::SkeletonError,
};
use ferrovox_kernels::skeleton::field::{
    Exponent, POINT_COMPONENTS, PointSlices, THREADS_PER_POINT, forces_at_points as point_kernel,
    forces_at_points_in_world, reduce_point_slices,
};
use nalgebra::{Matrix3, Point3, Vector3};

/// The force at a point, with its derivatives, in the world with the smallest spacing as the unit
/// of length. Components are those of [`ForceField::forces`](super::ForceField::forces).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointForce {
    /// The force.
    pub force: Vector3<f64>,
    /// How it changes: symmetric, since the force is a gradient.
    pub jacobian: Matrix3<f64>,
    /// The sum of the magnitudes of all summands: a force of 10⁻¹⁵ of it is rounding.
    pub scale: f64,
}

/// Sources of a block at most: 32 rounds of 128 threads. Up to twice as many are not divided, since
/// adding slices up takes one more launch.
const SLICE: u64 = 4096;

/// Sums of slices that there is room for at a time: 32 MiB.
const MAX_SUMS: u64 = 1 << 22;

/// The force that points exert anywhere, in `f64`. Places are in voxels, as the points are; lengths
/// are those of the world that the points' geometry is the way to.
///
/// Work is proportional to the product of both counts. It takes 80 bytes for each point and 4096
/// sources, in rounds of points that fit in 32 MiB. Synchronises the stream.
///
/// # Errors
/// Errors of the device.
pub fn forces_at_points(
    stream: &Stream,
    sources: &Sources,
    points: &[Point3<f64>],
    exponent: f64,
) -> Result<Vec<PointForce>, SkeletonError> {
    catch_out_of_memory(|| forces_in_rounds(stream, sources, points, exponent))
}

fn forces_in_rounds(
    stream: &Stream,
    sources: &Sources,
    points: &[Point3<f64>],
    exponent: f64,
) -> Result<Vec<PointForce>, SkeletonError> {
    let flat: Vec<f64> = points
        .iter()
        .flat_map(|p| [p.x, p.y, p.z])
        .collect_or_unwind();
    let slices = match sources.len() as u64 {
        few if few <= 2 * SLICE => 1,
        many => many.div_ceil(SLICE),
    };
    let round = (MAX_SUMS / (POINT_COMPONENTS as u64 * slices)).max(1);
    let mut found = with_capacity_or_unwind(points.len());
    for flat in flat.chunks(3 * round as usize) {
        let results = numbers_at(stream, sources, flat, slices, exponent)?;
        found.extend_or_unwind(
            results
                .as_chunks::<POINT_COMPONENTS>()
                .0
                .iter()
                .map(force_of),
        );
    }
    Ok(found)
}

/// What is found for some points.
fn numbers_at(
    stream: &Stream,
    sources: &Sources,
    points: &[f64],
    slices: u64,
    exponent: f64,
) -> Result<Vec<f64>, SkeletonError> {
    let at = stream.upload(points)?;
    let slices = PointSlices {
        points: points.len() as u64 / 3,
        len: (sources.len() as u64).div_ceil(slices),
        count: slices,
    };
    let parts = slices.points * slices.count;
    let mut sums = stream.alloc::<f64>(POINT_COMPONENTS * parts as usize)?;
    let (metric, _) = Metric::snapped(sources.geometry());
    let launch = Launch::pieces(parts).block_divides(THREADS_PER_POINT);
    let exponent = Exponent::new(exponent);
    let (from, to) = (sources.points.coordinates.view(), at.view());
    // SAFETY: sources and points have three coordinates each, sources a weight each or none, and
    // there is room for what each slice adds for each point.
    unsafe {
        if metric.is_of_cubes() {
            let args = (from, to, slices, exponent, sums.view_mut());
            stream.launch::<point_kernel>(launch, args)?;
        } else {
            let world = world_metric(&metric);
            let weights = sources.weights.view();
            let args = (from, weights, to, slices, world, exponent, sums.view_mut());
            stream.launch::<forces_at_points_in_world>(launch, args)?;
        }
    }
    if slices.count == 1 {
        return Ok(stream.download(&sums)?);
    }
    let mut results = stream.alloc::<f64>(POINT_COMPONENTS * slices.points as usize)?;
    let (launch, items) = over(stream, results.len() as u64);
    // SAFETY: there are the sums of each slice of each point, and the items count the results.
    unsafe {
        let args = (sums.view(), slices, items, results.view_mut());
        stream.launch::<reduce_point_slices>(launch, args)?;
    }
    Ok(stream.download(&results)?)
}

fn force_of(&[x, y, z, xx, xy, xz, yy, yz, zz, scale]: &[f64; POINT_COMPONENTS]) -> PointForce {
    PointForce {
        force: Vector3::new(x, y, z),
        jacobian: Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
        scale,
    }
}
