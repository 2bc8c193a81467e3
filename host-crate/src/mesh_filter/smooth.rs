//! Windowed sinc smoothing.

use super::{
    MeshFilterError, SmoothParams,
    coefficients::coefficients,
    lists::{VertexLists, vertex_count},
    recompute_normals,
};
use crate::{
    device::{Buffer, Element, Stream, items_launch},
    mesh::{DeviceTriangles, TriangleMesh, group_triples},
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    mesh_filter::smooth::{add_displacements, smooth_first_term, smooth_next_term},
    sample::Count,
};

/// Smooths a mesh in device memory in place, with a low-pass filter that does not shrink the mesh
/// (Taubin, Zhang and Golub 1996, *Optimal surface smoothing as filter design*). Removes noise and
/// voxel steps; preserves features in the pass band, and the volume. Triangles are unchanged.
///
/// The filter is a polynomial of the uniform Laplacian, `x` minus the mean of its neighbours: the
/// Chebyshev series of a step at the end of the pass band, under a Hamming window, with the step
/// shifted such that the end of the pass band is preserved, and coefficients normalised to a sum of
/// 1, so that a mesh far from the origin is not moved. A boundary vertex uses only its two
/// neighbours on the boundary, so a planar boundary stays in its plane. Vertices at non-manifold
/// edges, and vertices at which boundaries meet, are fixed.
///
/// Time is linear in the triangles times the number of iterations. Device memory in addition to the
/// mesh, released on return: 64 bytes per vertex and six indices per triangle; for a closed mesh
/// with 32-bit indices, 112 bytes per vertex. Intermediate values are `f32`, sums are `f64` in a
/// fixed order: the bits are the same on every device. A non-finite vertex makes nearby vertices
/// non-finite.
///
/// # Errors
/// [`MeshFilterError`] for parameters out of range, a number of coordinates that is not a multiple
/// of three, triangles that refer to vertices that do not exist, and errors of the device.
/// Positions are unchanged in case of an error, unless a kernel failed.
///
/// ```
/// use ferrovox::{device::Device, isosurface::{self, IsosurfaceParams}, mesh, synthetic};
/// use ferrovox::mesh_filter::{SmoothParams, smooth};
///
/// let stream = Device::best().stream()?;
/// let ball = synthetic::sphere(&stream, [32, 32, 32], 12.0)?;
/// let mut surface = isosurface::extract(&stream, &ball, None, &IsosurfaceParams::default())?;
/// let before = mesh::check(&surface.download(&stream)?);
/// smooth(&stream, &mut surface.positions, &surface.triangles, &SmoothParams::default())?;
/// let after = mesh::check(&surface.download(&stream)?);
/// assert!((after.volume / before.volume - 1.0).abs() < 0.005);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn smooth(
    stream: &Stream,
    positions: &mut Buffer<f32>,
    triangles: &DeviceTriangles,
    params: &SmoothParams,
) -> Result<(), MeshFilterError> {
    params.check()?;
    match triangles {
        DeviceTriangles::U32(corners) => smooth_indexed(stream, positions, corners, params),
        DeviceTriangles::U64(corners) => smooth_indexed(stream, positions, corners, params),
    }
}

fn smooth_indexed<I: Count + Element>(
    stream: &Stream,
    positions: &mut Buffer<f32>,
    corners: &Buffer<I>,
    params: &SmoothParams,
) -> Result<(), MeshFilterError> {
    let vertices = vertex_count(positions.len())?;
    stream.check_device(positions)?;
    stream.check_device(corners)?;
    stream.prepare(&[
        smooth_first_term::<I>::entry(),
        smooth_next_term::<I>::entry(),
        add_displacements::entry(),
    ])?;
    let lists = VertexLists::smoothing_neighbours(stream, corners, vertices)?;
    let (starts, lengths) = (lists.starts.view(), lists.lengths.view());
    let elements = lists.elements.view();
    let len = positions.len();
    stream.require(4 * size_of::<f32>() as u64 * len as u64)?;
    let mut first = stream.alloc::<f32>(len)?;
    let mut sum = stream.alloc::<f32>(len)?;
    let coefficients = coefficients(params);
    let (launch, items) = items_launch(stream, vertices);
    // SAFETY: three numbers and one list per vertex, in all launches.
    unsafe {
        let args = (
            items,
            starts,
            lengths,
            elements,
            positions.view(),
            coefficients[1],
            first.view_mut(),
            sum.view_mut(),
        );
        stream.launch::<smooth_first_term<I>>(launch, args)?;
    }
    let mut previous = stream.zeros::<f32>(len)?;
    let mut current = stream.alloc::<f32>(len)?;
    stream.copy(&first, &mut current)?;
    for &coefficient in &coefficients[2..] {
        // SAFETY: as above; the arrays are distinct.
        unsafe {
            let args = (
                items,
                starts,
                lengths,
                elements,
                first.view(),
                current.view(),
                coefficient,
                previous.view_mut(),
                sum.view_mut(),
            );
            stream.launch::<smooth_next_term<I>>(launch, args)?;
        }
        std::mem::swap(&mut previous, &mut current);
    }
    let (launch, items) = items_launch(stream, len as u64);
    // SAFETY: both have one element per item.
    unsafe {
        let args = (items, sum.view(), positions.view_mut());
        stream.launch::<add_displacements>(launch, args)?;
    }
    Ok(())
}

/// [Smooths](smooth) a mesh on the host, on a device. Normals, if present, are
/// [recomputed](recompute_normals).
///
/// # Errors
/// As for [`smooth`], and [`MeshFilterError::Mesh`] for an inconsistent mesh.
pub fn smooth_mesh(
    stream: &Stream,
    mesh: &mut TriangleMesh,
    params: &SmoothParams,
) -> Result<(), MeshFilterError> {
    params.check()?;
    mesh.validate()?;
    let triangles = DeviceTriangles::upload(stream, &mesh.triangles)?;
    let mut positions = stream.upload(mesh.vertices.as_flattened())?;
    smooth(stream, &mut positions, &triangles, params)?;
    mesh.vertices = group_triples(stream.download(&positions)?);
    drop((positions, triangles));
    match mesh.normals {
        Some(_) => recompute_normals(stream, mesh),
        None => Ok(()),
    }
}
