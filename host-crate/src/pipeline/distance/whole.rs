//! A map in one piece, on one device.

use super::{
    DistanceJob, DistanceJobError, DistanceOutcome, MapSamples, Run,
    device_sites::DeviceSites,
    nearest::NearestSites,
    plane::PlaneSamples,
    sites::{Found, Voxels},
    squares::{self, Squares},
};
use crate::{
    device::{Device, DeviceError},
    distance::{DistanceError, DistanceParams, Method, NoSites, fastest_exact_method},
    grid::{AnyVolume, Geometry, Volume},
    io::{FileGroup, VolumeWriteOptions},
    pipeline::{PipelineError, add_picture, at},
};
use std::{borrow::Borrow, path::Path};

/// The map on the host, and how it was made.
struct HostMap {
    distances: Volume<f32>,
    /// The squared distances, if these were computed.
    squares: Option<Squares>,
    nearest: Option<NearestSites>,
    sites: u64,
    method: Method,
}

/// The device, where several cannot make the map together, nor keep it in slabs to a limit of
/// memory.
pub(super) fn one_device(
    job: &DistanceJob,
    keeps_limit: bool,
) -> Result<&Device, DistanceJobError> {
    match &job.devices[..] {
        [_] if job.memory.is_some() && !keeps_limit => Err(DistanceJobError::NoLimit),
        [device] => Ok(device),
        devices => Err(DistanceJobError::OneDevice {
            devices: devices.len(),
        }),
    }
}

/// Finds the sites, makes the map, copies it to the host, and writes it.
pub(super) fn run(
    run: &mut Run<'_>,
    sites: impl Borrow<Found>,
) -> Result<DistanceOutcome, PipelineError> {
    let (job, found) = (run.job, sites.borrow());
    let (dims, geometry, outside) = (found.dims(), *found.geometry(), found.outside());
    if job.samples != MapSamples::F32 {
        squares::check(job, &geometry)?;
    }
    let keeps_limit = match (job.method, found) {
        (Some(method), _) => matches!(
            method,
            Method::Cubes | Method::Bucketed | Method::BruteForce
        ),
        (None, found) => matches!(found, Found::Points(_) | Found::Crossings { .. }),
    };
    let device = one_device(job, keeps_limit)?;
    device.reset_peak_memory();
    let map = make(run, device, found)?;
    drop(sites);
    let drawn = match &job.picture {
        Some(picture) => Some(run.stages.run("draw", || {
            PlaneSamples::of(&map.distances, picture.plane).draw(None, picture.longest_side)
        })?),
        None => None,
    };
    let range = widened(None, map.distances.samples());
    let method = map.method;
    let sites = map.sites;
    let outputs = outputs(job, map, dims, geometry)?;
    run.stages.run("write", || -> Result<(), PipelineError> {
        let mut group = FileGroup::new();
        for (path, volume, options) in outputs {
            group.write_volume(path, &volume, &options)?;
        }
        if let (Some(to), Some((picture, _))) = (&job.picture, &drawn) {
            add_picture(&mut group, &to.path, picture)?;
        }
        Ok(group.finish()?)
    })?;
    Ok(DistanceOutcome {
        dims,
        geometry,
        sites,
        outside,
        method,
        exact: job.params(method).is_exact(&geometry),
        range,
        isoline_step: drawn.map(|(_, step)| step),
        peak_bytes: vec![device.memory_use().peak],
        warnings: std::mem::take(&mut run.warnings),
        timings: run.stages.timings(),
    })
}

/// The least and the greatest finite distance, of these and of those before.
pub(super) fn widened(range: Option<[f32; 2]>, distances: &[f32]) -> Option<[f32; 2]> {
    let finite = distances.iter().filter(|value| value.is_finite());
    finite.fold(range, |range, &value| {
        let [low, high] = range.unwrap_or([value, value]);
        Some([value.min(low), value.max(high)])
    })
}

/// Makes the map. What is at centres of voxels, but on an axis that is too long for lines along it,
/// is mapped as points.
fn make(run: &mut Run<'_>, device: &Device, found: &Found) -> Result<HostMap, PipelineError> {
    let (job, geometry) = (run.job, *found.geometry());
    let stream = device.stream()?;
    let (device_sites, sites) = run.stages.run("sites", || {
        let upload = || {
            let device_sites = DeviceSites::new(&stream, found, job.signed)?;
            let count = device_sites.count(&stream)?;
            Ok::<_, DistanceError>((device_sites, count))
        };
        upload().map_err(job.input.error())
    })?;
    let (sites, points) = match found {
        Found::Voxels(Voxels {
            points: Some((points, voxels)),
            ..
        }) => (points.len() as u64, Some((points, voxels))),
        _ => (sites, None),
    };
    let best = |device_sites: &DeviceSites| match device_sites.sites() {
        Some(sites) => fastest_exact_method(sites, job.nearest.is_some()),
        None => Method::Separable,
    };
    let mut params = job.params(job.method.unwrap_or_else(|| best(&device_sites)));
    if !matches!(found, Found::Labels(_)) {
        // they were counted
        params.no_sites = NoSites::Infinity;
    }
    if job.samples != MapSamples::F32 {
        params.nearest |= squares::need_nearest(&params, found.dims(), &geometry);
        if squares::by_the_device(&params) {
            let squares = Squares::make(run, &stream, &device_sites, &params, &geometry)?;
            let distances = squares.distances(job.max_distance, found.dims(), geometry);
            return Ok(HostMap {
                distances: distances.map_err(job.input.error())?,
                squares: Some(squares),
                nearest: None,
                sites,
                method: params.method,
            });
        }
    }
    let map =
        |device_sites: &DeviceSites, params: &DistanceParams| device_sites.map(&stream, params);
    let (map, points) = run.stages.run("map", || {
        let result = match (map(&device_sites, &params), points) {
            (Err(DistanceError::LineTooLong { .. }), Some((points, _))) if job.method.is_none() => {
                DeviceSites::of_points(&stream, points).and_then(|device_sites| {
                    params.method = best(&device_sites);
                    Ok((map(&device_sites, &params)?, None))
                })
            }
            (map, points) => map.map(|map| (map, points)),
        };
        result.map_err(job.input.error::<DistanceError>())
    })?;
    if params.nearest && map.nearest.is_none() {
        let method = params.method;
        return Err(job.input.error()(DistanceError::NearestUnsupported {
            method,
        }));
    }
    let voxels = points.map(|(_, voxels)| voxels.as_slice());
    let (distances, nearest) = run.stages.run("download", || {
        let nearest = NearestSites::download(&stream, &map, voxels)?;
        Ok::<_, DeviceError>((map.download(&stream)?, nearest))
    })?;
    Ok(HostMap {
        distances,
        squares: None,
        nearest,
        sites,
        method: params.method,
    })
}

type Output<'a> = (&'a Path, AnyVolume, VolumeWriteOptions);

/// The volumes to write: everything that can be wrong with them is found out before the first is.
fn outputs<'a>(
    job: &'a DistanceJob,
    map: HostMap,
    dims: [usize; 3],
    geometry: Geometry,
) -> Result<Vec<Output<'a>>, PipelineError> {
    let mut outputs = Vec::new();
    let nearest = match (&job.nearest, &map.nearest) {
        (Some(path), Some(nearest)) => {
            let volume = nearest.to_volume(dims, geometry).map_err(at(path))?;
            Some((path.as_path(), volume, VolumeWriteOptions::default()))
        }
        _ => None,
    };
    if let Some(path) = &job.output {
        let (volume, unsigned) = match job.samples {
            MapSamples::F32 => (map.distances.into(), false),
            _ => squares::volume(
                job,
                &map.distances,
                map.squares.as_ref(),
                map.nearest.as_ref(),
            )?,
        };
        let options = VolumeWriteOptions {
            unsigned,
            ..VolumeWriteOptions::default()
        };
        outputs.push((path.as_path(), volume, options));
    }
    outputs.extend(nearest);
    Ok(outputs)
}
