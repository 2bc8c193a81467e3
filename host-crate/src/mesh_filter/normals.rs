//! Normals of vertices, from the triangles around them.

use super::{
    MeshFilterError,
    lists::{Lists, vertices_of},
};
use crate::{
    device::{Buffer, Element, Stream, over},
    mesh::{DeviceTriangles, TriangleMesh, threes},
};
use cuda_std::Kernel;
use ferrovox_kernels::{mesh_filter::normals, sample::Count};

/// A unit normal for each vertex of a mesh on a device: x, y and z of the direction of the sum of
/// its triangles' normals, which weigh as much as their areas. They point to where the triangles
/// are seen counter-clockwise. A vertex whose sum is 0, as of one without triangles, has (0, 0, 1).
///
/// Work is linear in the triangles. Device memory beyond the mesh and the result: 16 bytes for each
/// vertex and three indices for each triangle.
///
/// # Errors
/// [`MeshFilterError::Coordinates`], [`MeshFilterError::IndexOutOfRange`],
/// [`MeshFilterError::NarrowIndices`], [`MeshFilterError::Device`].
///
/// ```
/// use ferrovox::{device::Device, mesh::{DeviceTriangles, Triangles}, mesh_filter::vertex_normals};
///
/// let stream = Device::best().stream()?;
/// let positions = stream.upload(&[0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])?;
/// let triangles = DeviceTriangles::upload(&stream, &Triangles::U32(vec![[0, 2, 1]]))?;
/// let normals = vertex_normals(&stream, &positions, &triangles)?;
/// assert_eq!(stream.download(&normals)?, [0.0, 0.0, -1.0].repeat(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn vertex_normals(
    stream: &Stream,
    positions: &Buffer<f32>,
    triangles: &DeviceTriangles,
) -> Result<Buffer<f32>, MeshFilterError> {
    match triangles {
        DeviceTriangles::U32(corners) => of_corners(stream, positions, corners),
        DeviceTriangles::U64(corners) => of_corners(stream, positions, corners),
    }
}

fn of_corners<I: Count + Element>(
    stream: &Stream,
    positions: &Buffer<f32>,
    corners: &Buffer<I>,
) -> Result<Buffer<f32>, MeshFilterError> {
    let vertices = vertices_of(positions.len())?;
    stream.check_device(positions)?;
    stream.check_device(corners)?;
    stream.prepare(&[normals::vertex_normals::<I>::entry()])?;
    let mut lists = Lists::of_triangles(stream, corners, vertices)?;
    let mut result = stream.alloc::<f32>(positions.len())?;
    let (launch, items) = over(stream, vertices);
    // SAFETY: three coordinates and a list for each vertex.
    unsafe {
        let args = (
            items,
            positions.view(),
            corners.view(),
            lists.starts.view(),
            lists.lengths.view(),
            lists.elements.view_mut(),
            result.view_mut(),
        );
        stream.launch::<normals::vertex_normals<I>>(launch, args)?;
    }
    Ok(result)
}

/// Gives a mesh on the host the normals of [`vertex_normals`], in place of those it has. What that
/// takes on the device is freed when it returns.
///
/// # Errors
/// As [`vertex_normals`], and [`MeshFilterError::Mesh`] for a mesh that is not valid.
pub fn renew_normals(stream: &Stream, mesh: &mut TriangleMesh) -> Result<(), MeshFilterError> {
    mesh.normals = None;
    mesh.validate()?;
    let positions = stream.upload(mesh.vertices.as_flattened())?;
    let triangles = DeviceTriangles::upload(stream, &mesh.triangles)?;
    let normals = vertex_normals(stream, &positions, &triangles)?;
    mesh.normals = Some(threes(stream.download(&normals)?));
    Ok(())
}
