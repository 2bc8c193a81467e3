//! A distance map in core on one device.

use super::{
    DistanceJob, DistanceJobError, DistanceOutcome, MapSamples, Run,
    device_sites::DeviceSites,
    nearest_sites::NearestSites,
    plane::PlaneSamples,
    sites::{SiteInput, VoxelSites},
    squared::{self, HostSquaredMap},
};
use crate::{
    device::{Device, DeviceError},
    distance::{DistanceError, Method, NoSites, fastest_exact_method},
    grid::{AnyVolume, Geometry, Volume},
    io::{FileGroup, VolumeWriteOptions},
    pipeline::{PipelineError, add_picture, at},
};
use std::{borrow::Borrow, path::Path};

/// The map on the host, and the method that computed it.
struct HostMap {
    distances: Volume<f32>,
    /// Squared distances, if the device computed them directly.
    squared: Option<HostSquaredMap>,
    nearest: Option<NearestSites>,
    sites: u64,
    method: Method,
}

/// Returns the only device. Fails for several devices, and for a memory limit unless
/// `supports_limit`.
pub(super) fn single_device(
    job: &DistanceJob,
    supports_limit: bool,
) -> Result<&Device, DistanceJobError> {
    match &job.devices[..] {
        [_] if job.memory.is_some() && !supports_limit => {
            Err(DistanceJobError::MemoryLimitUnsupported)
        }
        [device] => Ok(device),
        devices => Err(DistanceJobError::MultipleDevicesUnsupported {
            devices: devices.len(),
        }),
    }
}

/// Computes the map of the sites, copies it to the host, and writes it.
pub(super) fn run(
    run: &mut Run<'_>,
    sites: impl Borrow<SiteInput>,
) -> Result<DistanceOutcome, PipelineError> {
    let (job, site_input) = (run.job, sites.borrow());
    let (dims, geometry, outside) = (
        site_input.dims(),
        *site_input.geometry(),
        site_input.outside(),
    );
    if job.samples != MapSamples::F32 {
        squared::check(job, &geometry)?;
    }
    let supports_limit = match (job.method, site_input) {
        (Some(method), _) => matches!(
            method,
            Method::Cubes | Method::Bucketed | Method::BruteForce
        ),
        (None, site_input) => matches!(
            site_input,
            SiteInput::Points(_) | SiteInput::Crossings { .. }
        ),
    };
    let device = single_device(job, supports_limit)?;
    device.reset_peak_memory();
    let map = compute_map(run, device, site_input)?;
    drop(sites);
    let picture = match &job.picture {
        Some(picture) => Some(run.stages.run("draw", || {
            PlaneSamples::from_map(&map.distances, picture.plane).draw(None, picture.longest_side)
        })?),
        None => None,
    };
    let range = extend_range(None, map.distances.samples());
    let method = map.method;
    let sites = map.sites;
    let volume_outputs = volume_outputs(job, map, dims, geometry)?;
    run.stages.run("write", || -> Result<(), PipelineError> {
        let mut group = FileGroup::new();
        for (path, volume, options) in volume_outputs {
            group.write_volume(path, &volume, &options)?;
        }
        if let (Some(to), Some((picture, _))) = (&job.picture, &picture) {
            add_picture(&mut group, &to.path, picture)?;
        }
        Ok(group.finish()?)
    })?;
    Ok(DistanceOutcome {
        dims,
        geometry,
        iso: run.iso,
        sites,
        outside,
        method,
        exact: job.params(method).is_exact(&geometry),
        range,
        isoline_step: picture.map(|(_, step)| step),
        peak_bytes: vec![device.memory_use().peak],
        warnings: std::mem::take(&mut run.warnings),
        timings: run.stages.timings(),
    })
}

/// Extends a range of distances by the finite values in `distances`.
pub(super) fn extend_range(range: Option<[f32; 2]>, distances: &[f32]) -> Option<[f32; 2]> {
    let finite = distances.iter().filter(|value| value.is_finite());
    finite.fold(range, |range, &value| {
        let [low, high] = range.unwrap_or([value, value]);
        Some([value.min(low), value.max(high)])
    })
}

/// Computes the map and copies it to the host.
fn compute_map(
    run: &mut Run<'_>,
    device: &Device,
    site_input: &SiteInput,
) -> Result<HostMap, PipelineError> {
    let (job, geometry) = (run.job, *site_input.geometry());
    let stream = device.stream()?;
    let (device_sites, sites) = run.stages.run("sites", || {
        let upload = || {
            let device_sites = DeviceSites::new(&stream, site_input, job.sign())?;
            let count = device_sites.count(&stream)?;
            Ok::<_, DistanceError>((device_sites, count))
        };
        upload().map_err(job.input.error())
    })?;
    let (sites, points) = match site_input {
        SiteInput::Voxels(VoxelSites {
            points: Some(voxels),
            ..
        }) => (voxels.len() as u64, Some(voxels.as_slice())),
        _ => (sites, None),
    };
    let exact_method = |device_sites: &DeviceSites| match device_sites.sites() {
        Some(sites) => fastest_exact_method(sites, job.nearest.is_some()),
        None => Method::Separable,
    };
    let mut params = job.params(job.method.unwrap_or_else(|| exact_method(&device_sites)));
    if !matches!(site_input, SiteInput::Labels(_)) {
        // The sites have been counted already.
        params.no_sites = NoSites::Infinity;
    }
    if job.samples != MapSamples::F32 {
        params.nearest |= squared::requires_nearest(&params, site_input.dims(), &geometry);
        if squared::is_computed_on_device(&params) {
            let squared = HostSquaredMap::compute(run, &stream, &device_sites, &params, &geometry)?;
            let distances = squared.to_distances(job.max_distance, site_input.dims(), geometry);
            return Ok(HostMap {
                distances: distances.map_err(job.input.error())?,
                squared: Some(squared),
                nearest: None,
                sites,
                method: params.method,
            });
        }
    }
    let map = run.stages.run("map", || {
        let map = device_sites.map(&stream, &params);
        map.map_err(job.input.error::<DistanceError>())
    })?;
    if params.nearest && map.nearest.is_none() {
        let method = params.method;
        return Err(job.input.error()(DistanceError::NearestUnsupported {
            method,
        }));
    }
    let (distances, nearest) = run.stages.run("download", || {
        let nearest = NearestSites::download(&stream, &map, points)?;
        Ok::<_, DeviceError>((map.download(&stream)?, nearest))
    })?;
    Ok(HostMap {
        distances,
        squared: None,
        nearest,
        sites,
        method: params.method,
    })
}

type VolumeOutput<'a> = (&'a Path, AnyVolume, VolumeWriteOptions);

/// Returns the volumes to write. Errors are detected here, before the first file is written.
fn volume_outputs<'a>(
    job: &'a DistanceJob,
    map: HostMap,
    dims: [usize; 3],
    geometry: Geometry,
) -> Result<Vec<VolumeOutput<'a>>, PipelineError> {
    let mut volume_outputs = Vec::new();
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
            _ => squared::to_volume(
                job,
                &map.distances,
                map.squared.as_ref(),
                map.nearest.as_ref(),
            )?,
        };
        let options = VolumeWriteOptions {
            unsigned,
            ..VolumeWriteOptions::default()
        };
        volume_outputs.push((path.as_path(), volume, options));
    }
    volume_outputs.extend(nearest);
    Ok(volume_outputs)
}
