//! Distances to the zeros of an array.

use crate::{
    array::Array,
    error::Failure,
    host_array::{HostArray, with_kernel_type},
    process::run,
};
use ferrovox::{
    device::Stream,
    distance::{self, DistanceParams, NoSites, Sites},
    grid::{DeviceMask, DeviceSample, DeviceVolume, Geometry, Sample, VolumeView},
};
use pyo3::prelude::*;
use rayon::prelude::*;

/// Minimum number of voxels per task.
pub(crate) const CHUNK: usize = 1 << 14;

/// Creates the geometry with a spacing along x, y and z.
pub(crate) fn geometry_from_spacing(spacing: [f64; 3]) -> Result<Geometry, Failure> {
    Ok(Geometry::from_spacing(spacing, [0.0; 3])?)
}

/// Returns parameters for distances that are infinite without sites.
pub(crate) fn params(max_distance: Option<f64>) -> DistanceParams {
    DistanceParams {
        max_distance,
        no_sites: NoSites::Infinity,
        ..DistanceParams::default()
    }
}

/// Finds the zeros of a volume.
pub(crate) fn zeros<T: DeviceSample + Sample>(
    stream: &Stream,
    volume: VolumeView<'_, T>,
) -> Result<DeviceMask, Failure> {
    let volume = DeviceVolume::borrow(stream, volume)?;
    Ok(DeviceMask::between(stream, &volume, 0.0, 0.0)?)
}

/// Computes the distance of each element to the nearest zero. `spacing` is along x, y and z, where
/// x is the last axis of the array. With `double`, the spacing must be 1, and the distances are the
/// nearest 64-bit numbers.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "arguments of Python")]
pub(crate) fn distances_to_zero(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    spacing: [f64; 3],
    max_distance: Option<f64>,
    double: bool,
    device: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Array> {
    let input = HostArray::new(input)?;
    let shape = input.shape.clone();
    with_kernel_type!(input, T => {
        let geometry = geometry_from_spacing(spacing)?;
        let volume = VolumeView::new(input.elements::<T>()?, input.dims()?, geometry);
        let volume = volume.map_err(Failure::from)?;
        run(py, progress, |call| {
            let stream = call.stream(device)?;
            let sites = zeros(&stream, volume)?;
            let params = params(max_distance);
            if double {
                return Ok(Array::from_vec(square_roots(&stream, &sites, &params)?, shape));
            }
            let map = distance::transform(&stream, Sites::Voxels(&sites), &params)?;
            Array::from_buffer(&stream, map.distances, shape)
        })
    })
}

/// Computes distances as the square roots of integers.
fn square_roots(
    stream: &Stream,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<Vec<f64>, Failure> {
    let map = distance::transform_squared::<u32>(stream, sites, params)?;
    let root = |&squared: &u32| match squared {
        u32::MAX => f64::INFINITY,
        squared => f64::from(squared).sqrt(),
    };
    let roots = |squared: &[u32]| {
        let squared = squared.par_iter().with_min_len(CHUNK);
        squared.map(root).collect()
    };
    Ok(match map.squared.as_slice() {
        Some(squared) => roots(squared),
        None => roots(&stream.download(&map.squared)?),
    })
}
