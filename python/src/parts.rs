//! Parts of isosurfaces, as functions of one slab of the volume.

use crate::{
    call::{Task, run_on_device},
    error::Failure,
    host_array::with_kernel_type,
    input::{Input, Samples},
    isosurface::SurfaceOptions,
    workspace::Workspace,
};
use ferrovox::{
    grid::{DeviceSample, Geometry, Sample},
    isosurface::{self, DeviceSlab, PartCounts},
    nalgebra::Point3,
};
use pyo3::{prelude::*, types::PyDict};

/// Slab of a volume, the items of a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Part {
    /// Number of samples of the whole volume along x, y and z.
    dims: [usize; 3],
    /// First of the planes of samples along z that are given.
    first_plane: usize,
    /// First plane of cells, and the plane after the last.
    cells: (u32, u32),
}

/// Planes of a volume, as far as all sample types share it.
struct Planes<'a, T> {
    samples: Samples<'a, T>,
    mask: Option<Samples<'a, u8>>,
}

impl<'a, T: DeviceSample + Sample> Planes<'a, T> {
    fn new(
        samples: &'a Input<'_>,
        mask: Option<&'a Input<'_>>,
        geometry: Geometry,
    ) -> PyResult<Self> {
        let mask = mask.map(|mask| mask.samples(geometry)).transpose()?;
        Ok(Self {
            samples: samples.samples(geometry)?,
            mask,
        })
    }

    /// Calls `compute` with a stream on a device, and the planes there as a slab.
    fn run_with_slab<R: Send + 'static>(
        &self,
        py: Python<'_>,
        device: &str,
        part: &Part,
        compute: impl FnOnce(&Workspace, &DeviceSlab<'_, T>) -> Result<R, Failure> + Send,
    ) -> PyResult<R> {
        let mask_memory = self.mask.and_then(|mask| mask.elements.device_memory());
        let task = Task {
            device,
            inputs: &[self.samples.elements.device_memory(), mask_memory],
            elements: self.samples.elements.len(),
            has_long_loops: true,
        };
        run_on_device(py, task, None, |work| {
            let samples = self.samples.borrow(work)?;
            let mask = self.mask.map(|mask| mask.borrow(work)).transpose()?;
            let slab = DeviceSlab {
                stream: work.stream(),
                samples: &samples,
                mask: mask.as_deref(),
                first_plane: part.first_plane,
                cells: part.cells.0..part.cells.1,
            };
            compute(work, &slab)
        })
    }
}

impl SurfaceOptions {
    /// Returns the level, which parts cannot choose themselves.
    fn part_level(&self) -> Result<f64, Failure> {
        let missing = || Failure::invalid("a part needs a level".to_owned());
        self.level.ok_or_else(missing)
    }
}

/// Counts the vertices and triangles of a part.
#[pyfunction]
pub(crate) fn count_part(
    py: Python<'_>,
    planes: &Bound<'_, PyAny>,
    mask: Option<&Bound<'_, PyAny>>,
    part: Part,
    options: SurfaceOptions,
) -> PyResult<(u64, u64)> {
    let planes = Input::new(planes)?;
    let mask = mask.map(Input::new).transpose()?;
    let (geometry, level) = (options.geometry()?, options.part_level()?);
    with_kernel_type!(planes, T => {
        let planes = Planes::<T>::new(&planes, mask.as_ref(), geometry)?;
        planes.run_with_slab(py, &options.device, &part, |_, slab| {
            let params = options.params(level as f32);
            let counts = isosurface::count_part(part.dims, &geometry, slab, &params)?;
            Ok((counts.vertices, counts.triangles))
        })
    })
}

/// Extracts a part, after `before` vertices and triangles of `total`.
#[pyfunction]
pub(crate) fn extract_part<'py>(
    py: Python<'py>,
    planes: &Bound<'py, PyAny>,
    mask: Option<&Bound<'py, PyAny>>,
    part: Part,
    options: SurfaceOptions,
    before: (u64, u64),
    total: (u64, u64),
) -> PyResult<Bound<'py, PyDict>> {
    let planes = Input::new(planes)?;
    let mask = mask.map(Input::new).transpose()?;
    let (geometry, level) = (options.geometry()?, options.part_level()?);
    let counts = |(vertices, triangles)| PartCounts {
        vertices,
        triangles,
    };
    let surface = with_kernel_type!(planes, T => {
        // values are looked up in the planes, whose first one is not that of the volume
        let first = geometry.index_to_world(Point3::new(0.0, 0.0, part.first_plane as f64));
        let local = Geometry::new(*geometry.axes(), first.coords).map_err(Failure::from)?;
        let planes = Planes::<T>::new(&planes, mask.as_ref(), local)?;
        planes.run_with_slab(py, &options.device, &part, |work, slab| {
            let params = options.params(level as f32);
            let (before, total) = (counts(before), counts(total));
            let (dims, geometry) = (part.dims, &geometry);
            let mesh = isosurface::extract_part(dims, geometry, slab, &params, before, total)?;
            options.surface(work, mesh, planes.samples, planes.mask, level)
        })
    })?;
    surface.into_dictionary(py)
}

/// First plane of cells and the plane after the last, and those of samples.
type Ranges = ((u32, u32), (usize, usize));

/// Returns the planes of cells and of samples of about equal slabs of a volume.
#[pyfunction]
pub(crate) fn slabs(dims: [usize; 3], count: usize, close: bool) -> PyResult<Vec<Ranges>> {
    let slabs = isosurface::slabs(dims, close, count).map_err(Failure::from)?;
    let slab = |slab: isosurface::VolumeSlab| {
        let (cells, planes) = (slab.cells, slab.planes);
        ((cells.start, cells.end), (planes.start, planes.end))
    };
    Ok(slabs.into_iter().map(slab).collect())
}
