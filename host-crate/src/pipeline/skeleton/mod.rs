//! From an object in a file to its skeleton.

mod object;

pub use super::error::ObjectError;
pub use object::ObjectSource;

use super::{
    PipelineError, Problem, Timings, Warning, at,
    outcome::Stages,
    paths::{self, OutputKind},
    write_picture,
};
use crate::{
    device::{Device, DeviceError, Stream},
    graph::Prune,
    grid::Geometry,
    io::{write_field, write_skeleton},
    monitor::Monitor,
    render::{self, Picture, RenderParams, SkeletonStyle, ViewDirection},
    skeleton::{Certificate, Execution, Extraction, SkeletonParams, skeleton_on_devices},
    with_device_volume,
};
use object::Object;
use std::path::{Path, PathBuf};

/// A skeleton to make of an object.
#[derive(Clone, Debug)]
pub struct SkeletonJob {
    /// The object.
    pub object: ObjectSource,
    /// The parameters of the skeleton.
    pub params: SkeletonParams,
    /// Branches with a free end that are shorter than this, in world units, are removed.
    pub prune: Option<f64>,
    /// Two curves that meet at a node where no other does become one.
    pub merge: bool,
    /// Skeleton files to write.
    pub outputs: Vec<PathBuf>,
    /// The file of the force field to write.
    pub field: Option<PathBuf>,
    /// The picture to write.
    pub picture: Option<PictureJob>,
    /// Where to run: the first does everything, and all of them the field.
    pub devices: Vec<Device>,
}

/// A picture of a skeleton over its object.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureJob {
    /// The file to write.
    pub path: PathBuf,
    /// From where to look.
    pub view: ViewDirection,
    /// Pixels along x.
    pub width: u32,
    /// Pixels along y.
    pub height: u32,
}

/// What was made.
#[derive(Clone, Debug)]
pub struct SkeletonOutcome {
    /// The skeleton, pruned and merged as asked, and how it was made.
    pub extraction: Extraction,
    /// Voxels of the object's grid along x, y and z.
    pub dims: [usize; 3],
    /// Where the grid lies in the world.
    pub geometry: Geometry,
    /// Branches that were pruned away.
    pub pruned: usize,
    /// Cycles that the last of the files that are trees lacks.
    pub cut_cycles: usize,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// How long each stage took.
    pub timings: Timings,
}

impl SkeletonOutcome {
    /// The sum of all components' certificates.
    pub fn certificate(&self) -> Certificate {
        Certificate::sum(&self.extraction.certificate)
    }

    /// Components whose certificate does not balance.
    pub fn unbalanced(&self) -> usize {
        let all = self.extraction.certificate.iter();
        all.filter(|certificate| !certificate.balanced()).count()
    }
}

/// Reads the object, makes its skeleton, and writes it, with its force field and a picture where these are asked for.
///
/// Memory and time are those of [`skeleton()`](crate::skeleton::skeleton()), with the volume on the host and on the first device; the picture takes a
/// second volume, cut to the object.
///
/// ```
/// use ferrovox::{device::Device, grid::{Geometry, Selection, Volume}, io, monitor::Monitor};
/// use ferrovox::pipeline::{VolumeSource, skeleton::{ObjectSource, SkeletonJob, run}};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("bar.nrrd");
/// let is_in = |x, y, z| (2..22).contains(&x) && (2..7).contains(&y) && (2..7).contains(&z);
/// let bar = Volume::from_fn([24, 9, 9], Geometry::default(), |x, y, z| u8::from(is_in(x, y, z)))?;
/// io::write_volume(&path, &bar.into(), &io::VolumeWriteOptions::default())?;
///
/// let object = ObjectSource::Volume { source: VolumeSource::new(&path).into(), voxels: Selection::Label(1.0) };
/// let job = SkeletonJob {
///     outputs: vec![folder.path().join("bar.swc")],
///     ..SkeletonJob::new(object, vec![Device::best()])
/// };
/// let made = run(&job, &Monitor::silent())?;
/// assert!(made.certificate().balanced() && made.extraction.skeleton.is_connected());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// What is wrong with the files, the parameters or the object, with the file's name where it is about the object; what fails on a device.
pub fn run(job: &SkeletonJob, monitor: &Monitor<'_>) -> Result<SkeletonOutcome, PipelineError> {
    let path = job.object.path();
    job.params.check().map_err(at(path))?;
    job.object.check()?;
    paths::check(&[path], &job.paths())?;
    let streams: Result<Vec<Stream>, DeviceError> =
        job.devices.iter().map(Device::stream).collect();
    let streams = streams?;
    let execution = Execution::on(&streams).map_err(at(path))?;
    let stream = execution.first();
    let mut stages = Stages::begin(monitor);
    let mut warnings = Vec::new();
    let mut object = job.object.load(stream, &mut stages, &mut warnings)?;
    let execution = execution.monitored_by(*monitor);
    let (mut extraction, field) = stages.run("skeleton", || {
        skeleton_on_devices(execution, &object.mask, &job.params).map_err(at(path))
    })?;
    let pruned = match job.prune {
        Some(limit) => {
            let prune = extraction.skeleton.prune(Prune::Length(limit));
            prune.map_err(at(path))?
        }
        None => 0,
    };
    if job.merge {
        extraction.skeleton.merge_chains();
    }
    let picture = match &job.picture {
        Some(wanted) => {
            let drawn = || draw(wanted, stream, &mut object, &extraction).map_err(at(path));
            Some((&wanted.path, stages.run("draw", drawn)?))
        }
        None => None,
    };
    let dims = object.mask.dims();
    let mut cut_cycles = 0;
    stages.run("write", || {
        for output in &job.outputs {
            let written = write_skeleton(output, &extraction.skeleton)?;
            if written.cut_cycles > 0 {
                cut_cycles = written.cut_cycles;
                warnings.push(Warning::CutCycles {
                    path: output.clone(),
                    count: cut_cycles,
                });
            }
        }
        if let Some(output) = &job.field {
            let vectors = field.vectors(stream).map_err(at(path))?;
            write_field(output, dims, vectors)?;
        }
        if let Some((output, picture)) = &picture {
            write_picture(output, picture)?;
        }
        Ok::<_, PipelineError>(())
    })?;
    let mut outcome = SkeletonOutcome {
        extraction,
        dims,
        geometry: *object.mask.geometry(),
        pruned,
        cut_cycles,
        warnings,
        timings: stages.finish(),
    };
    let count = outcome.unbalanced();
    if count > 0 {
        outcome.warnings.push(Warning::Unbalanced {
            path: path.to_owned(),
            count,
            all: outcome.extraction.certificate.len(),
        });
    }
    Ok(outcome)
}

impl SkeletonJob {
    /// The skeleton of an object with default parameters, without any file.
    pub fn new(object: ObjectSource, devices: Vec<Device>) -> Self {
        Self {
            object,
            params: SkeletonParams::default(),
            prune: None,
            merge: false,
            outputs: Vec::new(),
            field: None,
            picture: None,
            devices,
        }
    }

    /// The files that are written.
    fn paths(&self) -> Vec<(&Path, OutputKind)> {
        let skeletons = self.outputs.iter().map(|it| (&**it, OutputKind::Skeleton));
        let field = self.field.iter().map(|it| (&**it, OutputKind::Field));
        let picture = self.picture.iter();
        let picture = picture.map(|it| (&*it.path, OutputKind::Picture));
        skeletons.chain(field).chain(picture).collect()
    }
}

/// Draws the skeleton over its object, with curves as wide as is seen in a picture of that size.
fn draw(
    wanted: &PictureJob,
    stream: &Stream,
    object: &mut Object,
    extraction: &Extraction,
) -> Result<Picture, Problem> {
    let (solid, iso) = object.solid(stream)?;
    let params = RenderParams {
        iso,
        view: wanted.view,
        width: wanted.width,
        height: wanted.height,
        ..RenderParams::default()
    };
    let shorter = wanted.width.min(wanted.height);
    let style = SkeletonStyle {
        width: (shorter as f32 / 200.0).max(1.5),
        ..SkeletonStyle::default()
    };
    let skeleton = &extraction.skeleton;
    Ok(
        with_device_volume!(&solid, volume => render::skeleton(stream, volume, skeleton, &params, &style))?,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        io::{MeshWriteOptions, write_mesh},
        mesh::{TriangleMesh, Triangles},
        monitor::CancelFlag,
        skeleton::Levels,
        voxelize::VoxelizeParams,
    };
    use std::{path::Path, sync::Mutex};

    /// A bar of 40 x 8 x 8, as a mesh of 12 triangles.
    fn bar(folder: &Path) -> ObjectSource {
        let corner = |k: u8| [0, 1, 2].map(|axis| f32::from(k >> axis & 1));
        let sides = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        let triangles = sides
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
        let mesh = TriangleMesh {
            vertices: (0..8)
                .map(corner)
                .map(|[x, y, z]| [40.0 * x, 8.0 * y, 8.0 * z])
                .collect(),
            normals: None,
            triangles: Triangles::U32(triangles.collect()),
        };
        let path = folder.join("bar.ply");
        write_mesh(&path, &mesh, &MeshWriteOptions::default()).unwrap();
        ObjectSource::Mesh {
            path,
            grid: VoxelizeParams::with_voxel_size(1.0),
        }
    }

    #[test]
    fn a_mesh_has_a_skeleton() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let job = SkeletonJob {
            params: SkeletonParams {
                levels: Levels::Core,
                ..SkeletonParams::default()
            },
            outputs: vec![path("bar.swc"), path("bar.vtp")],
            field: Some(path("bar.npy")),
            picture: Some(PictureJob {
                path: path("bar.png"),
                view: ViewDirection::default(),
                width: 40,
                height: 30,
            }),
            ..SkeletonJob::new(bar(folder.path()), vec![Device::cpu()])
        };
        let told = Mutex::new(Vec::new());
        let hook = |at: crate::monitor::Progress| told.lock().unwrap().push(at.stage);
        let made = run(&job, &Monitor::silent().on_progress(&hook)).unwrap();
        assert!(made.certificate().balanced() && made.warnings.is_empty());
        assert_eq!(made.dims, [44, 12, 12]);
        assert_eq!(made.extraction.counts.object(), 40 * 8 * 8);
        for name in ["bar.swc", "bar.vtp", "bar.npy", "bar.png"] {
            assert!(path(name).exists(), "{name}");
        }
        let stages: Vec<_> = made.timings.stages.iter().map(|it| it.stage).collect();
        assert_eq!(stages, ["read", "object", "skeleton", "draw", "write"]);
        let mut told = told.into_inner().unwrap();
        told.dedup();
        assert_eq!(
            told,
            ["read", "object", "skeleton", "field", "draw", "write"]
        );
    }

    #[test]
    fn a_flag_stops_it_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("bar.swc");
        let job = SkeletonJob {
            outputs: vec![output.clone()],
            ..SkeletonJob::new(bar(folder.path()), vec![Device::cpu()])
        };
        let flag = CancelFlag::new();
        flag.cancel();
        let error = run(&job, &Monitor::silent().cancelled_by(&flag)).unwrap_err();
        assert!(error.is_cancelled(), "{error}");
        assert!(!output.exists());
        let nowhere = SkeletonJob {
            devices: Vec::new(),
            ..job
        };
        let error = run(&nowhere, &Monitor::silent()).unwrap_err();
        let text = error.to_string();
        assert!(text.ends_with("bar.ply: there is no device to make the skeleton"));
    }
}
