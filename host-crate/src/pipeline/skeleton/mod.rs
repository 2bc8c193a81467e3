//! From an object in a file to its skeleton.

mod object;

pub use object::{ObjectError, ObjectSource};

use super::{Note, PipelineError, error::at, picture::write_picture, stages::Stages};
use crate::{
    device::{Device, DeviceError, Stream},
    graph::Prune,
    grid::Geometry,
    io::{write_field, write_skeleton},
    monitor::{Counter, Monitor, StageTime},
    render::{self, Picture, RenderParams, SkeletonStyle, ViewDirection},
    skeleton::{Certificate, Execution, Extraction, SkeletonParams, field::Progress, skeleton_by},
    with_device_volume,
};
use object::Object;
use std::{
    path::PathBuf,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// What is to be made of an object.
#[derive(Clone, Debug)]
pub struct SkeletonJob {
    /// The object.
    pub object: ObjectSource,
    /// What the skeleton is to be.
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
    /// What a user should know.
    pub notes: Vec<Note>,
    /// How long each stage took.
    pub times: Vec<StageTime>,
    /// How long everything took.
    pub total: Duration,
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
/// use ferrovox::pipeline::{VolumeInput, skeleton::{ObjectSource, SkeletonJob, run}};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("bar.nrrd");
/// let is_in = |x, y, z| (2..22).contains(&x) && (2..7).contains(&y) && (2..7).contains(&z);
/// let bar = Volume::from_fn([24, 9, 9], Geometry::default(), |x, y, z| u8::from(is_in(x, y, z)))?;
/// io::write_volume(&path, &bar.into(), &io::VolumeWriteOptions::default())?;
///
/// let object = ObjectSource::Volume { input: VolumeInput::new(&path), voxels: Selection::Label(1.0) };
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
    job.params.check()?;
    job.object.check()?;
    let streams: Result<Vec<Stream>, DeviceError> =
        job.devices.iter().map(Device::stream).collect();
    let streams = streams?;
    let execution = Execution::on(&streams)?;
    let stream = execution.first();
    let mut stages = Stages::start(monitor);
    let mut notes = Vec::new();
    let mut object = job.object.load(stream, &mut stages, &mut notes)?;
    let field_progress = FieldProgress::new(monitor);
    let tell = |progress: Progress| field_progress.tell(progress);
    let execution = match monitor.is_watched() {
        true => execution.telling(&tell),
        false => execution,
    };
    let (mut extraction, field) = stages.run("skeleton", || {
        skeleton_by(execution, &object.mask, &job.params).map_err(at(job.object.path()))
    })?;
    let pruned = match job.prune {
        Some(limit) => extraction.skeleton.prune(Prune::Length(limit))?,
        None => 0,
    };
    if job.merge {
        extraction.skeleton.merge_chains();
    }
    let picture = match &job.picture {
        Some(wanted) => {
            let drawn = || draw(wanted, stream, &mut object, &extraction);
            Some((&wanted.path, stages.run("draw", drawn)?))
        }
        None => None,
    };
    let dims = object.mask.dims();
    let mut cut_cycles = 0;
    stages.run("write", || {
        for path in &job.outputs {
            let written = write_skeleton(path, &extraction.skeleton)?;
            if written.cut_cycles > 0 {
                cut_cycles = written.cut_cycles;
                notes.push(Note::CutCycles {
                    path: path.clone(),
                    count: cut_cycles,
                });
            }
        }
        if let Some(path) = &job.field {
            write_field(path, dims, field.vectors(stream)?)?;
        }
        if let Some((path, picture)) = &picture {
            write_picture(path, picture)?;
        }
        Ok::<_, PipelineError>(())
    })?;
    let (times, total) = stages.finish();
    let mut outcome = SkeletonOutcome {
        extraction,
        dims,
        geometry: *object.mask.geometry(),
        pruned,
        cut_cycles,
        notes,
        times,
        total,
    };
    let count = outcome.unbalanced();
    if count > 0 {
        outcome.notes.push(Note::Unbalanced {
            path: job.object.path().to_owned(),
            count,
            all: outcome.extraction.certificate.len(),
        });
    }
    Ok(outcome)
}

impl SkeletonJob {
    /// The skeleton of an object as the parameters' defaults say, and no file of it.
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
}

/// Draws the skeleton over its object, with curves as wide as is seen in a picture of that size.
fn draw(
    wanted: &PictureJob,
    stream: &Stream,
    object: &mut Object,
    extraction: &Extraction,
) -> Result<Picture, PipelineError> {
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

/// Passes on how far the force field is.
struct FieldProgress<'a> {
    monitor: &'a Monitor<'a>,
    counter: OnceLock<Counter<'a>>,
    done: AtomicU64,
}

impl<'a> FieldProgress<'a> {
    fn new(monitor: &'a Monitor<'a>) -> Self {
        Self {
            monitor,
            counter: OnceLock::new(),
            done: AtomicU64::new(0),
        }
    }

    fn tell(&self, progress: Progress) {
        let counter = || self.monitor.counter("force field", progress.all);
        let before = self.done.fetch_max(progress.done, Ordering::Relaxed);
        // whoever stops the work is heard between stages
        let _ = self
            .counter
            .get_or_init(counter)
            .add(progress.done.saturating_sub(before));
    }
}
