//! Feature transform: the index of the nearest zero.

use crate::{
    array::Array,
    call::{Task, run_on_device},
    distance::{CHUNK, geometry_from_spacing, params, zeros},
    error::Failure,
    host_array::with_kernel_type,
    input::Input,
};
use ferrovox::{
    device::Stream,
    distance::{self, DistanceParams, NearestIndices, Sites},
};
use pyo3::prelude::*;
use rayon::prelude::*;

/// Computes for each element the nearest zero, and returns the distances in 64 bits, or in 32 bits
/// without `double`, and the indices along each axis in 32 bits, each if selected. Without a zero,
/// indices are -1 and distances infinite, or `max_distance`.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "arguments of Python")]
pub(crate) fn feature_transform(
    py: Python<'_>,
    input: &Bound<'_, PyAny>,
    spacing: [f64; 3],
    selection: (bool, bool),
    max_distance: Option<f64>,
    double: bool,
    device: &str,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Option<Array>, Option<Array>)> {
    let (with_distances, with_indices) = selection;
    let input = Input::new(input)?;
    let shape = input.shape().to_vec();
    let (dims, axes) = (input.dims()?, shape.len());
    with_kernel_type!(input, T => {
        let volume = input.samples::<T>(geometry_from_spacing(spacing)?)?;
        let task = Task {
            device,
            inputs: &[volume.elements.device_memory()],
            elements: volume.elements.len(),
            has_long_loops: true,
        };
        run_on_device(py, task, progress, |work| {
            let sites = zeros(work, volume)?;
            let params = DistanceParams { nearest: true, ..params(None) };
            let map = distance::transform(work.stream(), Sites::Voxels(&sites), &params)?;
            drop(map.distances);
            let nearest = match map.nearest {
                Some(nearest) => host_indices(work.stream(), nearest)?,
                None => Vec::new(),
            };
            let grid = Grid { dims, spacing, axes, first: 0 };
            let max_distance = max_distance.unwrap_or(f64::INFINITY);
            let distances = with_distances.then(|| {
                let distances = grid.distances(&nearest, max_distance);
                if double {
                    return work.array_from_vec(distances, shape.clone());
                }
                let distances = distances.into_par_iter().with_min_len(CHUNK);
                let narrow: Vec<f32> = distances.map(|distance| distance as f32).collect();
                work.array_from_vec(narrow, shape.clone())
            });
            let indices = with_indices.then(|| {
                let shape = std::iter::once(axes).chain(shape.iter().copied()).collect();
                work.array_from_vec(grid.indices(&nearest), shape)
            });
            Ok((distances.transpose()?, indices.transpose()?))
        })
    })
}

/// Returns the linear indices on the host; `u64::MAX` if there is no zero.
fn host_indices(stream: &Stream, nearest: NearestIndices) -> Result<Vec<u64>, Failure> {
    Ok(match nearest {
        NearestIndices::U32(nearest) => {
            let narrow = stream.download(&nearest)?;
            let widen = |index: u32| {
                if index == u32::MAX {
                    u64::MAX
                } else {
                    index.into()
                }
            };
            narrow
                .into_par_iter()
                .with_min_len(CHUNK)
                .map(widen)
                .collect()
        }
        NearestIndices::U64(nearest) => stream.download(&nearest)?,
    })
}

/// Grid of the array.
pub(crate) struct Grid {
    /// Number of elements along x, y and z.
    pub dims: [usize; 3],
    /// Spacing along x, y and z.
    pub spacing: [f64; 3],
    /// Number of axes of the array, the last of which is x.
    pub axes: usize,
    /// Linear index of the first element in the volume, if the array is a part of one.
    pub first: u64,
}

impl Grid {
    /// Returns the indices x, y and z of an element.
    fn position(&self, index: u64) -> [i32; 3] {
        let [nx, ny, _] = self.dims.map(|dim| dim as u64);
        [index % nx, index / nx % ny, index / nx / ny].map(|index| index as i32)
    }

    /// Returns the distances, with the rounding of SciPy: the squares are added in the order of the
    /// axes of the array.
    pub fn distances(&self, nearest: &[u64], max_distance: f64) -> Vec<f64> {
        let distance = |(from, &to): (usize, &u64)| {
            if to == u64::MAX {
                return max_distance;
            }
            let (from, to) = (self.position(self.first + from as u64), self.position(to));
            let square =
                |axis: usize| (f64::from(to[axis] - from[axis]) * self.spacing[axis]).powi(2);
            let squares = (0..self.axes).rev().map(square);
            squares
                .reduce(|sum, square| sum + square)
                .unwrap_or(0.0)
                .sqrt()
                .min(max_distance)
        };
        let elements = nearest.par_iter().with_min_len(CHUNK).enumerate();
        elements.map(distance).collect()
    }

    /// Returns the indices along each axis of the array, one axis after the other.
    pub fn indices(&self, nearest: &[u64]) -> Vec<i32> {
        let mut indices = vec![-1; self.axes * nearest.len()];
        for (number, along) in indices.chunks_mut(nearest.len().max(1)).enumerate() {
            let axis = self.axes - 1 - number;
            let pairs = along.par_iter_mut().with_min_len(CHUNK).zip(nearest);
            pairs.for_each(|(index, &nearest)| {
                if nearest != u64::MAX {
                    *index = self.position(nearest)[axis];
                }
            });
        }
        indices
    }
}
