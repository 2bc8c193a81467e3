//! `ferrovox demo`: the main job on two volumes that need no file.

use crate::{args::DemoArgs, on_device::upload, output, phases::Phases, terminal};
use anyhow::Context;
use ferrovox::{
    device::{DeviceError, Stream},
    grid::AnyDeviceVolume,
    io::{ReadOptions, WriteOptions, read_volume_bytes, write_mesh},
    isosurface::{self, IsosurfaceError, IsosurfaceParams},
    mesh,
    render::{self, RenderParams, ViewDirection},
    synthetic::{self, Metaball},
    with_device_volume,
};
use std::{fs, path::Path};

/// A T1 MRI of a brain, without the skull (see `data/README.md`). Part of the command, so that the demo works anywhere.
const BRAIN: &[u8] = include_bytes!("../../../data/mni152_t1_1mm.nii.gz");
const BRAIN_FILE: &str = "mni152_t1_1mm.nii.gz";

/// What is made of one volume.
struct Scene {
    name: &'static str,
    what: String,
    volume: AnyDeviceVolume,
    /// The part of the volume that the picture shows, where that is not all of it.
    solid: Option<AnyDeviceVolume>,
    picture: RenderParams,
}

/// Meshes, checks and draws a brain and a field of metaballs.
pub fn run(args: &DemoArgs) -> anyhow::Result<()> {
    let folder = &args.output;
    let device = args.device.device.open()?;
    let stream = device.stream()?;
    fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot make the folder", folder.display()))?;
    let mut phases = Phases::new(9);
    let scenes = phases.run("volumes", || -> anyhow::Result<_> {
        Ok([brain(&stream)?, metaballs(&stream)?])
    })?;
    let mut text = format!("device     {device}\n");
    for scene in &scenes {
        text.push_str(&make(folder, &stream, scene, &mut phases)?);
    }
    let (_, total) = phases.finish();
    text.push_str(&format!("time       {:.1} s\n", total / 1e3));
    terminal::print(&text)
}

/// Writes the mesh and the picture of a scene; says in lines what they are.
fn make(
    folder: &Path,
    stream: &Stream,
    scene: &Scene,
    phases: &mut Phases,
) -> anyhow::Result<String> {
    let [mesh_file, picture_file] =
        ["ply", "png"].map(|extension| folder.join(scene.name).with_extension(extension));
    let params = IsosurfaceParams {
        iso: scene.picture.iso,
        normals: true,
        ..IsosurfaceParams::default()
    };
    let surface = phases.run("extract", || {
 let mesh = with_device_volume!(&scene.volume, volume => isosurface::extract(stream, volume, None, &params))?;
 stream.synchronize()?;
 Ok::<_, IsosurfaceError>(mesh)
 })?;
    let mesh = surface.download(stream)?;
    let report = phases.run("check", || mesh::check(&mesh));
    phases.run("write", || {
        write_mesh(&mesh_file, &mesh, &WriteOptions::default())
    })?;
    let picture = phases.run("draw", || {
        let solid = scene.solid.as_ref().unwrap_or(&scene.volume);
        with_device_volume!(solid, volume => render::isosurface(stream, volume, &scene.picture))
    })?;
    output::write_picture(&picture_file, &picture)?;
    let closed = if report.is_closed() { "closed" } else { "open" };
    let manifold = if report.is_manifold() {
        "manifold"
    } else {
        "not manifold"
    };
    Ok(format!(
        "{name:<10} {what}, surface at {iso}\n\
         {empty:<10} {mesh_file}: {vertices} vertices, {triangles} triangles, {closed}, {manifold}, \
         Euler characteristic {euler}\n\
         {empty:<10} {picture_file}: {width} x {height} pixels\n",
        name = scene.name,
        what = scene.what,
        iso = scene.picture.iso,
        empty = "",
        mesh_file = mesh_file.display(),
        vertices = report.vertices,
        triangles = report.triangles,
        euler = report.euler_characteristic(),
        picture_file = picture_file.display(),
        width = picture.width(),
        height = picture.height(),
    ))
}

fn brain(stream: &Stream) -> anyhow::Result<Scene> {
    let file = read_volume_bytes(BRAIN_FILE, BRAIN, &ReadOptions::default())?;
    let [nx, ny, nz] = file.volume.dims();
    let what = format!(
        "MRI, {nx} x {ny} x {nz} samples of {}",
        file.volume.sample_type()
    );
    let picture = RenderParams {
        iso: 120.0,
        view: ViewDirection {
            azimuth: 28.0,
            elevation: 20.0,
        },
        surface: [0.90, 0.48, 0.39],
        ..RenderParams::default()
    };
    let (volume, _) = file.volume.into_kernel_type();
    let on_device = upload(stream, &volume)?;
    let solid = upload(stream, &volume.crop_to_solid(picture.iso, picture.inside))?;
    Ok(Scene {
        name: "brain",
        what,
        volume: on_device,
        solid: Some(solid),
        picture,
    })
}

fn metaballs(stream: &Stream) -> Result<Scene, DeviceError> {
    let dims = [106, 106, 60];
    let balls = balls(dims);
    let volume = AnyDeviceVolume::F32(synthetic::metaballs(stream, dims, &balls)?);
    let [nx, ny, nz] = dims;
    Ok(Scene {
        name: "metaballs",
        what: format!(
            "{} balls, density in {nx} x {ny} x {nz} samples of f32",
            balls.len()
        ),
        volume,
        solid: None,
        picture: RenderParams {
            iso: 1.0,
            view: ViewDirection {
                azimuth: 60.0,
                elevation: 38.0,
            },
            surface: [0.06, 0.34, 0.62],
            ..RenderParams::default()
        },
    })
}

/// A ring of eight balls, in turns above and below the middle plane, around one in the middle.
fn balls(dims: [usize; 3]) -> Vec<Metaball> {
    let centre = dims.map(|n| (n as f32 - 1.0) / 2.0);
    let ring = (0..8).map(|k| {
        let angle = k as f32 * std::f32::consts::TAU / 8.0;
        let side = if k % 2 == 0 { 1.0 } else { -1.0 };
        let offset = [36.0 * angle.cos(), 36.0 * angle.sin(), 8.0 * side];
        Metaball {
            centre: [0, 1, 2].map(|axis| centre[axis] + offset[axis]),
            radius: 9.8,
        }
    });
    ring.chain([Metaball {
        centre,
        radius: 10.0,
    }])
    .collect()
}
