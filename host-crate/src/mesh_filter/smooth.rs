//! Windowed sinc smoothing.

use super::{
    MeshFilterError, SmoothParams,
    coefficients::coefficients,
    lists::{Lists, vertices_of},
    renew_normals,
};
use crate::{
    device::{Buffer, Element, Stream, over},
    mesh::{DeviceTriangles, TriangleMesh, threes},
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    mesh_filter::smooth::{add_displacements, smooth_first_term, smooth_next_term},
    sample::Count,
};

/// Smooths a mesh on a device where it is: a low-pass filter that does not shrink, by Taubin, Zhang
/// and Golub (*Optimal surface smoothing as filter design*, 1996). What is filtered away are noise
/// and steps of voxels; what is in the pass band, as the volume, stays. The triangles stay as they
/// are.
///
/// The filter is a polynomial of the Laplacian with equal weights, `x` less the mean of its
/// neighbours: the Chebyshev series of a step at the pass band, under a Hamming window, with the
/// step moved so far that the end of the pass band is kept, and all coefficients divided by their
/// sum, so that a mesh far from the origin is not moved. A vertex on a boundary follows its two
/// neighbours there and no others, so a boundary in a plane stays in it. Where three triangles or
/// more meet in an edge, or boundaries in a vertex, vertices stay where they are.
///
/// Work is linear in the triangles, times the number of terms. Device memory beyond the mesh, freed
/// when it returns: 64 bytes for each vertex and six indices for each triangle, which for a closed
/// mesh of 32-bit indices is 112 bytes for each vertex. Numbers between terms are `f32`, sums `f64`
/// in a fixed order: the same bits on every device. A vertex that is not finite makes those near it
/// so.
///
/// # Errors
/// [`MeshFilterError`]: parameters out of range, coordinates that are not three for each vertex,
/// triangles that name no vertex, and what the device reports. Positions are unchanged then, unless
/// a kernel failed.
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
        DeviceTriangles::U32(corners) => of_corners(stream, positions, corners, params),
        DeviceTriangles::U64(corners) => of_corners(stream, positions, corners, params),
    }
}

fn of_corners<I: Count + Element>(
    stream: &Stream,
    positions: &mut Buffer<f32>,
    corners: &Buffer<I>,
    params: &SmoothParams,
) -> Result<(), MeshFilterError> {
    let vertices = vertices_of(positions.len())?;
    stream.check_device(positions)?;
    stream.check_device(corners)?;
    stream.prepare(&[
        smooth_first_term::<I>::entry(),
        smooth_next_term::<I>::entry(),
        add_displacements::entry(),
    ])?;
    let lists = Lists::of_neighbours(stream, corners, vertices)?;
    let (starts, lengths) = (lists.starts.view(), lists.lengths.view());
    let elements = lists.elements.view();
    let all = positions.len();
    stream.require(4 * size_of::<f32>() as u64 * all as u64)?;
    let mut first = stream.alloc::<f32>(all)?;
    let mut sum = stream.alloc::<f32>(all)?;
    let coefficients = coefficients(params);
    let (launch, items) = over(stream, vertices);
    // SAFETY: three numbers and a list for each vertex, in all launches.
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
    let mut previous = stream.zeros::<f32>(all)?;
    let mut current = stream.alloc::<f32>(all)?;
    stream.copy(&first, &mut current)?;
    for &coefficient in &coefficients[2..] {
        // SAFETY: as above; no array is another.
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
    let (launch, items) = over(stream, all as u64);
    // SAFETY: both have an element for each item.
    unsafe {
        let args = (items, sum.view(), positions.view_mut());
        stream.launch::<add_displacements>(launch, args)?;
    }
    Ok(())
}

/// [`smooth`] of a mesh on the host: it is uploaded, and its vertices come back. Normals, where it
/// has them, are made [anew](renew_normals).
///
/// # Errors
/// As [`smooth`], and [`MeshFilterError::Mesh`] for a mesh that is not valid.
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
    mesh.vertices = threes(stream.download(&positions)?);
    drop((positions, triangles));
    match mesh.normals {
        Some(_) => renew_normals(stream, mesh),
        None => Ok(()),
    }
}
