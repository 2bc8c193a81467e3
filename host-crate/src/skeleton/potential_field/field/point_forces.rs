//! Forces and their derivatives at arbitrary points.

use super::{Sources, sources::world_metric};
use crate::{
    device::{Launch, Stream, items_launch},
    grid::Metric,
    memory::{CollectOrUnwind, ExtendOrUnwind, catch_out_of_memory, with_capacity_or_unwind},
    skeleton::SkeletonError,
};
use ferrovox_kernels::skeleton::field::{
    Exponent, POINT_COMPONENTS, PointSlices, THREADS_PER_POINT, forces_at_points as point_kernel,
    forces_at_points_in_world, reduce_point_slices,
};
use nalgebra::{Matrix3, Point3, Vector3};

/// Force at a point, with its derivatives, in world space with the smallest spacing as the unit of
/// length. Components are as in [`ForceField::forces`](super::ForceField::forces).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointForce {
    /// Force.
    pub force: Vector3<f64>,
    /// Jacobian of the force; symmetric, because the force is a gradient.
    pub jacobian: Matrix3<f64>,
    /// Sum of the magnitudes of all terms; forces of about 10⁻¹⁵ of it are rounding errors.
    pub scale: f64,
}

/// Maximum number of sources per slice: 32 iterations of 128 threads. Up to twice as many sources
/// remain a single slice, because adding slices takes another launch.
const SLICE_SOURCES: u64 = 4096;

/// Maximum number of slice sums in memory at a time (32 MiB).
const MAX_SUMS: u64 = 1 << 22;

/// Computes the forces and their derivatives at arbitrary points, in `f64`. Positions are in voxel
/// coordinates, lengths in world units of the sources' geometry.
///
/// Takes time proportional to the number of points times the number of sources, and 80 bytes per
/// point and 4096 sources, in batches of points that fit in 32 MiB. Synchronises the stream.
///
/// # Errors
/// Errors of the device.
pub fn forces_at_points(
    stream: &Stream,
    sources: &Sources,
    points: &[Point3<f64>],
    exponent: f64,
) -> Result<Vec<PointForce>, SkeletonError> {
    catch_out_of_memory("forces at points", || {
        forces_in_batches(stream, sources, points, exponent)
    })
}

fn forces_in_batches(
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
        count if count <= 2 * SLICE_SOURCES => 1,
        count => count.div_ceil(SLICE_SOURCES),
    };
    let batch = (MAX_SUMS / (POINT_COMPONENTS as u64 * slices)).max(1);
    let mut point_forces = with_capacity_or_unwind(points.len());
    for flat in flat.chunks(3 * batch as usize) {
        let results = components_at(stream, sources, flat, slices, exponent)?;
        point_forces.extend_or_unwind(
            results
                .as_chunks::<POINT_COMPONENTS>()
                .0
                .iter()
                .map(point_force),
        );
    }
    Ok(point_forces)
}

/// Computes the components of the forces at a batch of points.
fn components_at(
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
    let pairs = slices.points * slices.count;
    let mut sums = stream.alloc::<f64>(POINT_COMPONENTS * pairs as usize)?;
    let (metric, _) = Metric::snapped(sources.geometry());
    let launch = Launch::pieces(pairs).block_divides(THREADS_PER_POINT);
    let exponent = Exponent::new(exponent);
    let (source_coords, point_coords) = (sources.points.coordinates.view(), at.view());
    // SAFETY: sources and points have three coordinates each, there is one weight per source or
    // none at all, and `sums` holds the components of each slice of each point.
    unsafe {
        if metric.is_cubic() {
            let args = (
                source_coords,
                point_coords,
                slices,
                exponent,
                sums.view_mut(),
            );
            stream.launch::<point_kernel>(launch, args)?;
        } else {
            let world = world_metric(&metric);
            let weights = sources.weights.view();
            let args = (
                source_coords,
                weights,
                point_coords,
                slices,
                world,
                exponent,
                sums.view_mut(),
            );
            stream.launch::<forces_at_points_in_world>(launch, args)?;
        }
    }
    if slices.count == 1 {
        return Ok(stream.download(&sums)?);
    }
    let mut results = stream.alloc::<f64>(POINT_COMPONENTS * slices.points as usize)?;
    let (launch, items) = items_launch(stream, results.len() as u64);
    // SAFETY: the sums hold each slice of each point, and there is one item per result.
    unsafe {
        let args = (sums.view(), slices, items, results.view_mut());
        stream.launch::<reduce_point_slices>(launch, args)?;
    }
    Ok(stream.download(&results)?)
}

fn point_force(&[x, y, z, xx, xy, xz, yy, yz, zz, scale]: &[f64; POINT_COMPONENTS]) -> PointForce {
    PointForce {
        force: Vector3::new(x, y, z),
        jacobian: Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
        scale,
    }
}
