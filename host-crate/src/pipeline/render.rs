//! From a volume file to a picture of its isosurface.

use super::{
    DeviceRun, PipelineError, Timings, VolumeSource, Warning, WhyEmpty, at,
    kernel_samples::for_kernels,
    outcome::Stages,
    paths::{self, OutputKind},
    write_picture,
};
use crate::{
    device::{Device, DeviceError, start_threads},
    grid::{AnyDeviceVolume, Geometry, SampleType},
    memory::OutOfMemory,
    monitor::Monitor,
    render::{self, RenderParams},
    with_device_volume,
};
use std::path::PathBuf;

/// What [`run`] is to do.
#[derive(Clone, Debug)]
pub struct RenderJob {
    /// The volume.
    pub volume: VolumeSource,
    /// The picture: `.png`.
    pub output: PathBuf,
    /// Which surface, from where, and how large.
    pub params: RenderParams,
    /// Who draws it.
    pub device: Device,
    /// The isovalue where it is no number of `f32`: in place of that of `params`, for samples of
    /// `i32` that `f32` does not hold.
    pub level: Option<f64>,
}

/// What was drawn.
#[derive(Clone, Debug)]
pub struct RenderOutcome {
    /// Samples of the volume along x, y and z.
    pub dims: [usize; 3],
    /// Where they lie in the world.
    pub geometry: Geometry,
    /// Their type in the file.
    pub sample_type: SampleType,
    /// Pixels of the picture along x and y.
    pub size: [u32; 2],
    /// What the device did.
    pub device: DeviceRun,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// How long it took: `read`, `upload`, `draw`, `write`.
    pub timings: Timings,
}

/// Reads a volume, draws its isosurface and writes the picture. The solid fills it: air around it
/// is left out.
///
/// ```
/// use ferrovox::{device::Device, grid::{Geometry, Volume}, io::{VolumeWriteOptions, write_volume}};
/// use ferrovox::{monitor::Monitor, pipeline::{VolumeSource, render::{self, RenderJob}}, render::RenderParams};
///
/// let folder = tempfile::tempdir()?;
/// let input = folder.path().join("ramp.nrrd");
/// let ramp = Volume::from_fn([4, 4, 10], Geometry::default(), |_, _, z| z as f32)?;
/// write_volume(&input, &ramp.into(), &VolumeWriteOptions::default())?;
///
/// let job = RenderJob {
///     volume: VolumeSource::new(&input),
///     output: folder.path().join("ramp.png"),
///     params: RenderParams { iso: 3.5, width: 40, height: 30, ..RenderParams::default() },
///     device: Device::cpu(),
///     level: None,
/// };
/// let outcome = render::run(&job, &Monitor::silent())?;
/// assert_eq!(outcome.size, [40, 30]);
/// assert!(outcome.warnings.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PipelineError`], which names the file: of paths before anything is read, of files, of the
/// picture's size, of the device, and [`PipelineError::Cancelled`].
pub fn run(job: &RenderJob, monitor: &Monitor<'_>) -> Result<RenderOutcome, PipelineError> {
    start_threads()?;
    paths::check(&[&job.volume.path], &[(&job.output, OutputKind::Picture)])?;
    job.device.reset_peak_memory();
    let stream = job.device.stream()?;
    let (params, path) = (&job.params, &job.volume.path);
    let mut stages = Stages::begin(monitor);
    let file = stages.run("read", || job.volume.read())?;
    let mut warnings = job.volume.notes(&file.header);
    let (dims, sample_type) = (file.volume.dims(), file.volume.sample_type());
    let geometry = *file.volume.geometry();
    let samples = file.volume.summary();
    let level = job.level.unwrap_or(params.iso.into());
    let exact = for_kernels(&job.volume, &file.header, file.volume, level)?;
    let volume = exact.volume;
    warnings.extend(job.volume.conversion(&file.header, exact.inexact));
    let params = &RenderParams {
        iso: exact.iso,
        ..*params
    };
    let volume = volume
        .try_crop_to_solid(params.iso, params.inside)
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
    if picture.is_only(params.background) {
        warnings.push(Warning::Empty {
            path: path.clone(),
            what: "picture",
            why: WhyEmpty::of(&samples, dims, job.params.iso),
        });
    }
    stages.run("write", || write_picture(&job.output, &picture))?;
    Ok(RenderOutcome {
        dims,
        geometry,
        sample_type,
        size: [picture.width(), picture.height()],
        device: DeviceRun::of(&job.device, 1, Vec::new()),
        warnings,
        timings: stages.finish(),
    })
}
