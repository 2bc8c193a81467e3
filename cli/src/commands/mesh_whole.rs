//! `ferrovox mesh` of a volume that is read as a whole.

use super::{
    mesh::tell_conversion,
    mesh_report::{Checked, DeviceRun, MeshRun},
};
use crate::{
    args::MeshArgs,
    on_device::upload,
    phases::{Phases, milliseconds},
};
use anyhow::Context;
use ferrovox::{
    device::{Device, DeviceError},
    grid::{AnyVolume, DeviceVolume, Volume, VolumeView},
    io::{VolumeFile, WriteOptions, write_mesh},
    isosurface::{
        self, DeviceMesh, HostMesh, IsosurfaceError, IsosurfaceParams, MeshParts, Method, StageTime,
    },
    mesh::{self, MeshReport, TriangleMesh, Triangles},
    with_device_volume,
};

/// The mesh on the host, and what is known of it.
struct Surface {
    mesh: TriangleMesh,
    non_finite_cells: u64,
    devices: Vec<DeviceRun>,
}

/// Reads the volume, makes its isosurface, checks and writes it.
pub fn run<'a>(
    args: &'a MeshArgs,
    devices: Vec<Device>,
    params: &IsosurfaceParams,
) -> anyhow::Result<MeshRun<'a>> {
    let wants_check = args.check || args.json;
    let mut phases = Phases::new(if wants_check { 6 } else { 5 });
    let (file, mask) = phases.run("read", || read(args))?;
    args.input.tell_notes(&file.header);
    let VolumeFile { volume, header } = file;
    let (dims, geometry, sample_type) = (volume.dims(), *volume.geometry(), volume.sample_type());
    let summary = volume.summary();
    let (volume, inexact) = volume.into_kernel_type();
    tell_conversion(
        &args.input,
        &header.stored_type.to_string(),
        sample_type.name(),
        inexact,
    );
    let surface = match &devices[..] {
        [device] => on_one(&mut phases, device, volume, mask, params),
        _ => on_several(&mut phases, &devices, volume, mask, params),
    };
    let surface = surface.with_context(|| args.input.name())?;
    let mesh = surface.mesh;
    let checked = wants_check.then(|| {
        phases.run("check", || Checked {
            report: mesh::check(&mesh),
            openings: mesh::openings(&mesh, dims, &geometry),
            bounds: mesh.bounds().map(|(low, high)| [low.into(), high.into()]),
        })
    });
    if let Some(checked) = checked.as_ref().filter(|_| args.check) {
        refuse_if_broken(args, &checked.report, surface.non_finite_cells)?;
    }
    phases.run("write", || {
        write_mesh(&args.output, &mesh, &WriteOptions::default())
    })?;
    let (phase_times, total) = phases.finish();
    Ok(MeshRun {
        args,
        iso: params.iso,
        dims,
        sample_type,
        summary,
        inexact,
        vertices: mesh.vertices.len() as u64,
        triangles: mesh.triangles.len() as u64,
        index_bits: match mesh.triangles {
            Triangles::U32(_) => 32,
            Triangles::U64(_) => 64,
        },
        non_finite_cells: surface.non_finite_cells,
        slabs: surface.devices.iter().map(|device| device.slabs).sum(),
        devices: surface.devices,
        checked,
        phase_times,
        total,
    })
}

fn on_one(
    phases: &mut Phases,
    device: &Device,
    volume: AnyVolume,
    mask: Option<Volume<u8>>,
    params: &IsosurfaceParams,
) -> anyhow::Result<Surface> {
    let stream = device.stream()?;
    let (on_device, mask) = phases.run("upload", || {
        let mask = mask
            .map(|mask| DeviceVolume::upload(&stream, mask.view()))
            .transpose()?;
        upload(&stream, &volume).map(|volume| (volume, mask))
    })?;
    drop(volume);
    let extracted = phases.run("extract", || {
        match with_device_volume!(&on_device, volume => isosurface::extract(&stream, volume, mask.as_ref(), params)).and_then(|mesh| { stream.synchronize()?; Ok(mesh) }) {
            Err(error) if params.method == Method::Fused && is_out_of_memory(&error) => {
                let host = with_device_volume!(&on_device, volume => isosurface::extract_to_host(&stream, volume, mask.as_ref(), params, None))?;
                Ok(Extracted::OnHost(host))
            }
            result => result.map(|mesh| Extracted::OnDevice(Box::new(mesh))),
        }
    })?;
    let (mesh, non_finite_cells, slabs, stages) = match extracted {
        Extracted::OnHost(host) => (host.mesh, host.non_finite_cells, host.parts, host.stages),
        Extracted::OnDevice(surface) => {
            let mesh = phases.run("download", || surface.download(&stream))?;
            (mesh, surface.non_finite_cells, 1, surface.stage_times()?)
        }
    };
    Ok(Surface {
        mesh,
        non_finite_cells,
        devices: vec![device_run(device, slabs, &stages)],
    })
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

/// Upload and extraction are one phase: each device does both by itself.
fn on_several(
    phases: &mut Phases,
    devices: &[Device],
    volume: AnyVolume,
    mask: Option<Volume<u8>>,
    params: &IsosurfaceParams,
) -> anyhow::Result<Surface> {
    let mask = mask.as_ref().map(Volume::view);
    let parts = phases.run("extract", || extract_parts(&volume, devices, mask, params))?;
    let mesh = phases.run("download", || parts.join())?;
    let mut runs = Vec::with_capacity(devices.len());
    for (number, device) in devices.iter().enumerate() {
        runs.push(match parts.parts.get(number) {
            Some(part) => device_run(device, 1, &part.mesh.stage_times()?),
            // more devices than planes of cells
            None => DeviceRun {
                device: device.clone(),
                slabs: 0,
                stages: Vec::new(),
            },
        });
    }
    Ok(Surface {
        mesh,
        non_finite_cells: parts.non_finite_cells(),
        devices: runs,
    })
}

fn device_run(device: &Device, slabs: u64, stages: &[StageTime]) -> DeviceRun {
    DeviceRun {
        device: device.clone(),
        slabs,
        stages: in_milliseconds(stages),
    }
}

pub fn in_milliseconds(stages: &[StageTime]) -> Vec<(&'static str, f64)> {
    let stages = stages.iter();
    stages
        .map(|stage| (stage.stage, milliseconds(stage.time)))
        .collect()
}

fn read(args: &MeshArgs) -> anyhow::Result<(VolumeFile, Option<Volume<u8>>)> {
    let file = args.input.read()?;
    let mask = match &args.mask {
        Some(path) => Some(args.input.read_mask(path, file.volume.dims())?),
        None => None,
    };
    Ok((file, mask))
}

/// `--check`: a mesh that the library should not have made is not written.
fn refuse_if_broken(
    args: &MeshArgs,
    report: &MeshReport,
    non_finite_cells: u64,
) -> anyhow::Result<()> {
    let defects = [
        (
            report.non_manifold_edges,
            "edges with three triangles or more",
        ),
        (
            report.non_manifold_vertices,
            "vertices where sheets only touch",
        ),
        (
            report.inconsistent_edges,
            "edges whose triangles wind against each other",
        ),
        (
            report.invalid_triangles,
            "triangles with an index out of range",
        ),
        (report.non_finite_vertices, "vertices that are not finite"),
    ];
    let found: Vec<String> = defects
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if found.is_empty() {
        return Ok(());
    }
    let advice = if args.mask.is_some() || non_finite_cells > 0 {
        "cells that a mask or non-finite samples leave out can cut the surface so; without --check it is written as it is"
    } else {
        "this is a defect of ferrovox, please report it; without --check the mesh is written as it is"
    };
    anyhow::bail!(
        "{}: not written, because the mesh has {}; {advice}",
        args.output.display(),
        found.join(", ")
    )
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
            let (volume, _) = volume.clone().into_f32();
            isosurface::extract_parts(devices, volume.view(), mask, params)
        }
    }
}
