//! Voxelization of meshes.

use crate::{array::Array, call::run, error::Failure, host_array::HostArray};
use ferrovox::{
    grid::Geometry,
    mesh::{TriangleMesh, Triangles},
    nalgebra::{Matrix3, Vector3},
    voxelize::{mask_to_volume, voxelize_planes},
};
use pyo3::prelude::*;

/// Returns for each voxel 1 if its centre is inside a closed mesh. `spacing` and `origin` are along
/// the axes of the array, the last of which is x of the grid. The result has the planes from
/// `planes.0` to before `planes.1` of the first axis.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "arguments of Python")]
pub(crate) fn voxelize(
    py: Python<'_>,
    vertices: &Bound<'_, PyAny>,
    faces: &Bound<'_, PyAny>,
    shape: [usize; 3],
    planes: (usize, usize),
    spacing: [f64; 3],
    origin: [f64; 3],
    device: &str,
) -> PyResult<Array> {
    let (vertices, faces) = (HostArray::new(vertices)?, HostArray::new(faces)?);
    let (vertices, faces) = (vertices.elements::<f32>()?, faces.elements::<u32>()?);
    run(py, None, |call| {
        let mesh = TriangleMesh {
            vertices: vertices.as_chunks().0.to_vec(),
            triangles: Triangles::U32(faces.as_chunks().0.to_vec()),
            ..TriangleMesh::default()
        };
        let axis = |axis: usize| {
            let mut step = Vector3::zeros();
            step[axis] = spacing[axis];
            step
        };
        let axes = Matrix3::from_columns(&[axis(2), axis(1), axis(0)]);
        let geometry = Geometry::new(axes, origin.into())?;
        let [nz, ny, nx] = shape;
        let stream = call.stream(device)?;
        let planes = planes.0..planes.1;
        let mask = voxelize_planes(&stream, &mesh, [nx, ny, nz], geometry, planes.clone())?;
        let voxels = mask_to_volume(&stream, &mask).map_err(Failure::from)?;
        Ok(Array::from_vec(
            voxels.into_samples(),
            vec![planes.len(), ny, nx],
        ))
    })
}
