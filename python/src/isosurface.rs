//! Isosurfaces.

use crate::{
    array::Array,
    call::{Task, is_long, run_on_device},
    error::Failure,
    host_array::with_kernel_type,
    input::{Input, Samples},
    values::{CellMask, local_ranges},
    workspace::Workspace,
};
use ferrovox::{
    grid::{DeviceSample, Geometry, Sample, SampleSummary, VolumeView},
    isosurface::{
        self, DeviceMesh, DeviceTriangles, IndexWidth, IsosurfaceParams, MaskRule, NormalSource,
        Topology, VertexPlacement,
    },
    nalgebra::{Matrix3, Vector3},
};
use pyo3::{prelude::*, types::PyDict};

/// Options of an extraction, the items of a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SurfaceOptions {
    /// Isovalue; `None` for the middle between the smallest and the largest sample.
    pub level: Option<f64>,
    /// Steps in the world along x, y and z, where x is the last axis of the array.
    axes: [[f64; 3]; 3],
    /// Position of the first sample.
    origin: [f64; 3],
    /// `true` if triangles are clockwise as seen from the side below the level.
    clockwise: bool,
    /// `true` to resolve ambiguous cells as the trilinear interpolant does.
    trilinear: bool,
    /// `true` to interpolate vertices by cubics.
    cubic: bool,
    close: bool,
    /// `gradient`, `trilinear`, or `None` for no normals.
    normals: Option<String>,
    /// `true` if the last corner of a cell decides whether it is masked.
    mask_by_last_corner: bool,
    /// `true` to compute the range of the samples around each vertex.
    values: bool,
    /// Bits of the indices of vertices: 32 or 64; 0 for as many as needed.
    index_bits: u32,
    pub device: String,
}

impl SurfaceOptions {
    pub fn geometry(&self) -> Result<Geometry, Failure> {
        let columns = self.axes.map(Vector3::from);
        let axes = Matrix3::from_columns(&columns);
        Ok(Geometry::new(axes, self.origin.into())?)
    }

    pub fn params(&self, level: f32) -> IsosurfaceParams {
        IsosurfaceParams {
            iso: level,
            clockwise: self.clockwise,
            close: self.close,
            topology: if self.trilinear {
                Topology::Trilinear
            } else {
                Topology::Separated
            },
            vertices: if self.cubic {
                VertexPlacement::Root
            } else {
                VertexPlacement::Linear
            },
            normals: self.normals.is_some(),
            normal_source: match self.normals.as_deref() {
                Some("trilinear") => NormalSource::Trilinear,
                _ => NormalSource::Gradient,
            },
            mask_rule: if self.mask_by_last_corner {
                MaskRule::LastCorner
            } else {
                MaskRule::AllCorners
            },
            index_width: match self.index_bits {
                32 => IndexWidth::Bits32,
                64 => IndexWidth::Bits64,
                _ => IndexWidth::Automatic,
            },
            ..IsosurfaceParams::default()
        }
    }
}

/// Arrays of a mesh.
pub(crate) struct Surface {
    vertices: Array,
    triangles: Array,
    normals: Option<Array>,
    values: Option<Array>,
    origin: [f64; 3],
    non_finite_cells: u64,
    level: f64,
}

/// Extracts the isosurface of a volume, and returns a dictionary of the arrays of the mesh.
#[pyfunction]
pub(crate) fn extract<'py>(
    py: Python<'py>,
    volume: &Bound<'py, PyAny>,
    mask: Option<&Bound<'py, PyAny>>,
    options: SurfaceOptions,
) -> PyResult<Bound<'py, PyDict>> {
    let volume = Input::new(volume)?;
    let mask = mask.map(Input::new).transpose()?;
    let surface = with_kernel_type!(volume, T => {
        let geometry = options.geometry()?;
        let samples = volume.samples::<T>(geometry)?;
        let mask = mask.as_ref().map(|mask| mask.samples::<u8>(geometry)).transpose()?;
        let mask_memory = mask.and_then(|mask| mask.elements.device_memory());
        let inputs = [samples.elements.device_memory(), mask_memory];
        let task = |has_long_loops| Task {
            device: &options.device,
            inputs: &inputs,
            elements: samples.elements.len(),
            has_long_loops,
        };
        let has_long_loops = options.level.is_none() || options.values || is_long(samples.dims);
        let surface = run_on_device(py, task(has_long_loops), None, |work| {
            extract_from_samples(work, samples, mask, &options)
        })?;
        match surface {
            Some(surface) => Ok(surface),
            None => run_on_device(py, task(true), None, |work| {
                Err(no_surface(work, samples, options.level)?)
            }),
        }
    })?;
    surface.into_dictionary(py)
}

impl Surface {
    pub fn into_dictionary(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let mesh = PyDict::new(py);
        mesh.set_item("vertices", self.vertices)?;
        mesh.set_item("faces", self.triangles)?;
        mesh.set_item("normals", self.normals)?;
        mesh.set_item("values", self.values)?;
        mesh.set_item("origin", self.origin)?;
        mesh.set_item("non_finite_cells", self.non_finite_cells)?;
        mesh.set_item("level", self.level)?;
        Ok(mesh)
    }
}

/// Extracts the surface; returns `None` if there is none.
fn extract_from_samples<T: DeviceSample + Sample>(
    work: &Workspace,
    volume: Samples<'_, T>,
    mask: Option<Samples<'_, u8>>,
    options: &SurfaceOptions,
) -> Result<Option<Surface>, Failure> {
    let level = match options.level {
        Some(level) => level,
        None => range(work, volume).map(|(min, max)| 0.5 * (min + max))?,
    };
    let params = options.params(level as f32);
    let samples = volume.borrow(work)?;
    let device_mask = mask.map(|mask| mask.borrow(work)).transpose()?;
    let mesh = isosurface::extract(work.stream(), &samples, device_mask.as_deref(), &params)?;
    if mesh.triangle_count() == 0 {
        return Ok(None);
    }
    options.surface(work, mesh, volume, mask, level).map(Some)
}

/// Returns the smallest and the largest sample.
fn range<T: DeviceSample + Sample>(
    work: &Workspace,
    volume: Samples<'_, T>,
) -> Result<(f64, f64), Failure> {
    let summary = SampleSummary::from_samples(&volume.elements.on_host(work)?);
    let range = summary.min.zip(summary.max);
    range.ok_or_else(|| Failure::invalid("the volume has no finite sample".to_owned()))
}

/// Returns the reason why there is no surface at a level.
fn no_surface<T: DeviceSample + Sample>(
    work: &Workspace,
    volume: Samples<'_, T>,
    level: Option<f64>,
) -> Result<Failure, Failure> {
    let (min, max) = range(work, volume)?;
    Ok(match level {
        Some(level) if level < min || level > max => Failure::invalid(format!(
            "the level {level} is outside of the data, which range from {min} to {max}"
        )),
        _ => Failure::NoSurface,
    })
}

impl SurfaceOptions {
    /// Creates the arrays of a mesh. `volume` and `mask` hold the samples around its vertices, in
    /// the world of the mesh.
    pub fn surface<T: DeviceSample + Sample>(
        &self,
        work: &Workspace,
        mesh: DeviceMesh,
        volume: Samples<'_, T>,
        mask: Option<Samples<'_, u8>>,
        level: f64,
    ) -> Result<Surface, Failure> {
        let (vertices, triangles) = (mesh.vertex_count(), mesh.triangle_count());
        let values = if self.values {
            let values = self.local_ranges(work, &mesh, volume, mask)?;
            Some(work.array_from_vec(values, vec![vertices])?)
        } else {
            None
        };
        let shape = vec![triangles, 3];
        Ok(Surface {
            vertices: work.array_from_buffer(mesh.positions, vec![vertices, 3])?,
            triangles: match mesh.triangles {
                DeviceTriangles::U32(indices) => {
                    let array = work.array_from_buffer(indices, shape)?;
                    if vertices <= i32::MAX as usize {
                        array.with_type::<i32>()
                    } else {
                        array
                    }
                }
                DeviceTriangles::U64(indices) => {
                    work.array_from_buffer(indices, shape)?.with_type::<i64>()
                }
            },
            normals: match mesh.normals {
                Some(normals) => Some(work.array_from_buffer(normals, vec![vertices, 3])?),
                None => None,
            },
            values,
            origin: mesh.origin,
            non_finite_cells: mesh.non_finite_cells,
            level,
        })
    }

    /// Computes the range of the samples around each vertex, on the host.
    fn local_ranges<T: DeviceSample + Sample>(
        &self,
        work: &Workspace,
        mesh: &DeviceMesh,
        volume: Samples<'_, T>,
        mask: Option<Samples<'_, u8>>,
    ) -> Result<Vec<f32>, Failure> {
        let downloaded;
        let positions = match mesh.positions.as_slice() {
            Some(positions) => positions,
            None => {
                downloaded = work.stream().download(&mesh.positions)?;
                &downloaded
            }
        };
        let ranges = |mask: Option<VolumeView<'_, u8>>| {
            let cells = CellMask {
                mask,
                by_last_corner: self.mask_by_last_corner,
                is_closed: self.close,
            };
            volume.with_host_view(work, |volume| {
                Ok(local_ranges(volume, cells, positions, mesh.origin))
            })
        };
        match mask {
            Some(mask) => mask.with_host_view(work, |mask| ranges(Some(mask))),
            None => ranges(None),
        }
    }
}
