//! From a volume file to a picture of its isosurface.

use super::{
    DeviceRun, Level, ObjectFilter, PipelineError, Timings, VolumeSource, Warning, at,
    object_volume::{LeveledVolume, ObjectVolume},
    outcome::Stages,
    paths::{self, OutputKind},
    write_picture,
};
use crate::{
    device::{Device, DeviceError, start_threads},
    grid::{AnyDeviceVolume, Geometry, Inside, SampleType},
    memory::OutOfMemory,
    monitor::Monitor,
    render::{self, Frame, RenderParams, ViewDirection},
    with_device_volume,
};
use std::path::PathBuf;

/// A picture of an isosurface to draw, by [`run`].
#[derive(Clone, Debug)]
pub struct RenderJob {
    /// The volume.
    pub volume: VolumeSource,
    /// Isovalue, or the samples whose surface is drawn.
    pub level: Level,
    /// Filter of the solid that is drawn. Voxels that it removes take the value of the outermost
    /// sample of the volume, and those that it adds the value of the innermost.
    pub filter: ObjectFilter,
    /// Picture file to write: `.png`.
    pub output: PathBuf,
    /// View, size and colours of the picture.
    pub picture: PictureOptions,
    /// Device that draws the picture.
    pub device: Device,
}

/// Properties of a picture of an isosurface, apart from its level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureOptions {
    /// Side of the level on which the solid is.
    pub inside: Inside,
    /// Direction of view.
    pub view: ViewDirection,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Rays per pixel along x and along y: 2 smooths edges.
    pub rays: u32,
    /// Colour of the surface: linear red, green and blue from 0 to 1.
    pub surface: [f32; 3],
    /// Colour of the background.
    pub background: [f32; 3],
    /// `true` for a transparent background.
    pub transparent: bool,
    /// Fraction by which hollows are darkened, from 0 to 1.
    pub occlusion: f32,
}

impl Default for PictureOptions {
    fn default() -> Self {
        let params = RenderParams::default();
        Self {
            inside: params.inside,
            view: params.view,
            width: params.width,
            height: params.height,
            rays: params.rays,
            surface: params.surface,
            background: params.background,
            transparent: params.transparent,
            occlusion: params.occlusion,
        }
    }
}

impl PictureOptions {
    fn params(self, iso: f32) -> RenderParams {
        RenderParams {
            iso,
            inside: self.inside,
            view: self.view,
            width: self.width,
            height: self.height,
            rays: self.rays,
            surface: self.surface,
            background: self.background,
            transparent: self.transparent,
            occlusion: self.occlusion,
            frame: Frame::Surface,
        }
    }
}

impl RenderJob {
    /// Creates a job that draws the surface at `level` on the best device, with the default view.
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
        Self {
            volume,
            level,
            filter: ObjectFilter::default(),
            output: output.into(),
            picture: PictureOptions::default(),
            device,
        }
    }

    /// Sets the filter of the solid.
    #[must_use]
    pub fn filter(self, filter: ObjectFilter) -> Self {
        Self { filter, ..self }
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
    /// Samples of the volume along x, y and z.
    pub dims: [usize; 3],
    /// Position of the samples in the world.
    pub geometry: Geometry,
    /// Sample type of the file.
    pub sample_type: SampleType,
    /// Isovalue; 0.5 for a selection of samples.
    pub iso: f64,
    /// Width and height of the picture in pixels.
    pub size: [u32; 2],
    /// Work and memory of the device.
    pub device: DeviceRun,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// Time of the stages: `read`, `threshold` for [`Level::Otsu`], `upload`, `draw`, `write`.
    pub timings: Timings,
}

/// Reads a volume, draws its isosurface and writes the picture. The volume is cropped to the solid,
/// so that the solid fills the picture.
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
    let mut inputs = vec![job.volume.path.as_path()];
    inputs.extend(job.filter.inputs());
    paths::check(&inputs, &[(&job.output, OutputKind::Picture)])?;
    job.level.check().map_err(job.volume.error())?;
    job.device.reset_peak_memory();
    let stream = job.device.stream()?;
    let path = &job.volume.path;
    let mut stages = Stages::begin(monitor);
    let mut warnings = Vec::new();
    let file = LeveledVolume::read(
        &job.volume,
        job.level,
        &job.filter,
        &mut stages,
        &mut warnings,
    )?;
    let (dims, sample_type) = (file.volume.dims(), file.volume.sample_type());
    let geometry = *file.volume.geometry();
    let samples = file.volume.summary();
    let level = file.level;
    let ObjectVolume {
        volume,
        iso,
        inside,
    } = file.into_object(
        &job.volume,
        job.picture.inside,
        &job.filter,
        &job.device,
        &mut stages,
        &mut warnings,
    )?;
    let params = &RenderParams {
        inside,
        ..job.picture.params(iso)
    };
    let volume = volume
        .try_crop_to_solid(iso, inside)
        .map_err(at::<OutOfMemory>(path))?;
    let upload = || {
        let on_device = AnyDeviceVolume::upload(&stream, &volume)?;
        stream.synchronize()?;
        Ok(on_device)
    };
    let on_device = stages.run("upload", || upload().map_err(at::<DeviceError>(path)))?;
    let picture = stages.run("draw", || {
        with_device_volume!(&on_device, volume => render::isosurface(&stream, volume, params))
            .map_err(at(path))
    })?;
    if picture.is_uniform(params.background) {
        warnings.push(Warning::Empty {
            path: path.clone(),
            what: "picture",
            reason: level.empty_reason(&samples, dims),
        });
    }
    stages.run("write", || write_picture(&job.output, &picture))?;
    Ok(RenderOutcome {
        dims,
        geometry,
        sample_type,
        iso: level.isovalue(),
        size: [picture.width(), picture.height()],
        device: DeviceRun::new(&job.device, 1, Vec::new()),
        warnings,
        timings: stages.finish(),
    })
}
