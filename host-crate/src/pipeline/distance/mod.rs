//! Distance maps of sites in a file.
//!
//! [`run`] is the library call behind `ferrovox distance`: it reads the sites of a [`DistanceJob`],
//! chooses the method, computes the map in core on one device or slab by slab (several devices, or
//! limited memory), and writes the map, the nearest sites and a picture. [`compare()`] computes the
//! map by each method that supports the sites, and reports the errors relative to the exact map.
//!
//! | module | contents |
//! | --- | --- |
//! | `job` | the job, its outcome, and the choice between in core and slabs |
//! | `sites` | reading the sites: a mask, points or a label volume |
//! | `label_ranks` | labels that f32 cannot represent, replaced by their ranks |
//! | `device_sites` | the sites on a device |
//! | `in_core` | the map in core on one device |
//! | `slabs` | the map slab by slab |
//! | `squared` | squared distances as integers |
//! | `nearest_sites` | the nearest-site map on the host |
//! | `plane` | the picture of a plane |
//! | `compare` | all methods compared with the exact one |

mod compare;
mod device_sites;
mod in_core;
mod job;
mod label_ranks;
mod nearest_sites;
mod plane;
mod sites;
mod slabs;
mod squared;

pub use super::{
    error::{DistanceInputError, DistanceJobError, PointsOutside},
    map_samples::MapSamples,
};
pub use compare::{Comparison, ComparisonOutcome, MethodComparison, compare};
pub use job::{DistanceJob, DistanceOutcome, PointGrid, SitesFrom};
pub use plane::{Plane, PlanePicture};

use super::{PipelineError, Warning, level::ResolvedLevel, outcome::Stages, paths};
use crate::{
    device::start_threads,
    monitor::Monitor,
    partition::memory_plan::{MemoryPlan, none_if_out_of_memory},
};
use sites::SiteInput;

/// The state of a run: its job, its stages and its warnings.
struct Run<'a> {
    job: &'a DistanceJob,
    stages: Stages<'a>,
    monitor: &'a Monitor<'a>,
    warnings: Vec<Warning>,
    /// The isovalue, once the level is resolved to one.
    iso: Option<f64>,
}

impl<'a> Run<'a> {
    fn begin(job: &'a DistanceJob, monitor: &'a Monitor<'a>) -> Self {
        Self {
            job,
            stages: Stages::begin(monitor),
            monitor,
            warnings: Vec::new(),
            iso: None,
        }
    }

    /// Reads the sites. Fails if the volume does not contain `plane`.
    fn read(&mut self, plane: Option<Plane>) -> Result<SiteInput, PipelineError> {
        let job = self.job;
        let level = match job.sites {
            SitesFrom::Level { level, .. } => {
                level.check().map_err(job.input.error())?;
                let mask = job.filter.mask.as_ref();
                Some(level.resolve_in_file(&mut self.stages, &job.input, mask, self.monitor)?)
            }
            _ => None,
        };
        self.iso = match level {
            Some(ResolvedLevel::Iso(iso)) => Some(iso),
            _ => None,
        };
        let site_input = self
            .stages
            .run("read", || sites::read(job, level, &mut self.warnings))?;
        if let Some(plane) = plane {
            plane.check(site_input.dims())?;
        }
        Ok(site_input)
    }
}

/// Reads the sites, computes the distance map, and writes it.
///
/// Maps of voxels use [`Method::Separable`](crate::distance::Method::Separable) unless the job
/// selects a method, as do points that all lie at voxel centres; other points use the [fastest
/// exact method](crate::distance::fastest_exact_method) for their number. With several devices or a
/// memory limit, or if the map exceeds the free memory, maps of voxels are computed slab by slab:
/// the host then holds one bit per voxel and a few slabs. The files are byte for byte the same
/// either way.
///
/// Output paths are checked before anything is read, and each output appears under its name only
/// when it is complete.
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
/// let job = DistanceJob {
///     output: Some(output.clone()),
///     ..DistanceJob::new(source, SitesFrom::Mask)
/// };
/// let outcome = run(&job, &Monitor::new())?;
/// assert_eq!((outcome.sites, outcome.range, outcome.exact), (1, Some([0.0, 6.0]), true));
///
/// let (map, _) = read_volume(&output, &ReadOptions::default())?.volume.into_f32();
/// assert_eq!(map.samples(), [2.0, 1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DistanceJobError`] for options that exclude each other; errors in a file, with its path; and
/// errors of the devices.
pub fn run(job: &DistanceJob, monitor: &Monitor<'_>) -> Result<DistanceOutcome, PipelineError> {
    start_threads()?;
    job.check()?;
    paths::check(&job.inputs(), &job.outputs())?;
    job.input.check_filter_memory(job.memory)?;
    let mut run = Run::begin(job, monitor);
    let site_input = run.read(job.picture.as_ref().map(|picture| picture.plane))?;
    let plan = match &site_input {
        SiteInput::Voxels(voxels) => job.memory_plan(voxels.mask.dims())?,
        _ => MemoryPlan::InCore,
    };
    match site_input {
        SiteInput::Voxels(voxels) if plan == MemoryPlan::InParts => slabs::run(run, voxels),
        SiteInput::Voxels(voxels) if job.can_use_slabs() => {
            let sites = SiteInput::Voxels(voxels);
            let stages_before = run.stages.count();
            let in_core = none_if_out_of_memory(in_core::run(&mut run, &sites))?;
            match (in_core, sites) {
                (None, SiteInput::Voxels(voxels)) => {
                    run.stages.truncate(stages_before);
                    slabs::run(run, voxels)
                }
                (None, sites) => in_core::run(&mut run, sites),
                (Some(outcome), _) => Ok(outcome),
            }
        }
        sites => in_core::run(&mut run, sites),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        device::Device,
        distance::{Method, SignConvention},
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

    /// In core, the run stops before the next stage; with slabs, before the next slab.
    #[test]
    fn a_cancelled_run_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let in_core_job = job(folder.path());
        let slab_job = DistanceJob {
            memory: Some(64 << 10),
            ..in_core_job.clone()
        };
        for job in [in_core_job, slab_job] {
            let flag = CancelFlag::new();
            let cancel = |it: Progress| {
                if it.stage == "map" {
                    flag.cancel();
                }
            };
            let monitor = Monitor::new().on_progress(&cancel).cancelled_by(&flag);
            let error = run(&job, &monitor).unwrap_err();
            assert!(error.is_cancelled(), "{error}");
            assert_eq!(fs::read(job.output.as_ref().unwrap()).unwrap(), b"old");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
            run(&job, &Monitor::new()).unwrap();
            fs::write(job.output.as_ref().unwrap(), b"old").unwrap();
        }
    }

    #[test]
    fn outcome_reports_exactness() {
        let folder = tempfile::tempdir().unwrap();
        let job = job(folder.path());
        for (method, max_distance, exact) in [
            (None, None, true),
            (Some(Method::Bucketed), None, true),
            (Some(Method::Cubes), None, false),
            (Some(Method::Cubes), Some(36.0), true),
            (Some(Method::CityBlock), Some(2.0), false),
        ] {
            let job = DistanceJob {
                method,
                max_distance,
                ..job.clone()
            };
            let outcome = run(&job, &Monitor::new()).unwrap();
            assert_eq!(outcome.exact, exact, "{method:?} {max_distance:?}");
            assert_eq!(outcome.method, method.unwrap_or_default());
        }
    }

    #[test]
    fn conflicting_options_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let mask_job = job(folder.path());
        let error_of = |job: DistanceJob| match run(&job, &Monitor::new()) {
            Err(PipelineError::DistanceJob(error)) => error.to_string(),
            other => panic!("{other:?}"),
        };
        let labels = DistanceJob {
            sites: SitesFrom::Labels { labels: None },
            signed: true,
            sign_convention: Some(SignConvention::Enclosed),
            ..mask_job.clone()
        };
        assert!(error_of(labels).contains("sign convention opposite"));
        let unsigned = DistanceJob {
            sign_convention: Some(SignConvention::Surface),
            ..mask_job.clone()
        };
        assert!(error_of(unsigned).contains("requires signed distances"));
        let signed_squared = DistanceJob {
            samples: MapSamples::U16,
            signed: true,
            ..mask_job.clone()
        };
        assert!(error_of(signed_squared).contains("no sign"));
        let without_device = DistanceJob {
            devices: Vec::new(),
            ..mask_job
        };
        assert!(error_of(without_device).contains("no device"));
    }
}
