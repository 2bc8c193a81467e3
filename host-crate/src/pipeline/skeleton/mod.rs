//! Skeleton jobs: from the object, or the labels, in a file to skeleton files.

mod draw;
mod job;
mod load;
mod located_violation;
mod object;
mod outcome;
#[cfg(test)]
mod tests;
mod write;

pub use super::error::{ObjectError, SkeletonJobError};
pub use job::{Method, PictureJob, SkeletonJob};
pub use located_violation::LocatedViolation;
pub use object::ObjectSource;
pub use outcome::{Checks, LabelOutcome, SkeletonOutcome};

use super::{PipelineError, Warning, add_picture, at, outcome::Stages};
use crate::{
    device::{Device, DeviceError, Stream, start_threads},
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

/// Result of the extraction, before pruning and writing.
struct ExtractedSkeletons {
    object: Object,
    labels: Vec<LabelOutcome>,
    stages: Vec<StageTime>,
    devices: Vec<Device>,
    /// The force field, with the stream on which it was computed.
    field: Option<(ForceField, Stream)>,
}

/// Runs a job: reads the object, extracts its skeleton or that of each label, and writes the
/// skeletons and, if requested, the force field and a picture.
///
/// Memory and time are those of [`medial::extract`], plus the volume in host memory, or of
/// [`potential_field::extract`], plus the volume in the memory of the host and of the first device.
/// The picture takes a second volume, cropped to the object.
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
/// let outcome = run(&job, &Monitor::new())?;
/// assert_eq!(outcome.is_certified(), Some(true));
/// let mut bars = outcome.labels.iter();
/// assert!(bars.all(|bar| bar.skeleton.is_connected() && bar.skeleton.length() > 15.0));
/// assert!(folder.path().join("bar-5.swc").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Errors of the files, the parameters or the object, with the name of the file for errors of the
/// object; errors of the devices.
pub fn run(job: &SkeletonJob, monitor: &Monitor<'_>) -> Result<SkeletonOutcome, PipelineError> {
    start_threads()?;
    job.check()?;
    catch_out_of_memory("a skeleton", || run_checked(job, monitor))
}

fn run_checked(job: &SkeletonJob, monitor: &Monitor<'_>) -> Result<SkeletonOutcome, PipelineError> {
    let mut stages = Stages::begin(monitor);
    let mut warnings = Vec::new();
    let mut extracted = match &job.method {
        Method::Medial(params) => {
            extract_medial(job, params, *monitor, &mut stages, &mut warnings)?
        }
        Method::PotentialField(params) => {
            extract_potential_field(job, params, *monitor, &mut stages, &mut warnings)?
        }
    };
    let path = job.object.path();
    for label in &mut extracted.labels {
        if let Some(distance) = job.join {
            let joined = label.skeleton.join_components(distance);
            label.joined = joined.map_err(at(path))?;
        }
        if let Some(criterion) = job.prune {
            let pruned = label.skeleton.prune(criterion);
            label.pruned = pruned.map_err(at(path))?;
        }
        if job.merge {
            label.skeleton.merge_chains();
        }
    }
    let picture = match &job.picture {
        Some(picture) => {
            let draw = || draw::draw(picture, &job.stream()?, &mut extracted, path);
            Some((&picture.path, stages.run("draw", draw)?))
        }
        None => None,
    };
    let dims = extracted.object.dims();
    let written = stages.run("write", || {
        let mut group = FileGroup::new();
        let written = job.write_skeletons(&mut group, &extracted.labels, &mut warnings)?;
        if let (Some(output), Some((field, stream))) = (&job.field, &extracted.field) {
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
        labels: extracted.labels,
        dims,
        geometry: extracted.object.geometry(),
        iso: extracted.object.iso,
        devices: extracted.devices,
        cut_cycles: written.cut_cycles,
        written: written.files,
        warnings,
        timings: stages.finish(),
        stages: extracted.stages,
    };
    let warnings = outcome.check_warnings(path);
    outcome.warnings.extend(warnings);
    Ok(outcome)
}

/// Loads the object and extracts its skeletons by the medial method.
fn extract_medial(
    job: &SkeletonJob,
    params: &medial::Params,
    monitor: Monitor<'_>,
    stages: &mut Stages<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<ExtractedSkeletons, PipelineError> {
    let object = job.load(stages, warnings)?;
    let devices = if job.devices.is_empty() && object.voxels.justify_gpu() {
        vec![Device::best()]
    } else {
        job.devices.clone()
    };
    let extract = || match &object.voxels {
        HostVoxels::Mask(mask) => medial::extract(&devices, mask, params, monitor),
        HostVoxels::Labels(volume, _) => extract_labels(volume, job, &devices, params, monitor),
    };
    let found = stages.run("skeleton", || extract().map_err(at(job.object.path())))?;
    // `medial::extract` gives masks the label 1
    let mask_label = match &object.voxels {
        HostVoxels::Labels(..) => None,
        HostVoxels::Mask(_) => job
            .object
            .labels()
            .and_then(|labels| labels.first().copied()),
    };
    let labels = found.labels.into_iter();
    let labels = labels
        .map(|found| {
            let label = mask_label.unwrap_or(found.label);
            LabelOutcome::from_medial(found, label)
        })
        .collect_or_unwind();
    Ok(ExtractedSkeletons {
        object: object.erase_location(),
        labels,
        stages: found.timings,
        devices,
        field: None,
    })
}

/// Extracts the skeletons of all labels that the job selects.
fn extract_labels(
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

/// Loads the object and extracts its skeleton by the potential-field method.
fn extract_potential_field(
    job: &SkeletonJob,
    params: &potential_field::Params,
    monitor: Monitor<'_>,
    stages: &mut Stages<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<ExtractedSkeletons, PipelineError> {
    let path = job.object.path();
    let streams: Result<Vec<Stream>, DeviceError> =
        job.devices.iter().map(Device::stream).collect();
    let mut streams = streams?;
    let execution = Execution::new(&streams).map_err(at(path))?;
    let object = job.load_on_device(execution.first(), stages, warnings)?;
    let params = potential_field::Params {
        fill_cavities: params.fill_cavities || job.filter.fill_cavities,
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
    Ok(ExtractedSkeletons {
        object: object.erase_location(),
        labels: vec![outcome],
        stages: times,
        devices: job.devices.clone(),
        field: Some((field, first)),
    })
}
