//! Every method beside the exact map.

use super::{
    DistanceJob, DistanceJobError, Plane, Run, SitesFrom, device_sites::DeviceSites,
    plane::PlaneSamples, whole::one_device,
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

/// How methods are compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The folder for a picture by each method, which is made if it does not exist.
    pub folder: PathBuf,
    /// The plane that is drawn; `None` takes the middle one across z.
    pub plane: Option<Plane>,
    /// Pixels along the longer side.
    pub longest_side: u32,
    /// Exact distances that end the bands for which errors are reported, increasing.
    pub bands: Vec<f64>,
}

/// How far methods are from the exact distances.
#[derive(Clone, Debug)]
pub struct ComparisonOutcome {
    /// Voxels along x, y and z.
    pub dims: [usize; 3],
    /// Their place in the world.
    pub geometry: Geometry,
    /// How many sites.
    pub sites: u64,
    /// What lies between two isolines of each picture.
    pub isoline_step: f32,
    /// Where the maps were made.
    pub device: Device,
    /// The methods, the exact one first.
    pub methods: Vec<MethodRow>,
    /// Warnings for the caller.
    pub warnings: Vec<Warning>,
    /// How long each stage took.
    pub timings: Timings,
}

/// What one method made.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodRow {
    /// The method.
    pub method: Method,
    /// The picture.
    pub picture: PathBuf,
    /// How long the map took on the device.
    pub time: Duration,
    /// How far it is from the exact one.
    pub difference: Difference,
}

/// Makes the map of a job's sites by every method that takes them, draws each into a folder, and
/// reports how far they are from the exact one. Nothing else of what the job would write is
/// written, and its method does not count.
///
/// # Errors
/// As [`run`](super::run); labels, several devices and a limit of memory are refused.
pub fn compare(
    job: &DistanceJob,
    comparison: &Comparison,
    monitor: &Monitor<'_>,
) -> Result<ComparisonOutcome, PipelineError> {
    start_threads()?;
    if job.sites == SitesFrom::Labels {
        let why = "methods are compared of sites that are voxels or points, not of labels";
        return Err(DistanceJobError::Conflict(why).into());
    }
    let device = one_device(job, false)?;
    let stream = device.stream()?;
    // points are compared as such, wherever they are
    let method = matches!(job.sites, SitesFrom::Points { .. }).then_some(Method::BruteForce);
    let job = &DistanceJob {
        method,
        ..job.clone()
    };
    comparison.check(job)?;
    let mut run = Run::begin(job, monitor);
    let found = run.read(comparison.plane)?;
    let (dims, geometry) = (found.dims(), *found.geometry());
    let plane = comparison.plane.unwrap_or(Plane {
        axis: 2,
        index: dims[2] / 2,
    });
    plane.check(dims)?;
    let device_sites = run.stages.run("sites", || {
        DeviceSites::new(&stream, &found, false).map_err(job.input.error())
    })?;
    drop(found);
    let count = device_sites.count(&stream).map_err(job.input.error())?;
    let Some(sites) = device_sites.sites() else {
        return Err(job.input.error()(DistanceError::NoSites));
    };
    let methods = methods(sites);
    let make = |method| map(&stream, sites, job, method).map_err(job.input.error());
    let (exact, time) = run.stages.run("exact", || make(methods[0]))?;
    fs::create_dir_all(&comparison.folder).map_err(|error| DistanceJobError::Folder {
        folder: comparison.folder.display().to_string(),
        reason: error.to_string(),
    })?;
    let size = comparison.longest_side;
    let (_, isoline_step) = PlaneSamples::of(&exact, plane).draw(None, size)?;
    let mut group = FileGroup::new();
    let mut rows: Vec<MethodRow> = Vec::new();
    for &method in methods {
        let (map, time) = if rows.is_empty() {
            (exact.clone(), time)
        } else {
            run.stages.run(method.name(), || make(method))?
        };
        let (drawn, _) = PlaneSamples::of(&map, plane).draw(Some(isoline_step), size)?;
        let picture = comparison.picture(method);
        add_picture(&mut group, &picture, &drawn)?;
        let difference = distance::compare(&exact, &map, &comparison.bands);
        rows.push(MethodRow {
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
        methods: rows,
        warnings: run.warnings,
        timings: run.stages.finish(),
    })
}

impl Comparison {
    fn picture(&self, method: Method) -> PathBuf {
        self.folder.join(format!("{}.png", method.name()))
    }

    /// Fails if a picture would be one of the files that are read. (A folder that does not exist
    /// yet has none.)
    fn check(&self, job: &DistanceJob) -> Result<(), PathError> {
        if !self.folder.is_dir() {
            return Ok(());
        }
        let methods = OF_VOXELS.iter().chain(&OF_POINTS[..2]);
        let pictures: Vec<_> = methods.map(|&method| self.picture(method)).collect();
        let outputs = pictures
            .iter()
            .map(|it| (it.as_path(), OutputKind::Picture));
        paths::check(&job.inputs(), &outputs.collect::<Vec<_>>())
    }
}

/// The methods that take sites that are voxels, the exact one first.
const OF_VOXELS: [Method; 5] = [
    Method::Separable,
    Method::Cubes,
    Method::CenterPoint,
    Method::Chessboard,
    Method::CityBlock,
];

/// The methods that take points, the exact ones first, then one that takes voxels too.
const OF_POINTS: [Method; 3] = [Method::BruteForce, Method::Bucketed, Method::Cubes];

/// The methods that take such sites, the exact one first.
fn methods(sites: Sites<'_>) -> &'static [Method] {
    match sites {
        Sites::Voxels(_) => &OF_VOXELS,
        Sites::Points(_) => &OF_POINTS,
    }
}

/// A map on the host, and the time it took on the device. A method may take other memory or time
/// the first time.
fn map(
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
