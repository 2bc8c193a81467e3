//! From volumes, labels, meshes and skeletons to a picture or an animation of their surfaces.

mod options;
mod scene_work;
mod surfaces;

pub use options::PictureOptions;

use super::{
    DeviceRun, Level, ObjectFilter, PipelineError, SceneContent, SceneObject, Timings,
    VolumeSource, Warning,
    outcome::Stages,
    paths::{self, OutputKind},
    write_picture,
};
use crate::{
    device::{Device, start_threads},
    grid::{Geometry, Inside, SampleType},
    io::FileGroup,
    monitor::Monitor,
};
use scene_work::SceneWork;
use std::{
    io::Write,
    path::{Path, PathBuf},
};

/// A picture to draw, by [`run`].
#[derive(Clone, Debug)]
pub struct RenderJob {
    /// Objects of the picture.
    pub contents: Vec<SceneContent>,
    /// Picture file to write: `.png`.
    pub output: PathBuf,
    /// View, size and colours of the picture.
    pub picture: PictureOptions,
    /// Device that extracts surfaces and draws.
    pub device: Device,
}

impl RenderJob {
    /// Creates a job that draws the surface of a volume at `level` on the best device, with the
    /// default view. The solid is above an isovalue.
    pub fn new(volume: VolumeSource, level: Level, output: impl Into<PathBuf>) -> Self {
        Self::with_device(volume, level, output, Device::best())
    }

    /// Creates a job like [`new`](Self::new) for this device.
    pub fn with_device(
        volume: VolumeSource,
        level: Level,
        output: impl Into<PathBuf>,
        device: Device,
    ) -> Self {
        let content = SceneContent::Volume {
            source: Box::new(volume),
            level: Some(level),
            inside: Inside::Above,
            filter: Box::new(ObjectFilter::default()),
        };
        Self {
            contents: vec![content],
            output: output.into(),
            picture: PictureOptions::default(),
            device,
        }
    }

    /// Sets the properties of the picture.
    #[must_use]
    pub fn picture(self, picture: PictureOptions) -> Self {
        Self { picture, ..self }
    }
}

/// Description of a picture that was drawn.
#[derive(Clone, Debug)]
pub struct RenderOutcome {
    /// Objects of the picture.
    pub objects: Vec<SceneObject>,
    /// Volumes whose surfaces were drawn, in order.
    pub volumes: Vec<RenderedVolume>,
    /// Range of the values that colours show.
    pub value_range: Option<[f64; 2]>,
    /// Width and height of the picture in pixels.
    pub size: [u32; 2],
    /// Work and memory of the device.
    pub device: DeviceRun,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// Time of the stages: `read`, `threshold` for [`Level::Otsu`], `filter`, `upload`, `extract`,
    /// `values`, `draw`, `write`.
    pub timings: Timings,
}

/// Volume whose surface was drawn.
#[derive(Clone, Copy, Debug)]
pub struct RenderedVolume {
    /// Samples of the volume along x, y and z.
    pub dims: [usize; 3],
    /// Position of the samples in the world.
    pub geometry: Geometry,
    /// Sample type of the file.
    pub sample_type: SampleType,
    /// Isovalue; 0.5 for a selection of samples, `None` for labels.
    pub iso: Option<f64>,
}

/// Reads objects, extracts their surfaces, draws them and writes the picture. The objects fill the
/// picture; volumes are cropped to their solids.
///
/// ```
/// use ferrovox::grid::{Geometry, Volume};
/// use ferrovox::io::{VolumeWriteOptions, write_volume};
/// use ferrovox::monitor::Monitor;
/// use ferrovox::pipeline::{Level, VolumeSource, render::{self, PictureOptions, RenderJob}};
///
/// let folder = tempfile::tempdir()?;
/// let input = folder.path().join("ramp.nrrd");
/// let ramp = Volume::from_fn([4, 4, 10], Geometry::default(), |_, _, z| z as f32)?;
/// write_volume(&input, &ramp.into(), &VolumeWriteOptions::default())?;
///
/// let picture = PictureOptions { width: 40, height: 30, ..PictureOptions::default() };
/// let output = folder.path().join("ramp.png");
/// let job = RenderJob::new(VolumeSource::new(&input), Level::Iso(3.5), output).picture(picture);
/// let outcome = render::run(&job, &Monitor::new())?;
/// assert_eq!(outcome.size, [40, 30]);
/// assert!(outcome.warnings.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PipelineError`] with the name of the file: errors of paths before anything is read, of files,
/// of the size of the picture, of the device, and [`PipelineError::Cancelled`].
pub fn run(job: &RenderJob, monitor: &Monitor<'_>) -> Result<RenderOutcome, PipelineError> {
    start_threads()?;
    let contents = job.contents.iter();
    let mut inputs: Vec<&Path> = contents.flat_map(SceneContent::inputs).collect();
    inputs.extend(job.picture.values.iter().map(|it| it.path.as_path()));
    paths::check(&inputs, &[(&job.output, OutputKind::Picture)])?;
    for content in &job.contents {
        content.check()?;
    }
    job.device.reset_peak_memory();
    let mut work = SceneWork::new(job, Stages::begin(monitor))?;
    for content in &job.contents {
        work.add(content)?;
    }
    work.read_values()?;
    let path = job
        .contents
        .first()
        .map_or(&*job.output, SceneContent::path);
    let params = job.picture.params();
    match job.picture.turntable {
        None => {
            let picture = work.draw(|scene, stream| scene.draw(stream, &params), path)?;
            work.stages
                .run("write", || write_picture(&job.output, &picture))?;
        }
        Some(pictures) => {
            let draw = |scene: &crate::render::Scene<'_>, stream: &_| {
                scene.draw_turntable(stream, &params, pictures)
            };
            let file = work.draw(draw, path)?;
            work.stages.run("write", || {
                let mut group = FileGroup::new();
                group.write(&job.output, |out| out.write_all(&file))?;
                group.finish()
            })?;
        }
    }
    Ok(RenderOutcome {
        objects: work.objects,
        volumes: work.volumes,
        value_range: work.value_range,
        size: [params.width, params.height],
        device: DeviceRun::new(&job.device, 1, Vec::new()),
        warnings: work.warnings,
        timings: work.stages.finish(),
    })
}
