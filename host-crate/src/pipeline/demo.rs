//! Meshes, pictures, skeletons, distance maps and pages of synthetic and embedded volumes.

use super::{
    Level, ObjectFilter, PipelineError, SceneContent, Timings, VolumeSource, add_picture, at,
    distance::{self, DistanceJob, SitesFrom},
    outcome::Stages,
    paths::{self, OutputKind},
    skeleton::{self, ObjectSource, SkeletonJob},
    view::{self, ViewJob},
};
use crate::{
    device::{Device, DeviceError, Stream},
    grid::{AnyDeviceVolume, AnyVolume, SampleType, Volume},
    io::{
        FileError, FileGroup, FileProblem, MeshWriteOptions, ReadOptions, VolumeWriteOptions,
        read_volume_bytes, write_volume,
    },
    isosurface::{self, IsosurfaceError, IsosurfaceParams},
    mesh::{self, MeshReport},
    monitor::Monitor,
    render::{self, RenderParams},
    skeleton::medial::{self, BranchRule},
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
    /// A volume file in memory.
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
    /// Volume file.
    pub volume_file: PathBuf,
    /// Skeleton and distance map of the solid, if the volume is synthetic.
    pub derived_files: Vec<PathBuf>,
    /// Page for the browser.
    pub page_file: PathBuf,
    /// Width and height of the picture in pixels.
    pub size: [u32; 2],
}

/// Volume of a scene on the device.
struct DeviceScene {
    sample_type: SampleType,
    volume: AnyDeviceVolume,
}

/// Extracts, checks and draws each scene, and writes `NAME.nii.gz`, `NAME.ply`, `NAME.png` and the
/// page `NAME.html` into the folder; for synthetic volumes also the skeleton `NAME.swc` and the
/// signed distances `NAME-distances.nii.gz`.
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
    for (scene, outcome) in job.scenes.iter().zip(&mut scenes) {
        scene.derive(outcome, job, &uploaded, monitor, &mut stages)?;
    }
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
                Ok(DeviceScene {
                    sample_type,
                    volume: AnyDeviceVolume::upload(stream, &volume).map_err(error)?,
                })
            }
            SceneVolume::Metaballs { dims, balls } => Ok(DeviceScene {
                sample_type: SampleType::F32,
                volume: AnyDeviceVolume::F32(
                    synthetic::metaballs(stream, *dims, balls).map_err(error)?,
                ),
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
        let picture = stages.run("draw", || {
            with_device_volume!(&scene.volume, volume => render::isosurface(stream, volume, &self.picture))
                .map_err(at(name))
        })?;
        add_picture(group, &picture_file, &picture)?;
        Ok(SceneOutcome {
            dims: scene.volume.dims(),
            sample_type: scene.sample_type,
            mesh_file,
            mesh: report,
            volume_file: picture_file.with_extension("nii.gz"),
            page_file: picture_file.with_extension("html"),
            derived_files: Vec::new(),
            picture_file,
            size: [picture.width(), picture.height()],
        })
    }

    /// Writes the volume of a scene, the results that are derived from it, and the page.
    fn derive(
        &self,
        outcome: &mut SceneOutcome,
        job: &DemoJob,
        scenes: &[DeviceScene],
        monitor: &Monitor<'_>,
        stages: &mut Stages<'_>,
    ) -> Result<(), PipelineError> {
        let stream = job.device.stream()?;
        let file = &outcome.volume_file;
        let source = || Box::new(VolumeSource::new(file));
        let level = Level::Iso(self.picture.iso.into());
        let inside = self.picture.inside;
        let contents = match &self.volume {
            SceneVolume::File { bytes, .. } => {
                stages.run("write", || {
                    crate::io::replace_file(file, |out| std::io::Write::write_all(out, bytes))
                })?;
                vec![SceneContent::Volume {
                    source: source(),
                    level: Some(level),
                    inside,
                    filter: Box::new(ObjectFilter::default()),
                }]
            }
            SceneVolume::Metaballs { .. } => {
                let volume = scenes.iter().zip(&job.scenes);
                let volume = volume
                    .filter(|(_, scene)| scene.name == self.name)
                    .find_map(|(scene, _)| match &scene.volume {
                        AnyDeviceVolume::F32(volume) => Some(volume),
                        _ => None,
                    });
                if let Some(volume) = volume {
                    let samples = stream.download(volume.samples())?;
                    let volume = Volume::new(samples, volume.dims(), *volume.geometry());
                    let volume: AnyVolume = volume.map_err(at(file))?.into();
                    stages.run("write", || {
                        write_volume(file, &volume, &VolumeWriteOptions::default())
                    })?;
                }
                let curves = outcome.picture_file.with_extension("swc");
                let object = ObjectSource::Volume {
                    source: source(),
                    level,
                    inside,
                };
                let devices = vec![job.device.clone()];
                // one branch for each ball, although the balls are hardly longer than wide
                let branches = BranchRule::Significance {
                    min_significance: 0.6,
                    min_length: 0.0,
                };
                let skeleton = SkeletonJob {
                    method: skeleton::Method::Medial(medial::Params {
                        branches,
                        ..medial::Params::default()
                    }),
                    outputs: vec![curves.clone()],
                    ..SkeletonJob::new(object, devices.clone())
                };
                stages.run("skeleton", || skeleton::run(&skeleton, monitor))?;
                let map = job.folder.join(format!("{}-distances.nii.gz", self.name));
                let sites = SitesFrom::Level {
                    level,
                    inside,
                    sub_voxel: false,
                };
                let distances = DistanceJob {
                    signed: true,
                    output: Some(map.clone()),
                    devices,
                    ..DistanceJob::new(*source(), sites)
                };
                stages.run("distances", || distance::run(&distances, monitor))?;
                outcome.derived_files = vec![curves.clone(), map.clone()];
                vec![
                    SceneContent::Mesh(outcome.mesh_file.clone()),
                    SceneContent::Skeleton(curves),
                    SceneContent::DistanceMap(Box::new(VolumeSource::new(map))),
                ]
            }
        };
        let page = ViewJob {
            title: self.name.to_owned(),
            device: job.device.clone(),
            ..ViewJob::new(contents, &outcome.page_file)
        };
        stages.run("page", || view::run(&page, monitor))?;
        Ok(())
    }
}
