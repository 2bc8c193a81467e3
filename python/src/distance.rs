//! Distances to the zeros of an array.

use crate::{
    array::Array,
    call::{Task, is_long, run_on_device},
    error::Failure,
    host_array::with_kernel_type,
    input::{Input, Samples},
    workspace::Workspace,
};
use ferrovox::{
    distance::{self, DistanceParams, NoSites, Sites},
    grid::{DeviceMask, DeviceSample, Geometry, Sample},
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
    work: &Workspace,
    volume: Samples<'_, T>,
) -> Result<DeviceMask, Failure> {
    let volume = volume.borrow(work)?;
    Ok(DeviceMask::between(work.stream(), &volume, 0.0, 0.0)?)
}

/// Computes the distance of each element to the nearest zero. `spacing` is along x, y and z, where
/// x is the last axis of the array. With `double`, the spacing must be 1, and the distances are the
/// nearest 64-bit numbers.
#[pyfunction]
pub(crate) fn distances_to_zero(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    spacing: [f64; 3],
    max_distance: Option<f64>,
    double: bool,
    device: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Array> {
    let input = Input::new(input)?;
    let shape = input.shape().to_vec();
    with_kernel_type!(input, T => {
        let volume = input.samples::<T>(geometry_from_spacing(spacing)?)?;
        let task = Task {
            device,
            inputs: &[volume.elements.device_memory()],
            elements: volume.elements.len(),
            has_long_loops: double || is_long(volume.dims),
        };
        run_on_device(py, task, progress, |work| {
            let sites = zeros(work, volume)?;
            let params = params(max_distance);
            if double {
                return work.array_from_vec(square_roots(work, &sites, &params)?, shape);
            }
            let map = distance::transform(work.stream(), Sites::Voxels(&sites), &params)?;
            work.array_from_buffer(map.distances, shape)
        })
    })
}

/// Computes distances as the square roots of integers.
fn square_roots(
    work: &Workspace,
    sites: &DeviceMask,
    params: &DistanceParams,
) -> Result<Vec<f64>, Failure> {
    let stream = work.stream();
    let map = distance::transform_squared::<u32>(stream, sites, params)?;
    let max_distance = params.max_distance.unwrap_or(f64::INFINITY);
    let root = |&squared: &u32| match squared {
        u32::MAX => max_distance,
        squared => f64::from(squared).sqrt().min(max_distance),
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
