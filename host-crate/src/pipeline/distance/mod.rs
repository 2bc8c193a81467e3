//! From sites in a file to a distance map in a file.
//!
//! [`run`] is what `ferrovox distance` does, as a call: it reads a [`DistanceJob`]'s sites, chooses
//! the method, makes the map on one device as a whole or on several (or within a limit of memory)
//! slab by slab, and writes the map, the nearest sites and a picture. [`compare`] makes the map by
//! every method that takes such sites, and reports how far each is from the exact one.
//!
//! | module | what it decides |
//! | --- | --- |
//! | `job` | what may be asked for |
//! | `sites` | what is read: a bit per voxel, points, a volume of labels |
//! | `device_sites` | where the sites are kept on a device |
//! | `whole` | the map in one piece: where points are voxels, which method |
//! | `slabs` | the map in pieces: what is refused, how much memory is needed |
//! | `squares` | squared distances as integers: by the device, or of distances and sites |
//! | `plane` | the picture |

mod compare;
mod device_sites;
mod job;
mod long_labels;
mod nearest;
mod plane;
mod sites;
mod slabs;
mod squares;
mod whole;

pub use super::{
    error::{DistanceInputError, DistanceJobError, PointsOutside},
    map_samples::MapSamples,
};
pub use compare::{Comparison, ComparisonOutcome, MethodRow, compare};
pub use job::{DistanceJob, DistanceOutcome, PointGrid, SitesFrom};
pub use plane::{Plane, PlanePicture};

use super::{PipelineError, Warning, outcome::Stages, paths};
use crate::{
    device::start_threads,
    monitor::Monitor,
    partition::memory_plan::{MemoryPlan, none_if_out_of_memory},
};
use sites::Found;

/// The state of a run: its job, its stages, and its warnings.
struct Run<'a> {
    job: &'a DistanceJob,
    stages: Stages<'a>,
    monitor: &'a Monitor<'a>,
    warnings: Vec<Warning>,
}

impl<'a> Run<'a> {
    fn begin(job: &'a DistanceJob, monitor: &'a Monitor<'a>) -> Self {
        Self {
            job,
            stages: Stages::begin(monitor),
            monitor,
            warnings: Vec::new(),
        }
    }

    /// Reads the sites, and refuses a plane that is not there.
    fn read(&mut self, plane: Option<Plane>) -> Result<Found, PipelineError> {
        let (job, warnings) = (self.job, &mut self.warnings);
        let level = match job.sites {
            SitesFrom::Level { level, .. } => {
                level.check().map_err(job.input.error())?;
                Some(level.resolve_in_file(&mut self.stages, &job.input, None, self.monitor)?)
            }
            _ => None,
        };
        let found = self
            .stages
            .run("read", || sites::read(job, level, warnings))?;
        if let Some(plane) = plane {
            plane.check(found.dims())?;
        }
        Ok(found)
    }
}

/// Reads the sites, makes the map, and writes it.
///
/// Sites that are voxels are mapped by [`Method::Separable`](crate::distance::Method::Separable)
/// unless the job names a method; points by the same if all are at centres of voxels, else by
/// [the exact method](crate::distance::fastest_exact_method) that is the fastest for their number. With
/// several devices or a limit of memory, and where the map is more than what is free, maps of
/// voxels are made slab by slab: the host then keeps a bit per voxel and a few slabs. The files are
/// the same, byte for byte, either way.
///
/// Outputs are checked before anything is read, and appear under their names when they are
/// complete.
///
/// ```
/// use ferrovox::grid::{Geometry, Volume};
/// use ferrovox::io::{ReadOptions, VolumeWriteOptions, read_volume, write_volume};
/// use ferrovox::monitor::Monitor;
/// use ferrovox::pipeline::{VolumeSource, distance::{DistanceJob, SitesFrom, run}};
///
/// let folder = tempfile::tempdir()?;
/// let mask = Volume::from_fn([9, 1, 1], Geometry::default(), |x, _, _| u8::from(x == 2))?;
/// write_volume(folder.path().join("mask.npy"), &mask.into(), &VolumeWriteOptions::default())?;
///
/// let source = VolumeSource::new(folder.path().join("mask.npy"));
/// let output = folder.path().join("distances.npy");
/// let job = DistanceJob { output: Some(output.clone()), ..DistanceJob::new(source, SitesFrom::Mask) };
/// let outcome = run(&job, &Monitor::silent())?;
/// assert_eq!((outcome.sites, outcome.range, outcome.exact), (1, Some([0.0, 6.0]), true));
///
/// let (map, _) = read_volume(&output, &ReadOptions::default())?.volume.into_f32();
/// assert_eq!(map.samples(), [2.0, 1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DistanceJobError`] for what does not go together; what is wrong with the files, with their
/// names; what fails on the devices.
pub fn run(job: &DistanceJob, monitor: &Monitor<'_>) -> Result<DistanceOutcome, PipelineError> {
    start_threads()?;
    job.check()?;
    paths::check(&job.inputs(), &job.outputs())?;
    let mut run = Run::begin(job, monitor);
    let found = run.read(job.picture.as_ref().map(|picture| picture.plane))?;
    let plan = match &found {
        Found::Voxels(voxels) => job.memory_plan(voxels.mask.dims())?,
        _ => MemoryPlan::InCore,
    };
    match found {
        Found::Voxels(voxels) if plan == MemoryPlan::InParts => slabs::run(run, voxels),
        Found::Voxels(voxels) if job.can_be_by_slabs() => {
            let sites = Found::Voxels(voxels);
            let in_core = none_if_out_of_memory(whole::run(&mut run, &sites))?;
            match (in_core, sites) {
                (None, Found::Voxels(voxels)) => slabs::run(run, voxels),
                (None, sites) => whole::run(&mut run, sites),
                (Some(outcome), _) => Ok(outcome),
            }
        }
        sites => whole::run(&mut run, sites),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        device::Device,
        distance::Method,
        grid::{Geometry, Volume},
        io::{VolumeWriteOptions, write_volume},
        monitor::{CancelFlag, Progress},
        pipeline::VolumeSource,
    };
    use std::fs;

    fn job(folder: &std::path::Path) -> DistanceJob {
        let mask = Volume::from_fn([8, 8, 70], Geometry::default(), |x, _, _| u8::from(x == 2));
        let (input, output) = (folder.join("mask.npy"), folder.join("d.npy"));
        write_volume(
            &input,
            &mask.unwrap().into(),
            &VolumeWriteOptions::default(),
        )
        .unwrap();
        fs::write(&output, b"old").unwrap();
        DistanceJob {
            output: Some(output),
            devices: vec![Device::cpu()],
            ..DistanceJob::new(VolumeSource::new(input), SitesFrom::Mask)
        }
    }

    /// As a whole before the next stage, by slabs before the next slab.
    #[test]
    fn what_is_cancelled_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let whole = job(folder.path());
        let slabs = DistanceJob {
            memory: Some(64 << 10),
            ..whole.clone()
        };
        for job in [whole, slabs] {
            let flag = CancelFlag::new();
            let cancel = |it: Progress| {
                if it.stage == "map" {
                    flag.cancel();
                }
            };
            let monitor = Monitor::silent().on_progress(&cancel).cancelled_by(&flag);
            let error = run(&job, &monitor).unwrap_err();
            assert!(error.is_cancelled(), "{error}");
            assert_eq!(fs::read(job.output.as_ref().unwrap()).unwrap(), b"old");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
            run(&job, &Monitor::silent()).unwrap();
            fs::write(job.output.as_ref().unwrap(), b"old").unwrap();
        }
    }

    #[test]
    fn the_outcome_says_whether_it_is_exact() {
        let folder = tempfile::tempdir().unwrap();
        let job = job(folder.path());
        for (method, bound, exact) in [
            (None, None, true),
            (Some(Method::Bucketed), None, true),
            (Some(Method::Cubes), None, false),
            (Some(Method::Cubes), Some(36.0), true),
            (Some(Method::CityBlock), Some(2.0), false),
        ] {
            let job = DistanceJob {
                method,
                max_distance: bound,
                ..job.clone()
            };
            let outcome = run(&job, &Monitor::silent()).unwrap();
            assert_eq!(outcome.exact, exact, "{method:?} {bound:?}");
            assert_eq!(outcome.method, method.unwrap_or_default());
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let plain = job(folder.path());
        let refused = |job: DistanceJob| match run(&job, &Monitor::silent()) {
            Err(PipelineError::DistanceJob(error)) => error.to_string(),
            other => panic!("{other:?}"),
        };
        let labels = DistanceJob {
            sites: SitesFrom::Labels,
            signed: true,
            ..plain.clone()
        };
        assert!(refused(labels).contains("no inside"));
        let squares = DistanceJob {
            samples: MapSamples::U16,
            signed: true,
            ..plain.clone()
        };
        assert!(refused(squares).contains("no sign"));
        let nowhere = DistanceJob {
            devices: Vec::new(),
            ..plain
        };
        assert!(refused(nowhere).contains("no device"));
    }
}
