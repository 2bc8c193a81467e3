//! Reading of the volume and the mask of a job.

use super::{
    MeshJob,
    upload_while_reading::{self, ExtractParts, read_parts},
};
use crate::{
    device::Stream,
    grid::{AnyDeviceVolume, AnyVolume, Geometry, SampleSummary, SampleType, Volume},
    io::{HeaderInfo, VolumeReader},
    pipeline::{
        PipelineError, Warning,
        level::ResolvedLevel,
        mask::{StatedGrid, read_mask},
        outcome::Stages,
    },
};

/// The volume of a job, and what is known of it before the extraction.
pub(super) struct Input {
    pub dims: [usize; 3],
    pub geometry: Geometry,
    /// Geometry of the coordinates of the job.
    pub surface_geometry: Geometry,
    pub sample_type: SampleType,
    pub samples: SampleSummary,
    pub level: ResolvedLevel,
    /// Isovalue that the samples of kernels are compared with.
    pub iso: f32,
    pub inexact_samples: usize,
    pub kernel_samples: Samples,
}

/// Samples of a type that kernels read, and the mask.
pub(super) enum Samples {
    OnHost(AnyVolume, Option<Volume<u8>>),
    /// The volume is in the memory of the job's device.
    Resident(Stream, AnyDeviceVolume),
    /// A part of the volume is in the memory of each of the job's devices.
    InParts(ExtractParts),
}

impl Input {
    /// Reads volume and mask, if possible directly to the devices of the job.
    pub fn read(
        job: &MeshJob,
        stages: &mut Stages<'_>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, PipelineError> {
        match upload_while_reading::open(job)? {
            Some(reader) => read_to_devices(job, stages, reader, warnings),
            None => read_to_host(job, stages, warnings),
        }
    }
}

/// Reads volume and mask to the memory of the host.
fn read_to_host(
    job: &MeshJob,
    stages: &mut Stages<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Input, PipelineError> {
    let (volume, header, mask) = stages.run("read", || read_files(job, warnings))?;
    let (dims, geometry, sample_type) = (volume.dims(), *volume.geometry(), volume.sample_type());
    let surface_geometry = job.coordinates.surface_geometry(geometry);
    let samples = volume.summary();
    let level = job
        .level
        .resolve(stages, &job.volume, &volume, mask.as_ref())?;
    let converted = level.kernel_volume(&job.volume, &header, volume)?;
    warnings.extend(job.volume.conversion(&header, converted.inexact));
    let volume = converted.volume.with_geometry(surface_geometry);
    Ok(Input {
        dims,
        geometry,
        surface_geometry,
        sample_type,
        samples,
        level,
        iso: converted.iso,
        inexact_samples: converted.inexact,
        kernel_samples: Samples::OnHost(volume, mask),
    })
}

/// Reads the volume to the memories of the devices.
fn read_to_devices(
    job: &MeshJob,
    stages: &mut Stages<'_>,
    reader: VolumeReader<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Input, PipelineError> {
    let source = &job.volume;
    let (dims, own, sample_type) = (reader.dims(), *reader.geometry(), reader.sample_type());
    let geometry = source.geometry(&own)?.unwrap_or(own);
    let surface_geometry = job.coordinates.surface_geometry(geometry);
    warnings.extend(source.notes(reader.header()));
    let level = job
        .level
        .resolve_in_file(stages, source, None, &stages.monitor())?;
    let (kernel_samples, samples) = stages.run("read", || match &job.devices[..] {
        [device] => {
            let read = upload_while_reading::read(source, &reader, surface_geometry, device);
            read.map(|(stream, volume, summary)| (Samples::Resident(stream, volume), summary))
        }
        devices => {
            let close = job.surface.close;
            let read = read_parts(source, &reader, surface_geometry, close, devices);
            read.map(|(extract, summary)| (Samples::InParts(extract), summary))
        }
    })?;
    Ok(Input {
        dims,
        geometry,
        surface_geometry,
        sample_type,
        samples,
        level,
        iso: level.isovalue() as f32,
        inexact_samples: 0,
        kernel_samples,
    })
}

/// Volume, header of its file, and mask.
type Files = (AnyVolume, HeaderInfo, Option<Volume<u8>>);

fn read_files(job: &MeshJob, warnings: &mut Vec<Warning>) -> Result<Files, PipelineError> {
    let (file, file_grid) = job.volume.read_with_file_grid()?;
    warnings.extend(job.volume.notes(&file.header));
    let mask = match &job.mask {
        Some(mask) => {
            let grid = StatedGrid::new(&job.volume, &file.header, file_grid)?;
            Some(read_mask(mask, &grid, warnings)?)
        }
        None => None,
    };
    Ok((file.volume, file.header, mask))
}
