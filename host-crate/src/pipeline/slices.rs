//! From a volume file to a montage of planes.

use super::{
    Level, ObjectFilter, PipelineError, Timings, VolumeSource, Warning, at,
    object_volume::LeveledVolume,
    outcome::Stages,
    paths::{self, OutputKind},
    scene_content::{Conventions, label_color},
    write_picture,
};
use crate::{
    device::start_threads,
    grid::{Geometry, SampleType},
    io::LabelTable,
    monitor::Monitor,
    render::{MontageLabels, MontageParams, RenderError, montage},
};
use std::path::PathBuf;

/// A montage to draw, by [`run`].
#[derive(Clone, Debug)]
pub struct SlicesJob {
    /// The volume.
    pub volume: VolumeSource,
    /// Level whose contour is drawn: an isovalue, or none.
    pub level: Option<Level>,
    /// Label map that is drawn over the planes.
    pub overlay: Option<VolumeSource>,
    /// Colours of the labels.
    pub table: LabelTable,
    /// Number of planes perpendicular to each axis.
    pub planes: u32,
    /// Width of the picture, in pixels.
    pub width: u32,
    /// Picture file to write: `.png`.
    pub output: PathBuf,
}

impl SlicesJob {
    /// Creates a job that draws four planes per axis, 1200 pixels wide.
    pub fn new(volume: VolumeSource, output: impl Into<PathBuf>) -> Self {
        let params = MontageParams::default();
        Self {
            volume,
            level: None,
            overlay: None,
            table: LabelTable::default(),
            planes: params.planes,
            width: params.width,
            output: output.into(),
        }
    }
}

/// Description of a montage that was drawn.
#[derive(Clone, Debug)]
pub struct SlicesOutcome {
    /// Samples of the volume along x, y and z.
    pub dims: [usize; 3],
    /// Position of the samples in the world.
    pub geometry: Geometry,
    /// Sample type of the file.
    pub sample_type: SampleType,
    /// Isovalue, if there is one.
    pub iso: Option<f64>,
    /// Width and height of the picture in pixels.
    pub size: [u32; 2],
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// Time of the stages: `read`, `threshold`, `overlay`, `draw`, `write`.
    pub timings: Timings,
}

/// Reads a volume, draws planes through its object, and writes the picture.
///
/// ```
/// use ferrovox::grid::{Geometry, Volume};
/// use ferrovox::io::{VolumeWriteOptions, write_volume};
/// use ferrovox::monitor::Monitor;
/// use ferrovox::pipeline::{VolumeSource, slices::{self, SlicesJob}};
///
/// let folder = tempfile::tempdir()?;
/// let input = folder.path().join("ramp.nrrd");
/// let ramp = Volume::from_fn([8, 9, 10], Geometry::default(), |_, _, z| z as f32)?;
/// write_volume(&input, &ramp.into(), &VolumeWriteOptions::default())?;
///
/// let job = SlicesJob::new(VolumeSource::new(&input), folder.path().join("ramp.png"));
/// let job = SlicesJob { width: 200, ..job };
/// assert_eq!(slices::run(&job, &Monitor::new())?.size[0], 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PipelineError`] with the name of the file: errors of paths before anything is read, of files,
/// of the size of the picture, and [`PipelineError::Cancelled`].
pub fn run(job: &SlicesJob, monitor: &Monitor<'_>) -> Result<SlicesOutcome, PipelineError> {
    start_threads()?;
    let mut inputs = vec![job.volume.path.as_path()];
    inputs.extend(job.overlay.iter().map(|it| it.path.as_path()));
    paths::check(&inputs, &[(&job.output, OutputKind::Picture)])?;
    let path = &job.volume.path;
    let mut stages = Stages::begin(monitor);
    let mut warnings = Vec::new();
    let level = job.level.unwrap_or(Level::NonZero);
    level.check().map_err(job.volume.error())?;
    let filter = ObjectFilter::default();
    let file = LeveledVolume::read(&job.volume, level, &filter, &mut stages, &mut warnings)?;
    let iso = level.is_isovalue().then(|| file.level.isovalue());
    let overlay = match &job.overlay {
        Some(source) => {
            let overlay = stages.run("overlay", || source.read())?;
            warnings.extend(source.notes(&overlay.header));
            Some(overlay.volume)
        }
        None => None,
    };
    let color = |label: i64| label_color(&job.table, label);
    let conventions = Conventions::from_header(&file.header);
    let defaults = MontageParams::default();
    let params = MontageParams {
        planes: job.planes,
        width: job.width,
        iso,
        letters: if conventions.is_anatomical {
            Conventions::ANATOMICAL_AXES
        } else {
            defaults.letters
        },
        ..defaults
    };
    let labels = overlay.as_ref().map(|volume| MontageLabels {
        volume,
        color: &color,
    });
    let picture = stages.run("draw", || {
        montage(&file.volume, labels.as_ref(), &params).map_err(at::<RenderError>(path))
    })?;
    stages.run("write", || write_picture(&job.output, &picture))?;
    Ok(SlicesOutcome {
        dims: file.volume.dims(),
        geometry: *file.volume.geometry(),
        sample_type: file.volume.sample_type(),
        iso,
        size: [picture.width(), picture.height()],
        warnings,
        timings: stages.finish(),
    })
}
