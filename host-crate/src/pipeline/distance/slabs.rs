//! A distance map slab by slab: on several devices, or within limited memory. The host keeps one
//! bit per voxel.

use super::{
    DistanceJob, DistanceOutcome, Run, in_core::extend_range, plane::PlaneSamples,
    sites::VoxelSites,
};
use crate::{
    device::Device,
    distance::{DistanceError, DistanceParams, Method, NoSites, SignConvention, Slab, Slabs},
    grid::{Geometry, Mask, SampleType},
    io::{FileGroup, VolumeWriteOptions, VolumeWriter},
    partition::TooLittleMemory,
    pipeline::{PipelineError, add_picture},
};
use std::time::{Duration, Instant};

/// Computes and writes the map of voxel sites slab by slab.
pub(super) fn run(mut run: Run<'_>, voxels: VoxelSites) -> Result<DistanceOutcome, PipelineError> {
    let job = run.job;
    job.devices.iter().for_each(Device::reset_peak_memory);
    let params = job.params(Method::Separable);
    check_memory(job, &voxels, &params).map_err(job.input.error())?;
    let points = voxels.points.as_ref().map(Vec::len);
    let (sites, sign) = run.stages.run("sites", || {
        site_masks(job, voxels).map_err(job.input.error::<DistanceError>())
    })?;
    let (dims, geometry) = (sites.dims(), *sites.geometry());
    let mut slabs = Slabs::new(&job.devices, &sites, &params).map_err(job.input.error())?;
    slabs = match &sign {
        SlabSign::Unsigned => slabs,
        SlabSign::Negated(inside) => slabs.with_sign(inside).map_err(job.input.error())?,
        SlabSign::Opposite(outside) => slabs.with_opposite(outside).map_err(job.input.error())?,
    };
    let mut consumer = SlabConsumer::new(job, dims, &geometry)?;
    let counter = run.monitor.counter("map", slabs.count() as u64);
    run.stages.run("map", || {
        let result = slabs.for_each(|slab| {
            consumer.consume(&slab)?;
            Ok::<_, SlabError>(counter.add(1).map_err(PipelineError::from)?)
        });
        result.map_err(|error| match error {
            SlabError::Distance(error) => job.input.error()(error),
            SlabError::Pipeline(error) => *error,
        })
    })?;
    let range = consumer.range;
    let (write_time, isoline_step) = consumer.finish(job)?;
    run.stages.add("write", write_time);
    Ok(DistanceOutcome {
        dims,
        geometry,
        iso: run.iso,
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

/// The error that ends the computation of slabs.
enum SlabError {
    /// A device failed.
    Distance(DistanceError),
    /// Writing a file failed, or the caller cancelled the run.
    Pipeline(Box<PipelineError>),
}

impl From<DistanceError> for SlabError {
    fn from(error: DistanceError) -> Self {
        Self::Distance(error)
    }
}

impl From<PipelineError> for SlabError {
    fn from(error: PipelineError) -> Self {
        Self::Pipeline(Box::new(error))
    }
}

/// Fails if the memory limit is below the minimum of all stages.
fn check_memory(
    job: &DistanceJob,
    voxels: &VoxelSites,
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
    slabs = match job.sign() {
        None => slabs,
        Some(SignConvention::Opposite) => slabs.with_opposite(mask)?,
        Some(SignConvention::Surface | SignConvention::Enclosed) => slabs.with_sign(mask)?,
    };
    let sites = match job.sign() {
        None if !voxels.is_inside => 0,
        None | Some(SignConvention::Opposite | SignConvention::Surface) => mask.surface_bytes(),
        Some(SignConvention::Enclosed) => mask.enclosed_bytes(),
    };
    let min_memory = slabs.min_memory().max(sites);
    if limit < min_memory {
        Err(TooLittleMemory {
            needed: min_memory,
            budget: limit,
        }
        .into())
    } else {
        Ok(())
    }
}

/// Masks that determine the signs of distances.
enum SlabSign {
    Unsigned,
    /// Voxels whose distances are negated.
    Negated(Mask),
    /// Voxels that are not sites. Each site gets the negated distance to the nearest of them.
    Opposite(Mask),
}

/// Returns the mask of the sites, and the masks of the signs.
fn site_masks(job: &DistanceJob, voxels: VoxelSites) -> Result<(Mask, SlabSign), DistanceError> {
    let (mask, device) = (voxels.mask, &job.devices[0]);
    Ok(match job.sign() {
        None if voxels.is_inside => (mask.surface(device)?, SlabSign::Unsigned),
        None => (mask, SlabSign::Unsigned),
        Some(SignConvention::Surface) => (mask.surface(device)?, SlabSign::Negated(mask)),
        Some(SignConvention::Enclosed) => {
            let enclosed = mask.enclosed(device)?;
            (mask, SlabSign::Negated(enclosed))
        }
        Some(SignConvention::Opposite) => {
            let outside = mask.complement(device)?;
            (mask, SlabSign::Opposite(outside))
        }
    })
}

/// Writes finished slabs, and gathers the range and the plane to draw.
struct SlabConsumer {
    writer: Option<VolumeWriter>,
    write_time: Duration,
    range: Option<[f32; 2]>,
    plane: Option<PlaneSamples>,
}

impl SlabConsumer {
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
            write_time: Duration::ZERO,
            range: None,
            plane: picture.map(|picture| PlaneSamples::new(picture.plane, dims, geometry)),
        })
    }

    fn consume(&mut self, slab: &Slab<'_>) -> Result<(), PipelineError> {
        self.range = extend_range(self.range, slab.distances);
        if let Some(plane) = &mut self.plane {
            plane.append_slab(slab);
        }
        let start = Instant::now();
        if let Some(writer) = &mut self.writer {
            writer.append(slab.distances)?;
        }
        self.write_time += start.elapsed();
        Ok(())
    }

    /// Writes the remaining outputs. Returns the time spent on writing and the distance between
    /// adjacent isolines.
    fn finish(self, job: &DistanceJob) -> Result<(Duration, Option<f32>), PipelineError> {
        let picture = match (&self.plane, &job.picture) {
            (Some(plane), Some(picture)) => Some(plane.draw(None, picture.longest_side)?),
            _ => None,
        };
        let start = Instant::now();
        let mut group = FileGroup::new();
        if let Some(writer) = self.writer {
            writer.finish_in(&mut group)?;
        }
        if let (Some(to), Some((picture, _))) = (&job.picture, &picture) {
            add_picture(&mut group, &to.path, picture)?;
        }
        group.finish()?;
        let write_time = self.write_time + start.elapsed();
        Ok((write_time, picture.map(|(_, step)| step)))
    }
}
