//! `ferrovox mesh`.

use super::mesh_report::{Checked, MeshRun, json, readable};
use crate::{
    args::{MeshArgs, SurfaceArgs},
    input::VolumeArgs,
    on_device::KernelVolume,
    openings::openings,
    output,
    phases::{Phases, milliseconds},
    terminal,
};
use anyhow::Context;
use ferrovox::{
    device_volume::DeviceVolume,
    files::{VolumeFile, WriteOptions, write_mesh},
    isosurface::{DeviceMesh, IsosurfaceParams},
    mesh::{self, MeshReport, TriangleMesh},
    volume::SampleSummary,
};

/// Reads the volume, makes its isosurface, writes the mesh, and says what it is.
pub fn run(args: &MeshArgs) -> anyhow::Result<()> {
    let name = args.input.name();
    let params = IsosurfaceParams {
        iso: iso(&args.surface, &name)?,
        inside: args.surface.inside.into(),
        close: args.close,
        normals: args.normals,
        method: args.method.into(),
        ..IsosurfaceParams::default()
    };
    output::check_mesh_path(&args.output)?;
    let device = args.device.device.open()?;
    let stream = device.stream()?;
    let wants_check = args.check || args.json;

    let mut phases = Phases::new(if wants_check { 6 } else { 5 });
    let (file, mask) = phases.run("read", || read(args))?;
    args.input.tell_notes(&file);
    let VolumeFile { volume, header } = file;
    let (dims, geometry, sample_type) = (volume.dims(), *volume.geometry(), volume.sample_type());
    let summary = volume.summary();
    let (volume, inexact) = KernelVolume::from_any(volume);
    tell_conversion(
        &args.input,
        &header.stored_type.to_string(),
        sample_type.name(),
        inexact,
    );
    let (on_device, mask) = phases
        .run("upload", || {
            let mask = mask
                .map(|mask| DeviceVolume::upload(&stream, mask.view()))
                .transpose()?;
            volume.upload(&stream).map(|volume| (volume, mask))
        })
        .with_context(|| name.clone())?;
    drop(volume);
    let on_device_mesh = phases
        .run("extract", || {
            on_device.extract(&stream, mask.as_ref(), &params)
        })
        .with_context(|| name.clone())?;
    let stages = stages(&on_device_mesh)?;
    let non_finite_cells = on_device_mesh.non_finite_cells;
    let mesh = phases.run("download", || on_device_mesh.download(&stream))?;
    drop((on_device, on_device_mesh, mask));

    let checked = wants_check.then(|| {
        phases.run("check", || Checked {
            report: mesh::check(&mesh),
            openings: openings(&mesh, dims, &geometry),
        })
    });
    if let Some(checked) = checked.as_ref().filter(|_| args.check) {
        refuse_if_broken(args, &checked.report, non_finite_cells)?;
    }
    phases.run("write", || {
        write_mesh(&args.output, &mesh, &WriteOptions::default())
    })?;
    tell_left_out(&name, &summary, non_finite_cells);
    tell_if_empty(&name, &args.surface, &mesh, &summary, dims);
    let (phase_times, total) = phases.finish();
    let run = MeshRun {
        args,
        iso: params.iso,
        device: &device,
        dims,
        sample_type,
        summary: &summary,
        inexact,
        mesh: &mesh,
        non_finite_cells,
        phase_times,
        stages,
        total,
    };
    match (&checked, args.json) {
        (Some(checked), true) => terminal::print_json(&json(&run, checked)),
        _ => terminal::print(&readable(&run, checked.as_ref().filter(|_| args.check))),
    }
}

/// The isovalue as kernels take it.
pub fn iso(surface: &SurfaceArgs, name: &str) -> anyhow::Result<f32> {
    let iso = surface.iso as f32;
    anyhow::ensure!(
        iso.is_finite(),
        "{name}: the isovalue is {}; give --iso a finite number within the range of f32",
        surface.iso
    );
    Ok(iso)
}

fn read(args: &MeshArgs) -> anyhow::Result<(VolumeFile, Option<ferrovox::volume::Volume<u8>>)> {
    let file = args.input.read()?;
    let mask = match &args.mask {
        Some(path) => Some(args.input.read_mask(path, file.volume.dims())?),
        None => None,
    };
    Ok((file, mask))
}

/// Says that samples were converted, and how many were not exact.
pub fn tell_conversion(input: &VolumeArgs, stored: &str, sample_type: &str, inexact: usize) {
    if matches!(sample_type, "i32" | "f64") {
        terminal::warning(&format!(
            "{}: {stored} samples are converted to f32; {inexact} of them are not exact",
            input.name()
        ));
    }
}

fn stages(mesh: &DeviceMesh) -> anyhow::Result<Vec<(&'static str, f64)>> {
    Ok(mesh
        .stage_times()?
        .iter()
        .map(|stage| (stage.stage, milliseconds(stage.time)))
        .collect())
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

fn tell_left_out(name: &str, summary: &SampleSummary, cells: u64) {
    if summary.non_finite > 0 {
        terminal::warning(&format!(
            "{name}: {} of {} samples are NaN or infinite; the {cells} cells around them emit nothing",
            summary.non_finite, summary.count
        ));
    }
}

fn tell_if_empty(
    name: &str,
    surface: &SurfaceArgs,
    mesh: &TriangleMesh,
    summary: &SampleSummary,
    dims: [usize; 3],
) {
    if !mesh.triangles.is_empty() {
        return;
    }
    let why = match (summary.min, summary.max) {
        _ if dims.iter().any(|&n| n < 2) => {
            "a surface needs two samples at least along each axis".to_owned()
        }
        (Some(min), Some(max)) if surface.iso > max || surface.iso <= min => {
            format!(
                "the samples range from {min} to {max}, and none of them is on the other side of {}",
                surface.iso
            )
        }
        (Some(_), Some(_)) => "every cell with the isovalue in it is left out".to_owned(),
        _ => "no sample is finite".to_owned(),
    };
    terminal::warning(&format!("{name}: the mesh is empty: {why}"));
}
