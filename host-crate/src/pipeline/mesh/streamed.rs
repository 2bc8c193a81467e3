//! The mesh of a volume that is read, extracted and written slab by slab.

use super::{MeshCheck, MeshJob, MeshOutcome};
use crate::{
    io::{MeshWriteOptions, MeshWriter, VolumeReader},
    monitor::Monitor,
    pipeline::{
        DeviceRun, PipelineError, Problem, at,
        level::ResolvedLevel,
        mask::{StatedGrid, open_mask},
        outcome::Stages,
        stream_mesh::{StreamError, StreamInputs, StreamOptions, StreamReport, stream_mesh},
    },
};

/// Streams the volume of a job.
pub(super) fn run(
    job: &MeshJob,
    mut stages: Stages<'_>,
    monitor: &Monitor<'_>,
) -> Result<MeshOutcome, PipelineError> {
    if job.check == MeshCheck::Required {
        return Err(at(&job.volume.path)(Problem::CheckNeedsWhole));
    }
    job.filters.check_streamable(&job.volume.path)?;
    let level = job
        .level
        .resolve_in_file(&mut stages, &job.volume, job.mask.as_ref(), monitor)?;
    let (mut volume, file_grid) = job.volume.open_with_file_grid()?;
    let mut warnings = job.volume.notes(volume.header());
    let (dims, sample_type) = (volume.dims(), volume.sample_type());
    let header = volume.header().clone();
    let geometry = match job.volume.geometry(volume.geometry())? {
        Some(geometry) => geometry,
        None => *volume.geometry(),
    };
    let mut mask = match &job.mask {
        Some(mask) => {
            let grid = StatedGrid::new(&job.volume, &header, file_grid)?;
            Some(open_mask(mask, &grid, &mut warnings)?)
        }
        None => None,
    };
    let report = stages.run("stream", || {
        stream(job, level, &mut volume, mask.as_mut(), monitor)
    })?;
    stages.add("read", report.reading);
    stages.add("write", report.writing);
    let timings = stages.finish();
    warnings.extend(job.volume.conversion(&header, report.inexact_samples));
    let device_reports = job.devices.iter().zip(report.devices);
    let mut outcome = MeshOutcome {
        dims,
        geometry,
        sample_type,
        iso: level.isovalue(),
        samples: report.samples,
        inexact_samples: report.inexact_samples,
        mesh_origin: report.origin,
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
        component_filter: None,
        simplified: None,
        checked: None,
        devices: device_reports
            .map(|(device, report)| DeviceRun::new(device, report.slabs, report.stages))
            .collect(),
        warnings,
        timings,
    };
    outcome.warn(job, level, report.is_closed);
    Ok(outcome)
}

/// Extracts the surface from the readers and writes it to the output.
fn stream(
    job: &MeshJob,
    level: ResolvedLevel,
    volume: &mut VolumeReader<'static>,
    mask: Option<&mut VolumeReader<'static>>,
    monitor: &Monitor<'_>,
) -> Result<StreamReport, PipelineError> {
    let (conversion, iso) = level.sample_conversion(&job.volume)?;
    let geometry = match job.volume.geometry(volume.geometry())? {
        Some(geometry) => geometry,
        None => *volume.geometry(),
    };
    let geometry = job.coordinates.surface_geometry(geometry);
    let options = StreamOptions {
        memory: job.memory,
        geometry: Some(geometry),
        positions: job
            .coordinates
            .encoding(&geometry, volume.dims(), job.output.as_deref())?,
        conversion,
        ..StreamOptions::default()
    };
    let params = job.surface.params(iso, true);
    let write_options = MeshWriteOptions {
        normals: params.normals,
        space: job.coordinates.file_space(job.space),
        ..MeshWriteOptions::default()
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
