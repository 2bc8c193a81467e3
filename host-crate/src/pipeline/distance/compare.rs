//! Comparison of all methods with the exact one.

use super::{
    DistanceJob, DistanceJobError, Plane, Run, SitesFrom, device_sites::DeviceSites,
    in_core::single_device, plane::PlaneSamples,
};
use crate::{
    device::{Device, Stream, start_threads},
    distance::{self, Difference, DistanceError, Method, Sites},
    grid::{Geometry, Volume},
    io::FileGroup,
    monitor::Monitor,
    pipeline::{
        PipelineError, Timings, Warning, add_picture,
        paths::{self, OutputKind, PathError},
    },
};
use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

/// The options of a comparison of methods.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The folder of the pictures, one per method. It is created if necessary.
    pub folder: PathBuf,
    /// The plane to draw. `None` selects the middle plane perpendicular to z.
    pub plane: Option<Plane>,
    /// Number of pixels along the longer side.
    pub longest_side: u32,
    /// Upper ends of the bands of exact distances for which errors are reported, in increasing
    /// order.
    pub bands: Vec<f64>,
}

/// The errors of all methods relative to the exact distances.
#[derive(Clone, Debug)]
pub struct ComparisonOutcome {
    /// Number of voxels along x, y and z.
    pub dims: [usize; 3],
    /// The grid's position in world coordinates.
    pub geometry: Geometry,
    /// Number of sites.
    pub sites: u64,
    /// The distance between adjacent isolines of the pictures.
    pub isoline_step: f32,
    /// The device that computed the maps.
    pub device: Device,
    /// The methods, starting with the exact one.
    pub methods: Vec<MethodComparison>,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// The time per stage.
    pub timings: Timings,
}

/// The result of one method.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodComparison {
    /// The method.
    pub method: Method,
    /// The picture.
    pub picture: PathBuf,
    /// The time of the distance transform on the device.
    pub time: Duration,
    /// The errors relative to the exact map.
    pub difference: Difference,
}

/// Computes the map of a job's sites by each method that supports them, draws each into a folder,
/// and reports the errors relative to the exact map. Outputs and method of the job are ignored.
///
/// # Errors
/// As [`run`](super::run). Labels, several devices and a memory limit are rejected.
pub fn compare(
    job: &DistanceJob,
    comparison: &Comparison,
    monitor: &Monitor<'_>,
) -> Result<ComparisonOutcome, PipelineError> {
    start_threads()?;
    if job.sites_are_labels() {
        let reason = "methods are compared for voxels or points, not for labels";
        return Err(DistanceJobError::Conflict(reason).into());
    }
    let device = single_device(job, false)?;
    let stream = device.stream()?;
    // Points are not converted to voxels, even at voxel centres.
    let method = matches!(job.sites, SitesFrom::Points { .. }).then_some(Method::BruteForce);
    let job = &DistanceJob {
        method,
        ..job.clone()
    };
    comparison.check(job)?;
    let mut run = Run::begin(job, monitor);
    let site_input = run.read(comparison.plane)?;
    let (dims, geometry) = (site_input.dims(), *site_input.geometry());
    let plane = comparison.plane.unwrap_or(Plane {
        axis: 2,
        index: dims[2] / 2,
    });
    plane.check(dims)?;
    let device_sites = run.stages.run("sites", || {
        DeviceSites::new(&stream, &site_input, None).map_err(job.input.error())
    })?;
    drop(site_input);
    let count = device_sites.count(&stream).map_err(job.input.error())?;
    let Some(sites) = device_sites.sites() else {
        return Err(job.input.error()(DistanceError::NoSites));
    };
    let methods = supported_methods(sites);
    let compute = |method| timed_map(&stream, sites, job, method).map_err(job.input.error());
    let (exact, time) = run.stages.run("exact", || compute(methods[0]))?;
    fs::create_dir_all(&comparison.folder).map_err(|error| DistanceJobError::CreateFolder {
        folder: comparison.folder.display().to_string(),
        reason: error.to_string(),
    })?;
    let size = comparison.longest_side;
    let (_, isoline_step) = PlaneSamples::from_map(&exact, plane).draw(None, size)?;
    let mut group = FileGroup::new();
    let mut comparisons: Vec<MethodComparison> = Vec::new();
    for &method in methods {
        let (map, time) = if comparisons.is_empty() {
            (exact.clone(), time)
        } else {
            run.stages.run(method.name(), || compute(method))?
        };
        let (plane_picture, _) =
            PlaneSamples::from_map(&map, plane).draw(Some(isoline_step), size)?;
        let picture = comparison.picture(method);
        add_picture(&mut group, &picture, &plane_picture)?;
        let difference = distance::compare(&exact, &map, &comparison.bands);
        comparisons.push(MethodComparison {
            method,
            picture,
            time,
            difference: difference.unwrap_or_default(),
        });
    }
    group.finish()?;
    Ok(ComparisonOutcome {
        dims,
        geometry,
        sites: count,
        isoline_step,
        device: device.clone(),
        methods: comparisons,
        warnings: run.warnings,
        timings: run.stages.finish(),
    })
}

impl Comparison {
    fn picture(&self, method: Method) -> PathBuf {
        self.folder.join(format!("{}.png", method.name()))
    }

    /// Fails if a picture would overwrite an input file. A folder that does not exist yet cannot
    /// contain one.
    fn check(&self, job: &DistanceJob) -> Result<(), PathError> {
        if !self.folder.is_dir() {
            return Ok(());
        }
        let methods = VOXEL_METHODS.iter().chain(&POINT_METHODS[..2]);
        let pictures: Vec<_> = methods.map(|&method| self.picture(method)).collect();
        let outputs = pictures
            .iter()
            .map(|it| (it.as_path(), OutputKind::Picture));
        paths::check(&job.inputs(), &outputs.collect::<Vec<_>>())
    }
}

/// The methods for voxels, starting with the exact one.
const VOXEL_METHODS: [Method; 5] = [
    Method::Separable,
    Method::Cubes,
    Method::CenterPoint,
    Method::Chessboard,
    Method::CityBlock,
];

/// The methods for points: the exact ones, then the one that also supports voxels.
const POINT_METHODS: [Method; 3] = [Method::BruteForce, Method::Bucketed, Method::Cubes];

/// Returns the methods that support the sites, starting with the exact one.
fn supported_methods(sites: Sites<'_>) -> &'static [Method] {
    match sites {
        Sites::Voxels(_) => &VOXEL_METHODS,
        Sites::Points(_) => &POINT_METHODS,
    }
}

/// Computes a map and copies it to the host. Returns it with its time on the device. The first run
/// of a method may need more time and memory.
fn timed_map(
    stream: &Stream,
    sites: Sites<'_>,
    job: &DistanceJob,
    method: Method,
) -> Result<(Volume<f32>, Duration), DistanceError> {
    let start = Instant::now();
    let map = distance::transform(stream, sites, &job.params(method))?;
    stream.synchronize()?;
    let time = start.elapsed();
    Ok((map.download(stream)?, time))
}
