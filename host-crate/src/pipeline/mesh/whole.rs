//! A volume that is read as a whole.

use super::{
    MeshJob, MeshOutcome, finish::FinishedMesh, need::has_too_large_a_mesh, otsu::level_of,
};
use crate::{
    device::{Device, DeviceError},
    grid::{AnyDeviceVolume, AnyVolume, DeviceVolume, Volume, VolumeView},
    io::HeaderInfo,
    isosurface::{
        self, DeviceMesh, HostMesh, IsosurfaceError, IsosurfaceParams, MeshParts, Method,
        TopologyCounts, budget::mesh_counts,
    },
    memory::OutOfMemory,
    mesh::{TriangleMesh, Triangles},
    pipeline::{
        DeviceRun, PipelineError, Warning, at,
        kernel_samples::{ForKernels, for_kernels},
        mask::{StatedGrid, read_mask},
        outcome::Stages,
    },
    with_device_volume,
};

/// The mesh on the host, and how it was made.
struct Surface {
    mesh: TriangleMesh,
    /// Whether it was smoothed on its device.
    is_smooth: bool,
    non_finite_cells: u64,
    topology: TopologyCounts,
    devices: Vec<DeviceRun>,
}

/// Reads the volume, makes its isosurface, checks and writes it. None if the mesh would take more
/// memory than it may.
pub(super) fn run(
    job: &MeshJob,
    mut stages: Stages<'_>,
) -> Result<Option<MeshOutcome>, PipelineError> {
    let mut warnings = Vec::new();
    let (volume, header, mask) = stages.run("read", || read(job, &mut warnings))?;
    let (dims, geometry, sample_type) = (volume.dims(), *volume.geometry(), volume.sample_type());
    let samples = volume.summary();
    let level = if job.otsu {
        stages.run("threshold", || level_of(job, &volume, mask.as_ref()))?
    } else {
        job.level()
    };
    let exact = match job.label {
        Some(label) => of_label(job, &volume, label)?,
        None => for_kernels(&job.volume, &header, volume, level)?,
    };
    let (volume, inexact_samples) = (exact.volume, exact.inexact);
    warnings.extend(job.volume.conversion(&header, inexact_samples));
    let outer = job;
    let job = &MeshJob {
        params: IsosurfaceParams {
            iso: exact.iso,
            // of what is smoothed or simplified they are made anew
            normals: job.params.normals && !job.filters.renew_normals(),
            time_stages: true,
            ..job.params
        },
        ..outer.clone()
    };
    let filters = &outer.filters;
    let solid = filters.solid(&mut stages, job, &volume, mask.as_ref())?;
    let surface = match &job.devices[..] {
        [device] => match on_one(&mut stages, (job, outer), device, volume, mask)? {
            Some(surface) => surface,
            None => return Ok(None),
        },
        _ => on_several(&mut stages, job, volume, mask)?,
    };
    let mut mesh = surface.mesh;
    let pieces = match &solid {
        Some(solid) => Some(filters.choose(&mut stages, job, &mut mesh, solid)?),
        None => None,
    };
    drop(solid);
    let simplified = filters.on_host(&mut stages, outer, &mut mesh, surface.is_smooth)?;
    let finished = FinishedMesh {
        mesh: &mesh,
        dims,
        geometry: &geometry,
        non_finite_cells: surface.non_finite_cells,
    };
    let checked = finished.check_and_write(&mut stages, job)?;
    Ok(Some(MeshOutcome {
        dims,
        geometry,
        sample_type,
        iso: level,
        samples,
        inexact_samples,
        vertices: mesh.vertices.len() as u64,
        triangles: mesh.triangles.len() as u64,
        index_bits: match mesh.triangles {
            Triangles::U32(_) => 32,
            Triangles::U64(_) => 64,
        },
        non_finite_cells: surface.non_finite_cells,
        topology: surface.topology,
        slabs: surface.devices.iter().map(|device| device.parts).sum(),
        pieces,
        simplified,
        checked,
        devices: surface.devices,
        warnings,
        timings: stages.finish(),
    }))
}

/// The samples that are a label, as 1.
fn of_label(job: &MeshJob, volume: &AnyVolume, label: f64) -> Result<ForKernels, PipelineError> {
    let is_label = volume.try_where(|sample| sample == label);
    Ok(ForKernels {
        volume: is_label.map_err(job.volume.error::<OutOfMemory>())?.into(),
        iso: 0.5,
        inexact: 0,
    })
}

type Read = (AnyVolume, HeaderInfo, Option<Volume<u8>>);

fn read(job: &MeshJob, warnings: &mut Vec<Warning>) -> Result<Read, PipelineError> {
    let (file, own) = job.volume.read_both()?;
    warnings.extend(job.volume.notes(&file.header));
    let mask = match &job.mask {
        Some(mask) => {
            let volume = StatedGrid::of(&job.volume, &file.header, file.volume.dims(), &own)?;
            Some(read_mask(mask, &volume, warnings)?)
        }
        None => None,
    };
    Ok((file.volume, file.header, mask))
}

fn on_one(
    stages: &mut Stages<'_>,
    (job, outer): (&MeshJob, &MeshJob),
    device: &Device,
    volume: AnyVolume,
    mask: Option<Volume<u8>>,
) -> Result<Option<Surface>, PipelineError> {
    let path = &job.volume.path;
    let sample_type = volume.sample_type();
    let stream = device.stream().map_err(at(path))?;
    let upload = || {
        let mask = mask.map(|mask| DeviceVolume::upload(&stream, mask.view()));
        let on_device = AnyDeviceVolume::upload(&stream, &volume)?;
        stream.synchronize()?;
        Ok((on_device, mask.transpose()?))
    };
    let (on_device, mask) = stages.run("upload", || upload().map_err(at::<DeviceError>(path)))?;
    drop(volume);
    let count = || {
        with_device_volume!(&on_device, volume => mesh_counts(&stream, volume, mask.as_ref(), &job.params))
            .map_err(at::<IsosurfaceError>(path))
    };
    if has_too_large_a_mesh(job, (on_device.dims(), sample_type), count)? {
        return Ok(None);
    }
    let extract = || {
        let whole = with_device_volume!(&on_device, volume => isosurface::extract(&stream, volume, mask.as_ref(), &job.params));
        let finished = whole.and_then(|mesh| {
            stream.synchronize()?;
            Ok(mesh)
        });
        match finished {
            Err(error) if job.params.method == Method::Fused && is_out_of_memory(&error) => {
                let host = with_device_volume!(&on_device, volume => isosurface::extract_to_host(&stream, volume, mask.as_ref(), &job.params, None))?;
                Ok(Extracted::OnHost(host))
            }
            result => result.map(|mesh| Extracted::OnDevice(Box::new(mesh))),
        }
    };
    let extracted = stages.run("extract", || extract().map_err(at::<IsosurfaceError>(path)))?;
    let (mesh, is_smooth, non_finite_cells, topology, parts, times) = match extracted {
        Extracted::OnHost(host) => (
            host.mesh,
            false,
            host.non_finite_cells,
            host.topology,
            host.parts,
            host.stages,
        ),
        Extracted::OnDevice(mut surface) => {
            let filters = &outer.filters;
            let is_smooth = filters.on_device(stages, outer, &stream, &mut surface)?;
            let mesh = stages.run("download", || surface.download(&stream).map_err(at(path)))?;
            let times = surface.stage_times().map_err(at(path))?;
            let topology = surface.topology;
            let cells = surface.non_finite_cells;
            (mesh, is_smooth, cells, topology, 1, times)
        }
    };
    Ok(Some(Surface {
        mesh,
        is_smooth,
        non_finite_cells,
        topology,
        devices: vec![DeviceRun::of(device, parts, times)],
    }))
}

enum Extracted {
    OnDevice(Box<DeviceMesh>),
    /// The device has room for the volume, but not for all of the mesh with it.
    OnHost(HostMesh),
}

fn is_out_of_memory(error: &IsosurfaceError) -> bool {
    matches!(
        error,
        IsosurfaceError::Device(DeviceError::OutOfMemory { .. })
    )
}

/// Upload and extraction are one stage: each device does both by itself.
fn on_several(
    stages: &mut Stages<'_>,
    job: &MeshJob,
    volume: AnyVolume,
    mask: Option<Volume<u8>>,
) -> Result<Surface, PipelineError> {
    let path = &job.volume.path;
    let mask = mask.as_ref().map(Volume::view);
    let parts = stages.run("extract", || {
        extract_parts(&volume, &job.devices, mask, &job.params).map_err(at(path))
    })?;
    let mesh = stages.run("download", || parts.join().map_err(at(path)))?;
    let mut devices = Vec::with_capacity(job.devices.len());
    for (number, device) in job.devices.iter().enumerate() {
        devices.push(match parts.parts.get(number) {
            Some(part) => {
                let times = part.mesh.stage_times().map_err(at(path))?;
                DeviceRun::of(device, 1, times)
            }
            // more devices than planes of cells
            None => DeviceRun::of(device, 0, Vec::new()),
        });
    }
    Ok(Surface {
        mesh,
        is_smooth: false,
        non_finite_cells: parts.non_finite_cells(),
        topology: parts.topology(),
        devices,
    })
}

fn extract_parts(
    volume: &AnyVolume,
    devices: &[Device],
    mask: Option<VolumeView<'_, u8>>,
    params: &IsosurfaceParams,
) -> Result<MeshParts, IsosurfaceError> {
    match volume {
        AnyVolume::U8(volume) => isosurface::extract_parts(devices, volume.view(), mask, params),
        AnyVolume::I8(volume) => isosurface::extract_parts(devices, volume.view(), mask, params),
        AnyVolume::U16(volume) => isosurface::extract_parts(devices, volume.view(), mask, params),
        AnyVolume::I16(volume) => isosurface::extract_parts(devices, volume.view(), mask, params),
        AnyVolume::F32(volume) => isosurface::extract_parts(devices, volume.view(), mask, params),
        AnyVolume::I32(_) | AnyVolume::F64(_) => {
            let (volume, _) = volume.to_f32().map_err(DeviceError::from)?;
            isosurface::extract_parts(devices, volume.view(), mask, params)
        }
    }
}
