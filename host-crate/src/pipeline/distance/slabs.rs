//! A map in pieces: by several devices, or in a limit of memory. Only a bit for each voxel is kept.

use super::{
    DistanceJob, DistanceOutcome, Run, plane::PlaneSamples, sites::Voxels, whole::widened,
};
use crate::{
    device::Device,
    distance::{DistanceError, DistanceParams, Method, NoSites, Slab, Slabs},
    grid::{Geometry, Mask, SampleType},
    io::{FileGroup, VolumeWriteOptions, VolumeWriter},
    partition::TooLittleMemory,
    pipeline::{PipelineError, add_picture},
};
use std::time::{Duration, Instant};

/// Makes the map of sites that are voxels, and writes it, slab by slab.
pub(super) fn run(mut run: Run<'_>, voxels: Voxels) -> Result<DistanceOutcome, PipelineError> {
    let job = run.job;
    job.devices.iter().for_each(Device::reset_peak_memory);
    let params = job.params(Method::Separable);
    check_memory(job, &voxels, &params).map_err(job.input.error())?;
    let points = voxels.points.as_ref().map(|(points, _)| points.len());
    let (sites, inside) = run.stages.run("sites", || {
        place(job, voxels).map_err(job.input.error::<DistanceError>())
    })?;
    let (dims, geometry) = (sites.dims(), *sites.geometry());
    let mut slabs = Slabs::new(&job.devices, &sites, &params).map_err(job.input.error())?;
    if let Some(inside) = &inside {
        slabs = slabs.with_sign(inside).map_err(job.input.error())?;
    }
    let mut taker = Taker::new(job, dims, &geometry)?;
    let counter = run.monitor.counter("map", slabs.count() as u64);
    run.stages.run("map", || {
        let made = slabs.for_each(|slab| {
            taker.take(&slab)?;
            Ok::<_, Stop>(counter.add(1).map_err(PipelineError::from)?)
        });
        made.map_err(|stop| match stop {
            Stop::Distance(error) => job.input.error()(error),
            Stop::Pipeline(error) => *error,
        })
    })?;
    let range = taker.range;
    let (writing, isoline_step) = taker.finish(job)?;
    run.stages.add("write", writing);
    Ok(DistanceOutcome {
        dims,
        geometry,
        sites: points.map_or_else(|| sites.count(), |points| points as u64),
        outside: 0,
        method: Method::Separable,
        exact: params.is_exact(&geometry),
        range,
        isoline_step,
        peak_bytes: job
            .devices
            .iter()
            .map(|device| device.memory_use().peak)
            .collect(),
        warnings: run.warnings,
        timings: run.stages.finish(),
    })
}

/// Why no more slabs are made.
enum Stop {
    /// A device failed.
    Distance(DistanceError),
    /// A file cannot be written, or the caller stops the work.
    Pipeline(Box<PipelineError>),
}

impl From<DistanceError> for Stop {
    fn from(error: DistanceError) -> Self {
        Self::Distance(error)
    }
}

impl From<PipelineError> for Stop {
    fn from(error: PipelineError) -> Self {
        Self::Pipeline(Box::new(error))
    }
}

/// Fails with the least that is enough for all that is to come.
fn check_memory(
    job: &DistanceJob,
    voxels: &Voxels,
    params: &DistanceParams,
) -> Result<(), DistanceError> {
    let (Some(limit), mask) = (job.memory, &voxels.mask) else {
        return Ok(());
    };
    let unlimited = DistanceParams {
        memory: None,
        no_sites: NoSites::Infinity,
        ..*params
    };
    let mut slabs = Slabs::new(&job.devices, mask, &unlimited)?;
    if job.signed {
        slabs = slabs.with_sign(mask)?;
    }
    let sites = match (voxels.is_inside, job.signed) {
        (true, _) => mask.surface_bytes(),
        (false, true) => mask.enclosed_bytes(),
        (false, false) => 0,
    };
    let least = slabs.min_memory().max(sites);
    if limit < least {
        Err(TooLittleMemory {
            needed: least,
            budget: limit,
        }
        .into())
    } else {
        Ok(())
    }
}

/// The sites, and what is inside if that is asked for.
fn place(job: &DistanceJob, voxels: Voxels) -> Result<(Mask, Option<Mask>), DistanceError> {
    let (mask, device) = (voxels.mask, &job.devices[0]);
    if voxels.is_inside {
        let surface = mask.surface(device)?;
        return Ok((surface, job.signed.then_some(mask)));
    }
    let inside = if job.signed {
        Some(mask.enclosed(device)?)
    } else {
        None
    };
    Ok((mask, inside))
}

/// What becomes of the slabs.
struct Taker {
    writer: Option<VolumeWriter>,
    writing: Duration,
    range: Option<[f32; 2]>,
    plane: Option<PlaneSamples>,
}

impl Taker {
    fn new(
        job: &DistanceJob,
        dims: [usize; 3],
        geometry: &Geometry,
    ) -> Result<Self, PipelineError> {
        let options = VolumeWriteOptions::default();
        let create = |path| VolumeWriter::create(path, dims, geometry, SampleType::F32, &options);
        let picture = job.picture.as_ref();
        Ok(Self {
            writer: job.output.as_ref().map(create).transpose()?,
            writing: Duration::ZERO,
            range: None,
            plane: picture.map(|picture| PlaneSamples::new(picture.plane, dims, geometry)),
        })
    }

    fn take(&mut self, slab: &Slab<'_>) -> Result<(), PipelineError> {
        self.range = widened(self.range, slab.distances);
        if let Some(plane) = &mut self.plane {
            plane.take(slab);
        }
        let start = Instant::now();
        if let Some(writer) = &mut self.writer {
            writer.append(slab.distances)?;
        }
        self.writing += start.elapsed();
        Ok(())
    }

    /// Writes what is left; how long writing took, and what lies between two isolines.
    fn finish(self, job: &DistanceJob) -> Result<(Duration, Option<f32>), PipelineError> {
        let drawn = match (&self.plane, &job.picture) {
            (Some(plane), Some(picture)) => Some(plane.draw(None, picture.longest_side)?),
            _ => None,
        };
        let start = Instant::now();
        let mut group = FileGroup::new();
        if let Some(writer) = self.writer {
            writer.finish_in(&mut group)?;
        }
        if let (Some(to), Some((picture, _))) = (&job.picture, &drawn) {
            add_picture(&mut group, &to.path, picture)?;
        }
        group.finish()?;
        let writing = self.writing + start.elapsed();
        Ok((writing, drawn.map(|(_, step)| step)))
    }
}
