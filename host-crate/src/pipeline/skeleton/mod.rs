//! From an object in a file, or the labels of one, to skeletons.

mod defect;
mod draw;
mod job;
mod load;
mod object;
mod outcome;
#[cfg(test)]
mod tests;
mod write;

pub use super::error::{ObjectError, SkeletonJobError};
pub use defect::Defect;
pub use job::{Method, PictureJob, SkeletonJob};
pub use object::ObjectSource;
pub use outcome::{Checks, LabelOutcome, SkeletonOutcome};

use super::{PipelineError, Warning, add_picture, at, outcome::Stages};
use crate::{
    device::{Device, DeviceError, Stream, start_threads},
    graph::Prune,
    grid::{AnyVolume, with_volume},
    io::FileGroup,
    memory::{CollectOrUnwind, catch_out_of_memory},
    monitor::{Monitor, StageTime},
    skeleton::{
        SkeletonError,
        medial::{self, Skeletons},
        potential_field::{self, Execution, field::ForceField},
    },
};
use object::{HostVoxels, Object};

/// What was made, before it is pruned and written.
struct Made {
    object: Object,
    labels: Vec<LabelOutcome>,
    stages: Vec<StageTime>,
    devices: Vec<Device>,
    /// On this stream.
    field: Option<(ForceField, Stream)>,
}

/// Reads the object, makes its skeleton or that of each label, and writes them, with the force
/// field and a picture where these are asked for.
///
/// Memory and time are those of [`medial::extract`], with the volume on
/// the host; or of [`potential_field::extract`], with the volume on the host and on
/// the first device. The picture takes a second volume, cut to the object.
///
/// ```
/// use ferrovox::{grid::{Geometry, Volume}, io, monitor::Monitor};
/// use ferrovox::pipeline::{VolumeSource, skeleton::{ObjectSource, SkeletonJob, run}};
///
/// // two bars, of the labels 3 and 5
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("bars.nrrd");
/// let bars = Volume::from_fn([24, 18, 9], Geometry::default(), |x, y, z| match (x, y, z) {
///     (2..22, 2..7, 2..7) => 3u8,
///     (2..22, 10..15, 2..7) => 5,
///     _ => 0,
/// })?;
/// io::write_volume(&path, &bars.into(), &io::VolumeWriteOptions::default())?;
///
/// let object = ObjectSource::Labels { source: VolumeSource::new(&path).into(), labels: None };
/// let job = SkeletonJob {
///     outputs: vec![folder.path().join("bar-{label}.swc")],
///     ..SkeletonJob::new(object, Vec::new())
/// };
/// let made = run(&job, &Monitor::silent())?;
/// assert_eq!(made.certified(), Some(true));
/// assert!(made.labels.iter().all(|bar| bar.skeleton.is_connected() && bar.skeleton.length() > 15.0));
/// assert!(folder.path().join("bar-5.swc").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// What is wrong with the files, the parameters or the object, with the file's name where it is
/// about the object; what fails on a device.
pub fn run(job: &SkeletonJob, monitor: &Monitor<'_>) -> Result<SkeletonOutcome, PipelineError> {
    start_threads()?;
    job.check()?;
    // lists of the graphs
    catch_out_of_memory(|| run_checked(job, monitor))
}

fn run_checked(job: &SkeletonJob, monitor: &Monitor<'_>) -> Result<SkeletonOutcome, PipelineError> {
    let mut stages = Stages::begin(monitor);
    let mut warnings = Vec::new();
    let mut made = match &job.method {
        Method::Medial(params) => whole(job, params, *monitor, &mut stages, &mut warnings)?,
        Method::PotentialField(params) => core(job, params, *monitor, &mut stages, &mut warnings)?,
    };
    let path = job.object.path();
    for label in &mut made.labels {
        if let Some(limit) = job.prune {
            let prune = label.skeleton.prune(Prune::Length(limit));
            label.pruned = prune.map_err(at(path))?;
        }
        if job.merge {
            label.skeleton.merge_chains();
        }
    }
    let picture = match &job.picture {
        Some(wanted) => {
            let drawn = || draw::draw(wanted, &job.stream()?, &mut made, path);
            Some((&wanted.path, stages.run("draw", drawn)?))
        }
        None => None,
    };
    let dims = made.object.dims();
    let written = stages.run("write", || {
        let mut group = FileGroup::new();
        let written = job.write(&mut group, &made.labels, &mut warnings)?;
        if let (Some(output), Some((field, stream))) = (&job.field, &made.field) {
            let vectors = field.vectors(stream).map_err(at(path))?;
            group.write_field(output, dims, vectors)?;
        }
        if let Some((output, picture)) = &picture {
            add_picture(&mut group, output, picture)?;
        }
        group.finish()?;
        Ok::<_, PipelineError>(written)
    })?;
    let mut outcome = SkeletonOutcome {
        labels: made.labels,
        dims,
        geometry: made.object.geometry(),
        devices: made.devices,
        cut_cycles: written.cut_cycles,
        written: written.files,
        warnings,
        timings: stages.finish(),
        stages: made.stages,
    };
    let doubts = outcome.doubts(path);
    outcome.warnings.extend(doubts);
    Ok(outcome)
}

/// By the method for whole objects, on the host and the devices.
fn whole(
    job: &SkeletonJob,
    params: &medial::Params,
    monitor: Monitor<'_>,
    stages: &mut Stages<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Made, PipelineError> {
    let object = job.load(stages, warnings)?;
    let devices = if job.devices.is_empty() && object.voxels.are_many() {
        vec![Device::best()]
    } else {
        job.devices.clone()
    };
    let skeletons = || match &object.voxels {
        HostVoxels::Mask(mask) => medial::extract(&devices, mask, params, monitor),
        HostVoxels::Labels(volume, _) => of_labels(volume, job, &devices, params, monitor),
    };
    let found = stages.run("skeleton", || skeletons().map_err(at(job.object.path())))?;
    // an object that is not of labels has the label 1 there
    let alone = match &object.voxels {
        HostVoxels::Labels(..) => None,
        HostVoxels::Mask(_) => job
            .object
            .labels()
            .and_then(|labels| labels.first().copied()),
    };
    let labels = found.labels.into_iter();
    let labels = labels
        .map(|found| {
            let label = alone.unwrap_or(found.label);
            LabelOutcome::from_medial(found, label)
        })
        .collect_or_unwind();
    Ok(Made {
        object: object.anywhere(),
        labels,
        stages: found.times,
        devices,
        field: None,
    })
}

/// Those of all labels that the job names.
fn of_labels(
    volume: &AnyVolume,
    job: &SkeletonJob,
    devices: &[Device],
    params: &medial::Params,
    monitor: Monitor<'_>,
) -> Result<Skeletons, SkeletonError> {
    let params = medial::Params {
        labels: job.object.labels(),
        ..params.clone()
    };
    with_volume!(volume, volume => medial::extract(devices, volume.view(), &params, monitor))
}

/// By the published method, on the devices.
fn core(
    job: &SkeletonJob,
    params: &potential_field::Params,
    monitor: Monitor<'_>,
    stages: &mut Stages<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Made, PipelineError> {
    let path = job.object.path();
    let streams: Result<Vec<Stream>, DeviceError> =
        job.devices.iter().map(Device::stream).collect();
    let mut streams = streams?;
    let execution = Execution::new(&streams).map_err(at(path))?;
    let object = job.load_on_device(execution.first(), stages, warnings)?;
    let params = potential_field::Params {
        fill: params.fill || job.fill,
        ..*params
    };
    let extraction = stages.run("skeleton", || {
        let execution = execution.with_monitor(monitor);
        potential_field::extract(execution, &object.voxels, &params).map_err(at(path))
    })?;
    let label = job
        .object
        .labels()
        .and_then(|labels| labels.first().copied());
    let (outcome, times, field) =
        LabelOutcome::from_potential_field(extraction, label.unwrap_or(1));
    let first = streams.swap_remove(0);
    Ok(Made {
        object: object.anywhere(),
        labels: vec![outcome],
        stages: times,
        devices: job.devices.clone(),
        field: Some((field, first)),
    })
}
