//! Vertex normals from the incident triangles.

use super::{
    MeshFilterError,
    lists::{VertexLists, vertex_count},
};
use crate::{
    device::{Buffer, Element, Stream, items_launch},
    mesh::{DeviceTriangles, TriangleMesh, group_triples},
};
use cuda_std::Kernel;
use ferrovox_kernels::{mesh_filter::normals, sample::Count};

/// Computes a unit normal per vertex of a mesh in device memory, as x, y and z: the direction of
/// the sum of its triangles' normals, weighted by area. Normals point to the side from which
/// triangles are counter-clockwise. A vertex whose sum is 0, such as one without triangles, has the
/// normal (0, 0, 1).
///
/// Time is linear in the triangles. Device memory in addition to the mesh and the result: 16 bytes
/// per vertex and three indices per triangle.
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
        DeviceTriangles::U32(corners) => normals_indexed(stream, positions, corners),
        DeviceTriangles::U64(corners) => normals_indexed(stream, positions, corners),
    }
}

fn normals_indexed<I: Count + Element>(
    stream: &Stream,
    positions: &Buffer<f32>,
    corners: &Buffer<I>,
) -> Result<Buffer<f32>, MeshFilterError> {
    let vertices = vertex_count(positions.len())?;
    stream.check_device(positions)?;
    stream.check_device(corners)?;
    stream.prepare(&[normals::vertex_normals::<I>::entry()])?;
    let mut lists = VertexLists::incident_triangles(stream, corners, vertices)?;
    let mut result = stream.alloc::<f32>(positions.len())?;
    let (launch, items) = items_launch(stream, vertices);
    // SAFETY: three coordinates and one list per vertex.
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

/// Replaces the normals of a mesh on the host by those of [`vertex_normals`]. Device memory is
/// released on return.
///
/// # Errors
/// As for [`vertex_normals`], and [`MeshFilterError::Mesh`] for an inconsistent mesh.
pub fn recompute_normals(stream: &Stream, mesh: &mut TriangleMesh) -> Result<(), MeshFilterError> {
    mesh.normals = None;
    mesh.validate()?;
    let positions = stream.upload(mesh.vertices.as_flattened())?;
    let triangles = DeviceTriangles::upload(stream, &mesh.triangles)?;
    let normals = vertex_normals(stream, &positions, &triangles)?;
    mesh.normals = Some(group_triples(stream.download(&normals)?));
    Ok(())
}
