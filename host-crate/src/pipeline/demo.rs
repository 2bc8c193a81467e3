//! Meshes and pictures of volumes that need no file.

use super::{
    PipelineError, Timings, add_picture, at,
    outcome::Stages,
    paths::{self, OutputKind},
};
use crate::{
    device::{Device, DeviceError, Stream},
    grid::{AnyDeviceVolume, SampleType},
    io::{FileError, FileGroup, FileProblem, MeshWriteOptions, ReadOptions, read_volume_bytes},
    isosurface::{self, IsosurfaceError, IsosurfaceParams},
    mesh::{self, MeshReport},
    monitor::Monitor,
    render::{self, RenderParams},
    synthetic::{self, Metaball},
    with_device_volume,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What [`run`] is to do.
#[derive(Clone, Debug)]
pub struct DemoJob {
    /// Where the files go; made if it does not exist.
    pub folder: PathBuf,
    /// Of what.
    pub scenes: Vec<Scene>,
    /// The device that computes them.
    pub device: Device,
}

/// A volume, and how its surface is shown.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The name of its files, without an extension.
    pub name: &'static str,
    /// The volume.
    pub volume: SceneVolume,
    /// The surface and its picture.
    pub picture: RenderParams,
}

/// A volume that needs no file.
#[derive(Clone, Debug)]
pub enum SceneVolume {
    /// A volume file that lies in memory. Its picture leaves out the air around the solid.
    File {
        /// Its name, by whose extension the format is known.
        name: &'static str,
        /// Its bytes.
        bytes: &'static [u8],
    },
    /// The density of metaballs.
    Metaballs {
        /// Samples along x, y and z.
        dims: [usize; 3],
        /// The balls.
        balls: Vec<Metaball>,
    },
}

/// What was made.
#[derive(Clone, Debug)]
pub struct DemoOutcome {
    /// Of each scene.
    pub scenes: Vec<SceneOutcome>,
    /// How long it took.
    pub timings: Timings,
}

/// What was made of a scene.
#[derive(Clone, Debug)]
pub struct SceneOutcome {
    /// Samples along x, y and z.
    pub dims: [usize; 3],
    /// Their type.
    pub sample_type: SampleType,
    /// The mesh's file.
    pub mesh_file: PathBuf,
    /// The mesh.
    pub mesh: MeshReport,
    /// The picture's file.
    pub picture_file: PathBuf,
    /// Pixels along x and y.
    pub size: [u32; 2],
}

/// A scene's volume on the device.
struct DeviceScene {
    sample_type: SampleType,
    volume: AnyDeviceVolume,
    /// The part of the volume that the picture shows, where that is not all of it.
    solid: Option<AnyDeviceVolume>,
}

/// Meshes, checks and draws each scene: `NAME.ply` and `NAME.png` in the folder.
///
/// # Errors
/// [`PipelineError`] for a folder that cannot be made, files that cannot be written, what a device
/// reports, and [`PipelineError::Cancelled`].
pub fn run(job: &DemoJob, monitor: &Monitor<'_>) -> Result<DemoOutcome, PipelineError> {
    let stream = job.device.stream()?;
    fs::create_dir_all(&job.folder).map_err(|source| {
        let action = "make the folder";
        FileError::new(&job.folder, FileProblem::Io { action, source })
    })?;
    let files: Vec<[PathBuf; 2]> = job
        .scenes
        .iter()
        .map(|scene| ["ply", "png"].map(|end| job.folder.join(scene.name).with_extension(end)))
        .collect();
    let outputs = files.iter().flat_map(|[mesh, picture]| {
        [
            (mesh.as_path(), OutputKind::Mesh),
            (picture.as_path(), OutputKind::Picture),
        ]
    });
    paths::check(&[], &outputs.collect::<Vec<_>>())?;
    let mut stages = Stages::begin(monitor);
    let uploaded = stages.run("volumes", || {
        let uploaded = job.scenes.iter().map(|scene| scene.upload(&stream));
        uploaded.collect::<Result<Vec<_>, _>>()
    })?;
    let mut group = FileGroup::new();
    let mut scenes = Vec::new();
    for ((scene, files), on_device) in job.scenes.iter().zip(files).zip(&uploaded) {
        scenes.push(scene.show(files, on_device, &stream, &mut stages, &mut group)?);
    }
    group.finish()?;
    Ok(DemoOutcome {
        scenes,
        timings: stages.finish(),
    })
}

impl Scene {
    fn upload(&self, stream: &Stream) -> Result<DeviceScene, PipelineError> {
        let error = |error: DeviceError| PipelineError::from(error);
        match &self.volume {
            SceneVolume::File { name, bytes } => {
                let file = read_volume_bytes(name, bytes, &ReadOptions::default())?;
                let sample_type = file.volume.sample_type();
                let (volume, _) = file.volume.try_into_kernel_type()?;
                let whole = AnyDeviceVolume::upload(stream, &volume).map_err(error)?;
                let solid = volume.try_crop_to_solid(self.picture.iso, self.picture.inside)?;
                Ok(DeviceScene {
                    sample_type,
                    volume: whole,
                    solid: Some(AnyDeviceVolume::upload(stream, &solid).map_err(error)?),
                })
            }
            SceneVolume::Metaballs { dims, balls } => Ok(DeviceScene {
                sample_type: SampleType::F32,
                volume: AnyDeviceVolume::F32(
                    synthetic::metaballs(stream, *dims, balls).map_err(error)?,
                ),
                solid: None,
            }),
        }
    }

    fn show(
        &self,
        [mesh_file, picture_file]: [PathBuf; 2],
        scene: &DeviceScene,
        stream: &Stream,
        stages: &mut Stages<'_>,
        group: &mut FileGroup,
    ) -> Result<SceneOutcome, PipelineError> {
        let params = IsosurfaceParams {
            iso: self.picture.iso,
            inside: self.picture.inside,
            normals: true,
            ..IsosurfaceParams::default()
        };
        let name = Path::new(self.name);
        let extract = || {
            let surface = with_device_volume!(&scene.volume, volume => isosurface::extract(stream, volume, None, &params))?;
            Ok(surface.download(stream)?)
        };
        let mesh = stages.run("extract", || extract().map_err(at::<IsosurfaceError>(name)))?;
        let report = stages.run("check", || Ok::<_, PipelineError>(mesh::check(&mesh)))?;
        stages.run("write", || {
            group.write_mesh(&mesh_file, &mesh, &MeshWriteOptions::default())
        })?;
        let solid = scene.solid.as_ref().unwrap_or(&scene.volume);
        let picture = stages.run("draw", || {
            with_device_volume!(solid, volume => render::isosurface(stream, volume, &self.picture))
                .map_err(at(name))
        })?;
        add_picture(group, &picture_file, &picture)?;
        Ok(SceneOutcome {
            dims: scene.volume.dims(),
            sample_type: scene.sample_type,
            mesh_file,
            mesh: report,
            picture_file,
            size: [picture.width(), picture.height()],
        })
    }
}
