//! Meshes and pictures of synthetic and embedded volumes.

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

/// A demonstration to run, by [`run`].
#[derive(Clone, Debug)]
pub struct DemoJob {
    /// Folder for the files, created if it does not exist.
    pub folder: PathBuf,
    /// Scenes to process.
    pub scenes: Vec<Scene>,
    /// Device that computes the meshes and pictures.
    pub device: Device,
}

/// A volume, and the surface and picture to produce.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Name of the output files, without an extension.
    pub name: &'static str,
    /// The volume.
    pub volume: SceneVolume,
    /// Parameters of the surface and of its picture.
    pub picture: RenderParams,
}

/// A volume that needs no file on disk.
#[derive(Clone, Debug)]
pub enum SceneVolume {
    /// A volume file in memory. Its picture is cropped to the solid.
    File {
        /// File name; its extension determines the format.
        name: &'static str,
        /// Contents of the file.
        bytes: &'static [u8],
    },
    /// Density of metaballs.
    Metaballs {
        /// Samples along x, y and z.
        dims: [usize; 3],
        /// The metaballs.
        balls: Vec<Metaball>,
    },
}

/// Description of the results.
#[derive(Clone, Debug)]
pub struct DemoOutcome {
    /// Results of each scene.
    pub scenes: Vec<SceneOutcome>,
    /// Total time.
    pub timings: Timings,
}

/// Results of a scene.
#[derive(Clone, Debug)]
pub struct SceneOutcome {
    /// Samples along x, y and z.
    pub dims: [usize; 3],
    /// Sample type.
    pub sample_type: SampleType,
    /// Mesh file.
    pub mesh_file: PathBuf,
    /// Report of the mesh.
    pub mesh: MeshReport,
    /// Picture file.
    pub picture_file: PathBuf,
    /// Width and height of the picture in pixels.
    pub size: [u32; 2],
}

/// Volume of a scene on the device.
struct DeviceScene {
    sample_type: SampleType,
    volume: AnyDeviceVolume,
    /// Part of the volume that the picture shows, if not all of it.
    solid: Option<AnyDeviceVolume>,
}

/// Extracts, checks and draws each scene, and writes `NAME.ply` and `NAME.png` into the folder.
///
/// # Errors
/// [`PipelineError`] for a folder that cannot be created, files that cannot be written, errors of a
/// device, and [`PipelineError::Cancelled`].
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
