//! A volume that is streamed: read, worked on and written slab by slab.

use super::{MeshCheck, MeshJob, MeshOutcome, otsu::level_of_file};
use crate::{
    io::{MeshWriteOptions, MeshWriter, VolumeReader},
    isosurface::IsosurfaceParams,
    monitor::Monitor,
    pipeline::{
        DeviceRun, PipelineError, Problem, at,
        kernel_samples::shift_of_file,
        mask::{StatedGrid, open_mask},
        outcome::Stages,
        stream_mesh::{StreamError, StreamInputs, StreamOptions, StreamReport, stream_mesh},
    },
};

/// Streams the volume.
pub(super) fn run(
    job: &MeshJob,
    mut stages: Stages<'_>,
    monitor: &Monitor<'_>,
) -> Result<MeshOutcome, PipelineError> {
    if job.check == MeshCheck::Required {
        return Err(at(&job.volume.path)(Problem::CheckNeedsWhole));
    }
    job.filters.refuse_slabs(job)?;
    let level = if job.otsu {
        stages.run("threshold", || level_of_file(job, monitor))?
    } else {
        job.level()
    };
    let job = &job.at_level(level);
    let mut volume = job.volume.open()?;
    let mut warnings = job.volume.notes(volume.header());
    let (dims, sample_type) = (volume.dims(), volume.sample_type());
    let header = volume.header().clone();
    let geometry = match job.volume.geometry(volume.geometry())? {
        Some(geometry) => geometry,
        None => *volume.geometry(),
    };
    let mut mask = match &job.mask {
        Some(mask) => {
            let volume = StatedGrid::of(&job.volume, &header, dims, volume.geometry())?;
            Some(open_mask(mask, &volume, &mut warnings)?)
        }
        None => None,
    };
    let report = stages.run("stream", || {
        let shift = match job.label {
            Some(_) => None,
            None => shift_of_file(&job.volume, job.level())?,
        };
        stream(job, shift, &mut volume, mask.as_mut(), monitor)
    })?;
    stages.add("read", report.reading);
    stages.add("write", report.writing);
    let timings = stages.finish();
    warnings.extend(job.volume.conversion(&header, report.inexact_samples));
    let did = job.devices.iter().zip(report.devices);
    Ok(MeshOutcome {
        dims,
        geometry,
        sample_type,
        iso: level,
        samples: report.samples,
        inexact_samples: report.inexact_samples,
        vertices: report.vertices,
        triangles: report.triangles,
        index_bits: if report.vertices.max(report.triangles) > u32::MAX.into() {
            64
        } else {
            32
        },
        non_finite_cells: report.non_finite_cells,
        topology: report.topology,
        slabs: report.slabs,
        pieces: None,
        simplified: None,
        checked: None,
        devices: did
            .map(|(device, did)| DeviceRun::of(device, did.slabs, did.stages))
            .collect(),
        warnings,
        timings,
    })
}

/// From the readers to the output.
fn stream(
    job: &MeshJob,
    shift: Option<f64>,
    volume: &mut VolumeReader<'static>,
    mask: Option<&mut VolumeReader<'static>>,
    monitor: &Monitor<'_>,
) -> Result<StreamReport, PipelineError> {
    let options = StreamOptions {
        memory: job.memory,
        geometry: job.volume.geometry(volume.geometry())?,
        shift,
        label: job.label,
        ..StreamOptions::default()
    };
    let write_options = MeshWriteOptions {
        normals: job.params.normals,
        ..MeshWriteOptions::default()
    };
    let params = IsosurfaceParams {
        iso: match (job.label, shift) {
            (Some(_), _) => 0.5,
            (None, Some(_)) => 0.0,
            (None, None) => job.params.iso,
        },
        time_stages: true,
        ..job.params
    };
    let output = job.output.as_ref();
    let writer = output.map(|output| MeshWriter::create(output, &write_options));
    let inputs = StreamInputs {
        devices: &job.devices,
        volume,
        mask,
        writer: writer.transpose()?,
        params: &params,
        options: &options,
    };
    stream_mesh(inputs, monitor).map_err(|error| match error {
        StreamError::File(error) => error.into(),
        StreamError::Isosurface(error) => at(&job.volume.path)(error),
    })
}
