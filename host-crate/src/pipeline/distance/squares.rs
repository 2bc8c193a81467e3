//! Squared distances as whole numbers, without any loss.

use super::{
    DistanceInputError, DistanceJob, DistanceJobError, MapSamples, Run, device_sites::DeviceSites,
    nearest::NearestSites,
};
use crate::{
    device::Stream,
    distance::{DistanceError, DistanceParams, Method, SquaredMap, SquaredValue},
    grid::{AnyVolume, Geometry, Volume, VolumeError},
    memory,
    pipeline::PipelineError,
};

/// What memory is for that holds squares.
const SQUARES: &str = "squared distances";

/// Below this square the square of a distance in f32 is less than ½ off: a distance is off by 2⁻²⁴
/// of itself at most, its square by 2⁻²³ of itself.
const EXACT_IN_F32: u64 = 1 << 22;

/// Fails if squared distances are not whole numbers.
pub(super) fn check(job: &DistanceJob, geometry: &Geometry) -> Result<(), PipelineError> {
    if let Some(shear) = geometry.shear() {
        return Err(job.input.error()(DistanceError::SquaredOblique { shear }));
    }
    let spacing: [f64; 3] = geometry.spacing().into();
    if spacing.iter().any(|step| step.fract() != 0.0) {
        return Err(job.input.error()(DistanceInputError::SquaresNotWhole {
            spacing,
        }));
    }
    match job.max_distance {
        Some(bound) if (bound * bound).fract() != 0.0 => {
            Err(DistanceJobError::BoundSquare { bound }.into())
        }
        _ => Ok(()),
    }
}

/// Whether the device computes the squares; else they are computed from distances and sites.
pub(super) fn by_the_device(params: &DistanceParams) -> bool {
    params.method == Method::Separable && !params.nearest
}

/// Whether squares are computed from distances, some of which may be too large for that.
pub(super) fn need_nearest(params: &DistanceParams, dims: [usize; 3], geometry: &Geometry) -> bool {
    let spacing = geometry.spacing();
    let side = |k: usize| dims[k] as f64 * spacing[k];
    let square: f64 = (0..3).map(|k| side(k) * side(k)).sum();
    !by_the_device(params) && square >= EXACT_IN_F32 as f64
}

/// Squared distances that a device has made, on the host.
pub(super) struct Squares {
    values: Values,
    /// What 1 stands for, squared.
    unit: f64,
}

enum Values {
    U16(Vec<u16>),
    U32(Vec<u32>),
}

impl Squares {
    /// Makes them.
    pub fn make(
        run: &mut Run<'_>,
        stream: &Stream,
        sites: &DeviceSites,
        params: &DistanceParams,
        geometry: &Geometry,
    ) -> Result<Self, PipelineError> {
        // what fits in such units need not fit in others
        let is_unit = geometry.spacing().iter().all(|&step| step == 1.0);
        match run.job.samples {
            MapSamples::U16 if is_unit => Self::of(run, stream, sites, params, Values::U16),
            _ => Self::of(run, stream, sites, params, Values::U32),
        }
    }

    fn of<S: SquaredValue>(
        run: &mut Run<'_>,
        stream: &Stream,
        sites: &DeviceSites,
        params: &DistanceParams,
        values: fn(Vec<S>) -> Values,
    ) -> Result<Self, PipelineError> {
        let job = run.job;
        let map: SquaredMap<S> = run.stages.run("map", || {
            let map = sites.squared_map(stream, params);
            map.map_err(|error| match error {
                DistanceError::SquaredTooLarge { largest, unit, .. } => {
                    too_large(job, (largest as f64 * unit * unit) as u64)
                }
                error => job.input.error()(error),
            })
        })?;
        let squares = run.stages.run("download", || {
            let squares = map.download(stream).map_err(DistanceError::from);
            squares.map_err(job.input.error())
        })?;
        Ok(Self {
            values: values(squares),
            unit: map.unit(),
        })
    }

    fn len(&self) -> usize {
        match &self.values {
            Values::U16(values) => values.len(),
            Values::U32(values) => values.len(),
        }
    }

    /// In units.
    fn at(&self, index: usize) -> u64 {
        match &self.values {
            Values::U16(values) => values[index].into(),
            Values::U32(values) => values[index].into(),
        }
    }

    /// Their roots.
    pub fn distances(
        &self,
        bound: Option<f64>,
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Volume<f32>, VolumeError> {
        // beyond the bound they may be rounded up
        let bound = bound.unwrap_or(f64::INFINITY);
        let root = |index| (self.unit * (self.at(index) as f64).sqrt()).min(bound) as f32;
        let distances = memory::try_collect("distances", (0..self.len()).map(root))?;
        Volume::new(distances, dims, geometry)
    }
}

/// The squares as a volume, and whether it is to be stored without a sign: those that the device
/// made, or else those of the distances and the nearest sites.
pub(super) fn volume(
    job: &DistanceJob,
    distances: &Volume<f32>,
    squares: Option<&Squares>,
    nearest: Option<&NearestSites>,
) -> Result<(AnyVolume, bool), PipelineError> {
    let (dims, geometry) = (distances.dims(), *distances.geometry());
    match squares {
        Some(squares) => {
            let of_unit = (squares.unit * squares.unit) as u64;
            // beyond the bound they may be rounded up
            let bound = job
                .max_distance
                .map_or(u64::MAX, |bound| (bound * bound) as u64);
            let square = |index| (squares.at(index) * of_unit).min(bound);
            narrowed(job, dims, geometry, square)
        }
        None => narrowed(job, dims, geometry, |index| {
            square(distances, nearest, index)
        }),
    }
}

fn narrowed(
    job: &DistanceJob,
    dims: [usize; 3],
    geometry: Geometry,
    square: impl Fn(usize) -> u64,
) -> Result<(AnyVolume, bool), PipelineError> {
    let voxels = 0..dims.iter().product();
    let largest = voxels.clone().map(&square).max().unwrap_or(0);
    if largest > most(job.samples) {
        return Err(too_large(job, largest));
    }
    let volume: Result<AnyVolume, VolumeError> = match job.samples {
        MapSamples::U16 => {
            let narrow = memory::try_collect(SQUARES, voxels.map(|index| square(index) as u16));
            let volume = narrow.map(|narrow| Volume::<u16>::new(narrow, dims, geometry));
            volume.map_err(VolumeError::from).flatten().map(Into::into)
        }
        _ => {
            let wide = memory::try_collect(SQUARES, voxels.map(|index| square(index) as i32));
            let volume = wide.map(|wide| Volume::<i32>::new(wide, dims, geometry));
            volume.map_err(VolumeError::from).flatten().map(Into::into)
        }
    };
    let volume = volume.map_err(job.input.error())?;
    Ok((volume, job.samples != MapSamples::U16))
}

/// The largest square that can be written.
fn most(samples: MapSamples) -> u64 {
    match samples {
        MapSamples::U16 => u16::MAX.into(),
        // volumes have no u32
        _ => i32::MAX as u64,
    }
}

fn too_large(job: &DistanceJob, largest: u64) -> PipelineError {
    let samples = job.samples;
    job.input.error()(DistanceInputError::SquareTooLarge {
        largest,
        samples,
        most: most(samples),
    })
}

fn square(distances: &Volume<f32>, nearest: Option<&NearestSites>, index: usize) -> u64 {
    let distance = f64::from(distances.samples()[index]);
    let rounded = (distance * distance).round() as u64;
    match nearest.and_then(|nearest| nearest.at(index)) {
        Some(site) if rounded >= EXACT_IN_F32 => {
            let dims = distances.dims();
            let (from, to) = (place(index as u64, dims), place(site, dims));
            let spacing = distances.geometry().spacing();
            let along = |k: usize| from[k].abs_diff(to[k]) * spacing[k] as u64;
            (0..3).map(|k| along(k) * along(k)).sum()
        }
        _ => rounded,
    }
}

fn place(index: u64, dims: [usize; 3]) -> [u64; 3] {
    let [nx, ny] = [dims[0] as u64, dims[1] as u64];
    [index % nx, index / nx % ny, index / nx / ny]
}
