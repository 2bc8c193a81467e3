//! The mesh of a volume that is in memory as a whole.

use super::{
    MeshCheck, MeshJob, MeshOutcome,
    check_and_write::MeshInMemory,
    input::{Input, Samples},
    memory_plan::MeshLimit,
};
use crate::{
    device::{Device, DeviceError, Stream},
    grid::{
        AnyDeviceVolume, AnyVolume, DeviceVolume, SampleType, Volume, VolumeView,
        with_kernel_volume,
    },
    isosurface::{
        self, DeviceMesh, HostMesh, IsosurfaceError, IsosurfaceParams, MeshParts, Method,
        TopologyCounts, budget::mesh_counts,
    },
    mesh::{EdgeBalance, MeshReport, TriangleMesh, Triangles},
    partition::memory_plan::none_if_out_of_memory,
    pipeline::{DeviceRun, PipelineError, at, outcome::Stages},
    with_device_volume,
};

/// An extracted surface on the host.
struct Surface {
    mesh: TriangleMesh,
    /// `true` if the mesh was smoothed on its device already.
    is_smooth: bool,
    non_finite_cells: u64,
    topology: TopologyCounts,
    devices: Vec<DeviceRun>,
}

/// Reads the volume, extracts its isosurface, filters, checks and writes the mesh. Returns `None`
/// before extraction if the counted mesh exceeds the memory; the caller then streams the volume.
pub(super) fn run(
    job: &MeshJob,
    mut stages: Stages<'_>,
) -> Result<Option<MeshOutcome>, PipelineError> {
    let mut warnings = Vec::new();
    let input = Input::read(job, &mut stages, &mut warnings)?;
    let (dims, surface_geometry) = (input.dims, input.surface_geometry);
    let positions = job
        .coordinates
        .encoding(&surface_geometry, dims, job.output.as_deref())?;
    let params = job.surface.params(input.iso, job.has_surface_normals());
    let solid = match &input.kernel_samples {
        Samples::OnHost(volume, mask) => {
            let filters = &job.filters;
            filters.solid(&mut stages, job, params.iso, volume, mask.as_ref())?
        }
        Samples::Resident(..) | Samples::InParts(_) => None,
    };
    let extraction = Extraction { job, params };
    let surface = match (input.kernel_samples, &job.devices[..]) {
        (Samples::Resident(stream, volume), _) => {
            extraction.extract_resident(&mut stages, &stream, volume, None, input.sample_type)?
        }
        (Samples::InParts(extract), _) => {
            let extract = || extract(&extraction.params);
            Some(extraction.on_several_devices(&mut stages, extract)?)
        }
        (Samples::OnHost(volume, mask), [device]) => {
            extraction.on_one_device(&mut stages, device, volume, mask)?
        }
        (Samples::OnHost(volume, mask), devices) => {
            let mask = mask.as_ref().map(Volume::view);
            let extract = || extract_on_each_device(&volume, devices, mask, &extraction.params);
            Some(extraction.on_several_devices(&mut stages, extract)?)
        }
    };
    let Some(surface) = surface else {
        return Ok(None);
    };
    let mut mesh = surface.mesh;
    let component_filter = match &solid {
        Some(solid) => Some(job.filters.choose(&mut stages, job, &mut mesh, solid)?),
        None => None,
    };
    drop(solid);
    let simplified = job
        .filters
        .on_host(&mut stages, job, &mut mesh, surface.is_smooth)?;
    let mesh_origin = mesh.origin;
    positions.apply(&mut mesh);
    let in_memory = MeshInMemory {
        mesh: &mesh,
        dims,
        geometry: &positions.geometry(surface_geometry, mesh_origin),
        non_finite_cells: surface.non_finite_cells,
    };
    let (checked, is_closed) = match job.check {
        MeshCheck::No => {
            let write = || in_memory.check_and_write(&mut stages, job);
            let (balance, written) = EdgeBalance::from_triangles_during(&mesh.triangles, write);
            (written?, balance.is_zero())
        }
        MeshCheck::IfWhole | MeshCheck::Required => {
            let checked = in_memory.check_and_write(&mut stages, job)?;
            let report = checked.as_ref().map(|checked| &checked.report);
            let is_closed = report.is_some_and(MeshReport::has_paired_edges)
                || EdgeBalance::from_triangles(&mesh.triangles).is_zero();
            (checked, is_closed)
        }
    };
    let mut outcome = MeshOutcome {
        dims,
        geometry: input.geometry,
        sample_type: input.sample_type,
        iso: input.level.isovalue(),
        samples: input.samples,
        inexact_samples: input.inexact_samples,
        mesh_origin,
        vertices: mesh.vertices.len() as u64,
        triangles: mesh.triangles.len() as u64,
        index_bits: match mesh.triangles {
            Triangles::U32(_) => 32,
            Triangles::U64(_) => 64,
        },
        non_finite_cells: surface.non_finite_cells,
        topology: surface.topology,
        slabs: surface.devices.iter().map(|device| device.parts).sum(),
        component_filter,
        simplified,
        checked,
        devices: surface.devices,
        warnings,
        timings: stages.finish(),
    };
    outcome.warn(job, input.level, is_closed);
    Ok(Some(outcome))
}

/// A surface extracted on one device.
enum ExtractedSurface {
    OnDevice(Box<DeviceMesh>),
    /// The mesh was extracted and downloaded in parts.
    OnHost(HostMesh),
}

/// Extraction of the surface of a job.
struct Extraction<'a> {
    job: &'a MeshJob,
    /// Parameters at the resolved isovalue, with normals unless they are computed from the
    /// filtered mesh.
    params: IsosurfaceParams,
}

impl Extraction<'_> {
    /// Copies volume and mask to a device and extracts the surface there, as
    /// [`extract_resident`](Self::extract_resident).
    fn on_one_device(
        &self,
        stages: &mut Stages<'_>,
        device: &Device,
        volume: AnyVolume,
        mask: Option<Volume<u8>>,
    ) -> Result<Option<Surface>, PipelineError> {
        let path = &self.job.volume.path;
        let sample_type = volume.sample_type();
        let stream = device.stream().map_err(at(path))?;
        let upload = || {
            let mask = mask.map(|mask| DeviceVolume::from_volume(&stream, mask));
            let on_device = AnyDeviceVolume::from_volume(&stream, volume)?;
            stream.synchronize()?;
            Ok((on_device, mask.transpose()?))
        };
        let (on_device, mask) = stages.run("upload", || {
            let uploaded = device.load_kernels_during(upload);
            uploaded.map_err(at::<DeviceError>(path))
        })?;
        self.extract_resident(stages, &stream, on_device, mask, sample_type)
    }

    /// Extracts the surface of a volume on a device. If its memory does not suffice for all of the
    /// mesh, the mesh is extracted and downloaded in parts. Returns `None` if the mesh would exceed
    /// the memory of the job or of the host.
    fn extract_resident(
        &self,
        stages: &mut Stages<'_>,
        stream: &Stream,
        on_device: AnyDeviceVolume,
        mask: Option<DeviceVolume<u8>>,
        sample_type: SampleType,
    ) -> Result<Option<Surface>, PipelineError> {
        let (path, params, device) = (&self.job.volume.path, &self.params, stream.device());
        let dims = with_device_volume!(&on_device, volume => volume.dims());
        let limit = MeshLimit::new(self.job, dims, sample_type)?;
        let accepts = |counts| limit.accepts(self.job, counts);
        let extract_whole = || {
            let mesh = with_device_volume!(&on_device, volume => isosurface::extract_if(stream, volume, mask.as_ref(), params, accepts))?;
            stream.synchronize()?;
            Ok::<_, IsosurfaceError>(mesh)
        };
        let count = || with_device_volume!(&on_device, volume => mesh_counts(stream, volume, mask.as_ref(), params));
        let extract_in_parts = || with_device_volume!(&on_device, volume => isosurface::extract_to_host(stream, volume, mask.as_ref(), params, None));
        let extract = || {
            let whole = extract_whole();
            let whole = match params.method {
                Method::Fused => none_if_out_of_memory(whole)?,
                Method::Staged => Some(whole?),
            };
            Ok(match whole {
                Some(accepted) => accepted.map(|mesh| ExtractedSurface::OnDevice(Box::new(mesh))),
                None if accepts(count()?) => Some(ExtractedSurface::OnHost(extract_in_parts()?)),
                None => None,
            })
        };
        let extracted = stages.run("extract", || extract().map_err(at::<IsosurfaceError>(path)))?;
        let Some(extracted) = extracted else {
            return Ok(None);
        };
        drop((on_device, mask));
        let surface = match extracted {
            ExtractedSurface::OnDevice(mut mesh) => {
                let is_smooth = self
                    .job
                    .filters
                    .on_device(stages, self.job, stream, &mut mesh)?;
                let on_host = stages.run("download", || mesh.download(stream).map_err(at(path)))?;
                let times = mesh.stage_times().map_err(at(path))?;
                Surface {
                    mesh: on_host,
                    is_smooth,
                    non_finite_cells: mesh.non_finite_cells,
                    topology: mesh.topology,
                    devices: vec![DeviceRun::new(device, 1, times)],
                }
            }
            ExtractedSurface::OnHost(parts) => Surface {
                mesh: parts.mesh,
                is_smooth: false,
                non_finite_cells: parts.non_finite_cells,
                topology: parts.topology,
                devices: vec![DeviceRun::new(device, parts.parts, parts.stages)],
            },
        };
        Ok(Some(surface))
    }

    /// Downloads and joins the surface of which `extract` computes a part on each device.
    fn on_several_devices(
        &self,
        stages: &mut Stages<'_>,
        extract: impl FnOnce() -> Result<MeshParts, IsosurfaceError>,
    ) -> Result<Surface, PipelineError> {
        let (path, devices) = (&self.job.volume.path, &self.job.devices);
        let parts = stages.run("extract", || extract().map_err(at(path)))?;
        let mesh = stages.run("download", || parts.join().map_err(at(path)))?;
        let mut runs = Vec::with_capacity(devices.len());
        for (number, device) in devices.iter().enumerate() {
            runs.push(match parts.parts.get(number) {
                Some(part) => {
                    let times = part.mesh.stage_times().map_err(at(path))?;
                    DeviceRun::new(device, 1, times)
                }
                // there are more devices than planes of cells
                None => DeviceRun::new(device, 0, Vec::new()),
            });
        }
        Ok(Surface {
            mesh,
            is_smooth: false,
            non_finite_cells: parts.non_finite_cells(),
            topology: parts.topology(),
            devices: runs,
        })
    }
}

/// Copies a part of the volume to each device and extracts its part of the surface. The devices go
/// through both independently. Samples of types without kernels are converted to `f32`.
fn extract_on_each_device(
    volume: &AnyVolume,
    devices: &[Device],
    mask: Option<VolumeView<'_, u8>>,
    params: &IsosurfaceParams,
) -> Result<MeshParts, IsosurfaceError> {
    with_kernel_volume!(
        volume,
        volume => isosurface::extract_parts(devices, volume.view(), mask, params),
        _ => {
            let (volume, _) = volume.to_f32().map_err(DeviceError::from)?;
            isosurface::extract_parts(devices, volume.view(), mask, params)
        }
    )
}
