//! Distances between labels, as the package edt defines them.

use crate::{
    array::Array,
    call::{Task, is_long, run_on_device},
    distance::{CHUNK, geometry_from_spacing, params},
    error::{Failure, unexpected_type},
    input::{Elements, Input, Samples},
    workspace::Workspace,
};
use ferrovox::{
    device::Element,
    distance::{self, DistanceError, DistanceMap},
    grid::{DeviceMask, DeviceSample, DeviceVolume, Sample},
};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::{collections::HashMap, hash::Hash};

/// Options of a distance map of labels, the items of a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct LabelOptions {
    /// Spacing along x, y and z, where x is the last axis of the array.
    spacing: [f64; 3],
    /// `true` if another label surrounds the array.
    black_border: bool,
    /// `true` for squared distances.
    squared: bool,
    /// `true` for negative distances of label 0, instead of 0.
    signed: bool,
    max_distance: Option<f64>,
    device: String,
}

/// Computes the distance of each element to the nearest element with another label.
#[pyfunction]
pub(crate) fn label_distances(
    py: Python<'_>,
    labels: &Bound<'_, PyAny>,
    options: LabelOptions,
) -> PyResult<Array> {
    let array = Input::new(labels)?;
    let grid = LabelGrid {
        dims: array.dims()?,
        shape: array.shape().to_vec(),
        options,
    };
    match array.typestr() {
        "|b1" | "|u1" => grid.compute(py, array.elements::<u8>()?),
        "|i1" => grid.compute(py, array.elements::<i8>()?),
        "<u2" => grid.compute(py, array.elements::<u16>()?),
        "<i2" => grid.compute(py, array.elements::<i16>()?),
        "<f4" => grid.compute(py, array.elements::<f32>()?),
        "<u4" => grid.compute_wide(py, array.elements::<u32>()?, |label| label as f64),
        "<i4" => grid.compute_wide(py, array.elements::<i32>()?, |label| label as f64),
        "<u8" => grid.compute_wide(py, array.elements::<u64>()?, |label| label as f64),
        "<i8" => grid.compute_wide(py, array.elements::<i64>()?, |label| label as f64),
        "<f8" => {
            // equal numbers have equal bits, except for the two zeros
            let bits = array.elements::<u64>()?;
            let number = |bits: u64| f64::from_bits(bits) + 0.0;
            grid.compute_wide(py, bits, number)
        }
        other => Err(unexpected_type(other)),
    }
}

/// Grid of labels.
struct LabelGrid {
    /// Number of elements along x, y and z.
    dims: [usize; 3],
    shape: Vec<usize>,
    options: LabelOptions,
}

/// Largest integer up to which `f32` represents every integer.
const MAX_EXACT: f64 = (1 << 24) as f64;

impl LabelGrid {
    /// Computes the distances for labels that kernels read.
    fn compute<T: DeviceSample + Sample>(
        self,
        py: Python<'_>,
        labels: Elements<'_, T>,
    ) -> PyResult<Array> {
        let task = Task {
            device: &self.options.device,
            inputs: &[labels.device_memory()],
            elements: labels.len(),
            has_long_loops: self.options.squared || self.options.black_border || is_long(self.dims),
        };
        run_on_device(py, task, None, |work| self.compute_on(work, labels))
    }

    /// Computes the distances for labels that kernels do not read, which are converted to `f32` on
    /// the host: their `number` if that is exact for all of them, otherwise their rank.
    fn compute_wide<T: Element + Eq + Hash>(
        self,
        py: Python<'_>,
        labels: Elements<'_, T>,
        number: impl Fn(T) -> f64 + Sync + Send,
    ) -> PyResult<Array> {
        let task = Task {
            device: &self.options.device,
            inputs: &[labels.device_memory()],
            elements: labels.len(),
            has_long_loops: true,
        };
        run_on_device(py, task, None, |work| {
            let labels = labels.on_host(work)?;
            let is_exact = |&label: &T| {
                let number = number(label);
                let is_small = number.abs() <= MAX_EXACT;
                number.is_nan() || is_small && f64::from(number as f32) == number
            };
            let narrow: Vec<f32> = if labels.par_iter().with_min_len(CHUNK).all(is_exact) {
                let labels = labels.par_iter().with_min_len(CHUNK);
                labels.map(|&label| number(label) as f32).collect()
            } else {
                rank_labels(&labels, &number)?
            };
            self.compute_on(work, Elements::Host(&narrow))
        })
    }

    fn compute_on<T: DeviceSample + Sample>(
        &self,
        work: &Workspace,
        labels: Elements<'_, T>,
    ) -> Result<Array, Failure> {
        let volume = Samples {
            elements: labels,
            dims: self.dims,
            geometry: geometry_from_spacing(self.options.spacing)?,
        };
        let (stream, volume) = (work.stream(), volume.borrow(work)?);
        let params = params(self.options.max_distance);
        let shape = self.shape.clone();
        if self.options.squared {
            match distance::transform_labels_squared::<u32, T>(stream, &volume, &params) {
                Ok(map) => {
                    let square = map.unit() * map.unit();
                    let squared = map.download(stream)?;
                    let squared = squared.into_par_iter().with_min_len(CHUNK);
                    let real = |squared| match squared {
                        u32::MAX => f32::INFINITY,
                        squared => (f64::from(squared) * square) as f32,
                    };
                    let mut distances: Vec<f32> = squared.map(real).collect();
                    self.finish(&labels.on_host(work)?, &mut distances);
                    return work.array_from_vec(distances, shape);
                }
                Err(
                    DistanceError::SquaredNotIntegral { .. }
                    | DistanceError::SquaredTooLarge { .. },
                ) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut map = distance::transform_labels(stream, &volume, &params)?;
        let is_elementwise = !self.options.squared && !self.options.black_border;
        if work.keeps_results_on_device() && is_elementwise {
            self.finish_on_device(work, &volume, &mut map)?;
            return work.array_from_buffer(map.distances, shape);
        }
        let labels = labels.on_host(work)?;
        if let Some(distances) = map.distances.as_mut_slice() {
            self.square(distances);
            self.finish(&labels, distances);
            return work.array_from_buffer(map.distances, shape);
        }
        let mut distances = stream.download(&map.distances)?;
        self.square(&mut distances);
        self.finish(&labels, &mut distances);
        work.array_from_vec(distances, shape)
    }

    /// Applies the sign of label 0, on the device of the map.
    fn finish_on_device<T: DeviceSample>(
        &self,
        work: &Workspace,
        volume: &DeviceVolume<T>,
        map: &mut DistanceMap,
    ) -> Result<(), Failure> {
        let background = DeviceMask::between(work.stream(), volume, 0.0, 0.0)?;
        if self.options.signed {
            distance::apply_sign(work.stream(), map, &background)?;
        } else {
            distance::clear_inside(work.stream(), map, &background)?;
        }
        Ok(())
    }

    fn square(&self, distances: &mut [f32]) {
        if self.options.squared {
            let distances = distances.par_iter_mut().with_min_len(CHUNK);
            distances.for_each(|distance| *distance *= *distance);
        }
    }

    /// Applies the border of the array, and the sign of label 0.
    fn finish<T: Sample>(&self, labels: &[T], distances: &mut [f32]) {
        let [nx, ny, _] = self.dims.map(|dim| dim.max(1));
        let rows = distances.par_chunks_mut(nx).zip(labels.par_chunks(nx));
        let rows = rows.with_min_len(CHUNK.div_ceil(nx)).enumerate();
        rows.for_each(|(row, (distances, labels))| {
            let outside = self.border_distance(1, row % ny);
            let outside = outside.min(self.border_distance(2, row / ny));
            for (x, (distance, label)) in distances.iter_mut().zip(labels).enumerate() {
                if self.options.black_border {
                    let outside = outside.min(self.border_distance(0, x));
                    *distance = distance.min(if self.options.squared {
                        (outside * outside) as f32
                    } else {
                        outside as f32
                    });
                }
                if label.to_f64() == 0.0 {
                    *distance = if self.options.signed { -*distance } else { 0.0 };
                }
            }
        });
    }

    /// Returns the distance of an index to the outside along an axis; infinite for axes that the
    /// array lacks.
    fn border_distance(&self, axis: usize, index: usize) -> f64 {
        if axis >= self.shape.len() {
            return f64::INFINITY;
        }
        (index + 1).min(self.dims[axis] - index) as f64 * self.options.spacing[axis]
    }
}

/// Numbers the distinct labels from 1 in the order of their first element; 0 and NaN keep their
/// values.
fn rank_labels<T: Copy + Eq + Hash>(
    labels: &[T],
    number: &impl Fn(T) -> f64,
) -> Result<Vec<f32>, Failure> {
    let mut ranks: HashMap<T, f32> = HashMap::new();
    let mut ranked = Vec::with_capacity(labels.len());
    let mut last = None;
    for &label in labels {
        let rank = match last {
            Some((other, rank)) if other == label => rank,
            _ => {
                let value = number(label);
                let next = ranks.len() as f32 + 1.0;
                if value == 0.0 || value.is_nan() {
                    value as f32
                } else {
                    *ranks.entry(label).or_insert(next)
                }
            }
        };
        last = Some((label, rank));
        ranked.push(rank);
    }
    if ranks.len() as f64 > MAX_EXACT {
        let count = ranks.len();
        return Err(Failure::invalid(format!(
            "the array has {count} distinct labels beyond 2^24; at most 2^24 are supported"
        )));
    }
    Ok(ranked)
}
