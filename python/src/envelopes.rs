//! Distances to zeros in parts: functions of ranges of planes.

use crate::{
    array::Array,
    call::{Task, run, run_on_device},
    distance::{geometry_from_spacing, params, zeros},
    error::Failure,
    feature::Grid,
    host_array::{HostArray, with_kernel_type},
    input::Input,
};
use ferrovox::distance::{ColumnEnvelopes, transform_part};
use pyo3::prelude::*;

/// Envelopes as the arrays of their ends and sites.
type EnvelopeArrays = (Array, Array);

/// Envelopes of Python: two arrays, and the grid of their columns.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct EnvelopeInput<'py> {
    ends: Bound<'py, PyAny>,
    sites: Bound<'py, PyAny>,
    /// Number of columns along x and y.
    dims: [usize; 2],
    /// Spacing along x, y and z.
    spacing: [f64; 3],
}

impl EnvelopeInput<'_> {
    /// Copies the lists of the envelopes.
    fn envelopes(&self) -> PyResult<ColumnEnvelopes> {
        let (ends, sites) = (HostArray::new(&self.ends)?, HostArray::new(&self.sites)?);
        let (ends, sites) = (ends.elements::<u32>()?, sites.elements::<u64>()?);
        let geometry = geometry_from_spacing(self.spacing)?;
        let lists = (ends.to_vec(), sites.to_vec());
        let envelopes = ColumnEnvelopes::from_lists(self.dims, geometry, lists.0, lists.1);
        Ok(envelopes.map_err(Failure::from)?)
    }
}

fn envelope_arrays(envelopes: &ColumnEnvelopes) -> EnvelopeArrays {
    let (ends, sites) = (envelopes.ends().to_vec(), envelopes.sites().to_vec());
    let lengths = (ends.len(), sites.len());
    (
        Array::from_vec(ends, vec![lengths.0]),
        Array::from_vec(sites, vec![lengths.1]),
    )
}

/// Computes the envelopes of the zeros in some planes.
#[pyfunction]
pub(crate) fn envelope_part(
    py: Python<'_>,
    planes: &Bound<'_, PyAny>,
    first_plane: usize,
    spacing: [f64; 3],
    max_distance: Option<f64>,
    device: &str,
) -> PyResult<EnvelopeArrays> {
    let planes = Input::new(planes)?;
    with_kernel_type!(planes, T => {
        let volume = planes.samples::<T>(geometry_from_spacing(spacing)?)?;
        let task = Task {
            device,
            inputs: &[volume.elements.device_memory()],
            elements: volume.elements.len(),
            has_long_loops: true,
        };
        run_on_device(py, task, None, |work| {
            let (stream, sites) = (work.stream(), zeros(work, volume)?);
            let envelopes =
                ColumnEnvelopes::from_sites(stream, &sites, first_plane, max_distance)?;
            Ok(envelope_arrays(&envelopes))
        })
    })
}

/// Merges envelopes, and restricts them to positions from `first` to before `end`.
#[pyfunction]
pub(crate) fn merge_envelopes(
    py: Python<'_>,
    envelopes: Vec<EnvelopeInput<'_>>,
    first: Option<usize>,
    end: Option<usize>,
) -> PyResult<EnvelopeArrays> {
    let inputs = envelopes.iter().map(EnvelopeInput::envelopes);
    let inputs = inputs.collect::<PyResult<Vec<_>>>()?;
    run(py, None, |_| {
        let mut rest = inputs.iter();
        let missing = || Failure::invalid("there are no envelopes to merge".to_owned());
        let mut merged = rest.next().ok_or_else(missing)?.clone();
        for other in rest {
            merged = merged.merged(other)?;
        }
        let restricted = match (first, end) {
            (None, None) => merged,
            (Some(first), None) => merged.restricted(first..)?,
            (None, Some(end)) => merged.restricted(..end)?,
            (Some(first), Some(end)) => merged.restricted(first..end)?,
        };
        Ok(envelope_arrays(&restricted))
    })
}

/// Computes the distances of some planes to zeros in them and to the sites of envelopes, in 32 or
/// 64 bits, and the indices of the nearest zeros.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "arguments of Python")]
pub(crate) fn distance_part(
    py: Python<'_>,
    planes: &Bound<'_, PyAny>,
    first_plane: usize,
    outside: Option<EnvelopeInput<'_>>,
    spacing: [f64; 3],
    max_distance: Option<f64>,
    double: bool,
    with_indices: bool,
    device: &str,
) -> PyResult<(Array, Option<Array>)> {
    let planes = Input::new(planes)?;
    let (dims, shape) = (planes.dims()?, planes.shape().to_vec());
    let outside = outside.map(|outside| outside.envelopes()).transpose()?;
    with_kernel_type!(planes, T => {
        let volume = planes.samples::<T>(geometry_from_spacing(spacing)?)?;
        let task = Task {
            device,
            inputs: &[volume.elements.device_memory()],
            elements: volume.elements.len(),
            has_long_loops: true,
        };
        run_on_device(py, task, None, |work| {
            let (stream, sites) = (work.stream(), zeros(work, volume)?);
            let params = params(max_distance);
            let part = transform_part(stream, &sites, first_plane, outside.as_ref(), &params)?;
            let grid = Grid {
                dims,
                spacing,
                axes: 3,
                first: (first_plane * dims[0] * dims[1]) as u64,
            };
            let indices = with_indices.then(|| {
                let shape = std::iter::once(3).chain(shape.iter().copied()).collect();
                work.array_from_vec(grid.indices(&part.nearest), shape)
            });
            let distances = if double {
                let max_distance = max_distance.unwrap_or(f64::INFINITY);
                work.array_from_vec(grid.distances(&part.nearest, max_distance), shape)?
            } else {
                work.array_from_vec(part.distances, shape)?
            };
            Ok((distances, indices.transpose()?))
        })
    })
}
