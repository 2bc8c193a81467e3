//! Squared distances as exact integers.

use super::{
    DistanceInputError, DistanceJob, DistanceJobError, MapSamples, Run, device_sites::DeviceSites,
    nearest_sites::NearestSites,
};
use crate::{
    device::Stream,
    distance::{DistanceError, DistanceParams, Method, SquaredMap, SquaredValue},
    grid::{AnyVolume, Geometry, Volume, VolumeError},
    memory,
    pipeline::PipelineError,
};

/// The purpose named by out-of-memory errors.
const MEMORY_PURPOSE: &str = "squared distances";

/// Smallest squared distance that cannot be recovered from an f32 distance by rounding. The
/// relative error of the distance is at most 2⁻²⁴ and that of its square 2⁻²³, so smaller squares
/// are off by less than ½.
const MIN_INEXACT_SQUARED: u64 = 1 << 22;

/// Fails if squared distances are not integers.
pub(super) fn check(job: &DistanceJob, geometry: &Geometry) -> Result<(), PipelineError> {
    if let Some(shear) = geometry.shear() {
        return Err(job.input.error()(DistanceError::SquaredOblique { shear }));
    }
    let spacing: [f64; 3] = geometry.spacing().into();
    if spacing.iter().any(|spacing| spacing.fract() != 0.0) {
        return Err(job.input.error()(DistanceInputError::NonIntegerSquares {
            spacing,
        }));
    }
    match job.max_distance {
        Some(max_distance) if (max_distance * max_distance).fract() != 0.0 => {
            Err(DistanceJobError::NonIntegerSquaredLimit { max_distance }.into())
        }
        _ => Ok(()),
    }
}

/// Returns `true` if the device computes squared distances directly; otherwise they are computed
/// from distances and nearest sites.
pub(super) fn is_computed_on_device(params: &DistanceParams) -> bool {
    params.method == Method::Separable && !params.nearest
}

/// Returns `true` if squared distances must be computed from nearest sites: the device does not
/// compute them, and some may be too large to be recovered from f32 distances.
pub(super) fn requires_nearest(
    params: &DistanceParams,
    dims: [usize; 3],
    geometry: &Geometry,
) -> bool {
    let spacing = geometry.spacing();
    let extent = |k: usize| dims[k] as f64 * spacing[k];
    let squared: f64 = (0..3).map(|k| extent(k) * extent(k)).sum();
    !is_computed_on_device(params) && squared >= MIN_INEXACT_SQUARED as f64
}

/// Squared distances computed by a device, on the host.
pub(super) struct HostSquaredMap {
    values: SquaredValues,
    /// The unit of distance: a value of 1 is the squared distance `unit²`.
    unit: f64,
}

enum SquaredValues {
    U16(Vec<u16>),
    U32(Vec<u32>),
}

impl HostSquaredMap {
    /// Computes the map on the device and copies it to the host.
    pub fn compute(
        run: &mut Run<'_>,
        stream: &Stream,
        sites: &DeviceSites,
        params: &DistanceParams,
        geometry: &Geometry,
    ) -> Result<Self, PipelineError> {
        // A value that fits in u16 in one unit need not fit in another.
        let is_unit = geometry.spacing().iter().all(|&spacing| spacing == 1.0);
        match run.job.samples {
            MapSamples::U16 if is_unit => {
                Self::compute_as(run, stream, sites, params, SquaredValues::U16)
            }
            _ => Self::compute_as(run, stream, sites, params, SquaredValues::U32),
        }
    }

    fn compute_as<S: SquaredValue>(
        run: &mut Run<'_>,
        stream: &Stream,
        sites: &DeviceSites,
        params: &DistanceParams,
        values: fn(Vec<S>) -> SquaredValues,
    ) -> Result<Self, PipelineError> {
        let job = run.job;
        let map: SquaredMap<S> = run.stages.run("map", || {
            let result = sites.squared_map(stream, params);
            result.map_err(|error| match error {
                DistanceError::SquaredTooLarge { largest, unit, .. } => {
                    squared_too_large_error(job, (largest as f64 * unit * unit) as u64)
                }
                error => job.input.error()(error),
            })
        })?;
        let downloaded = run.stages.run("download", || {
            let result = map.download(stream).map_err(DistanceError::from);
            result.map_err(job.input.error())
        })?;
        Ok(Self {
            values: values(downloaded),
            unit: map.unit(),
        })
    }

    fn len(&self) -> usize {
        match &self.values {
            SquaredValues::U16(values) => values.len(),
            SquaredValues::U32(values) => values.len(),
        }
    }

    /// Returns the squared distance of a voxel, in squared units.
    fn get(&self, index: usize) -> u64 {
        match &self.values {
            SquaredValues::U16(values) => values[index].into(),
            SquaredValues::U32(values) => values[index].into(),
        }
    }

    /// Converts to distances, truncated at `max_distance`.
    pub fn to_distances(
        &self,
        max_distance: Option<f64>,
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Volume<f32>, VolumeError> {
        // Values above the maximum may be rounded up.
        let max_distance = max_distance.unwrap_or(f64::INFINITY);
        let root = |index| (self.unit * (self.get(index) as f64).sqrt()).min(max_distance) as f32;
        let distances = memory::try_collect("distances", (0..self.len()).map(root))?;
        Volume::new(distances, dims, geometry)
    }
}

/// Converts to a volume of integers, and returns `true` with it if it is to be stored as unsigned.
/// The values are the squared distances computed by the device, if any; otherwise they are computed
/// from distances and nearest sites.
pub(super) fn to_volume(
    job: &DistanceJob,
    distances: &Volume<f32>,
    map: Option<&HostSquaredMap>,
    nearest: Option<&NearestSites>,
) -> Result<(AnyVolume, bool), PipelineError> {
    let (dims, geometry) = (distances.dims(), *distances.geometry());
    match map {
        Some(map) => {
            let squared_unit = (map.unit * map.unit) as u64;
            // Values above the maximum may be rounded up.
            let max_squared = job.max_distance.map_or(u64::MAX, |max_distance| {
                (max_distance * max_distance) as u64
            });
            let squared = |index| (map.get(index) * squared_unit).min(max_squared);
            to_integer_volume(job, dims, geometry, squared)
        }
        None => to_integer_volume(job, dims, geometry, |index| {
            squared(distances, nearest, index)
        }),
    }
}

fn to_integer_volume(
    job: &DistanceJob,
    dims: [usize; 3],
    geometry: Geometry,
    squared: impl Fn(usize) -> u64,
) -> Result<(AnyVolume, bool), PipelineError> {
    let voxels = 0..dims.iter().product();
    let largest = voxels.clone().map(&squared).max().unwrap_or(0);
    if largest > max_value(job.samples) {
        return Err(squared_too_large_error(job, largest));
    }
    let volume: Result<AnyVolume, VolumeError> = match job.samples {
        MapSamples::U16 => {
            let values =
                memory::try_collect(MEMORY_PURPOSE, voxels.map(|index| squared(index) as u16));
            let volume = values.map(|values| Volume::<u16>::new(values, dims, geometry));
            volume.map_err(VolumeError::from).flatten().map(Into::into)
        }
        _ => {
            let values =
                memory::try_collect(MEMORY_PURPOSE, voxels.map(|index| squared(index) as i32));
            let volume = values.map(|values| Volume::<i32>::new(values, dims, geometry));
            volume.map_err(VolumeError::from).flatten().map(Into::into)
        }
    };
    let volume = volume.map_err(job.input.error())?;
    Ok((volume, job.samples != MapSamples::U16))
}

/// Returns the largest squared distance that can be written.
fn max_value(samples: MapSamples) -> u64 {
    match samples {
        MapSamples::U16 => u16::MAX.into(),
        // In memory, u32 samples are stored as i32.
        _ => i32::MAX as u64,
    }
}

fn squared_too_large_error(job: &DistanceJob, largest: u64) -> PipelineError {
    let samples = job.samples;
    job.input.error()(DistanceInputError::SquaredDistanceTooLarge {
        largest,
        samples,
        max: max_value(samples),
    })
}

fn squared(distances: &Volume<f32>, nearest: Option<&NearestSites>, index: usize) -> u64 {
    let distance = f64::from(distances.samples()[index]);
    let rounded = (distance * distance).round() as u64;
    match nearest.and_then(|nearest| nearest.get(index)) {
        Some(site) if rounded >= MIN_INEXACT_SQUARED => {
            let dims = distances.dims();
            let (from, to) = (
                voxel_position(index as u64, dims),
                voxel_position(site, dims),
            );
            let spacing = distances.geometry().spacing();
            let difference = |k: usize| from[k].abs_diff(to[k]) * spacing[k] as u64;
            (0..3).map(|k| difference(k) * difference(k)).sum()
        }
        _ => rounded,
    }
}

fn voxel_position(index: u64, dims: [usize; 3]) -> [u64; 3] {
    let [nx, ny] = [dims[0] as u64, dims[1] as u64];
    [index % nx, index / nx % ny, index / nx / ny]
}
