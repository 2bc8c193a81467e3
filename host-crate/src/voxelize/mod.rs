//! Voxelization: the voxels enclosed by a closed triangle mesh.
//!
//! A voxel belongs to the solid if its centre is inside the mesh, that is, if a ray from it crosses
//! the mesh an odd number of times. The orientation of triangles has no effect, and regions
//! enclosed twice are outside. Open meshes are voxelized by
//! [winding numbers](voxelize_by_winding).

mod closed;
mod error;
mod fixed_point;
mod open;
mod params;
mod volume;

pub use error::VoxelizeError;
pub use open::{signed_distances, voxelize_by_winding};
pub use params::VoxelizeParams;
pub use volume::mask_to_volume;

use crate::{
    device::{Launch, Stream},
    grid::{DeviceMask, Geometry, kernel_grid},
    mesh::TriangleMesh,
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    distance::sites::BitRows,
    rows::Items,
    voxelize::{
        crossings::{Triangles, toggle_crossings},
        parity::accumulate_parity,
    },
};
use std::ops::Range;

/// Voxelizes a closed mesh on an axis-aligned grid around it, with the resolution given by
/// `params`.
///
/// # Errors
/// [`VoxelizeError`] for an open, empty or inconsistent mesh, invalid parameters, and errors of the
/// device.
///
/// ```
/// use ferrovox::{device::Device, mesh::{TriangleMesh, Triangles}};
/// use ferrovox::voxelize::{VoxelizeParams, voxelize};
///
/// let corner = TriangleMesh {
///     origin: [0.0; 3],
///     vertices: vec![[0.0; 3], [6.0, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 0.0, 6.0]],
///     normals: None,
///     triangles: Triangles::U32(vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
/// };
/// let stream = Device::best().stream()?;
/// let solid = voxelize(&stream, &corner, &VoxelizeParams::with_resolution(48))?;
/// let voxel = solid.geometry().determinant();
/// let volume = solid.count(&stream)? as f64 * voxel;
/// assert!((volume - 36.0).abs() < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn voxelize(
    stream: &Stream,
    mesh: &TriangleMesh,
    params: &VoxelizeParams,
) -> Result<DeviceMask, VoxelizeError> {
    closed::check(mesh)?;
    let (dims, geometry) = params.grid(mesh)?;
    voxelize_closed(stream, mesh, dims, geometry, 0..dims[2])
}

/// Voxelizes a closed mesh on a given grid, regardless of their relative position.
///
/// Vertices are rounded to fixed-point coordinates, with a resolution of 2¹⁶ steps per voxel for up
/// to 4096 voxels per axis, so that crossings are determined exactly and a closed mesh stays
/// closed. Time is linear in the triangles and the rows of voxels that they cover; device memory is
/// 12 bytes per vertex and triangle, and one bit per voxel.
///
/// # Errors
/// As for [`voxelize`].
pub fn voxelize_on_grid(
    stream: &Stream,
    mesh: &TriangleMesh,
    dims: [usize; 3],
    geometry: Geometry,
) -> Result<DeviceMask, VoxelizeError> {
    voxelize_planes(stream, mesh, dims, geometry, 0..dims[2])
}

/// Voxelizes a closed mesh on a range of planes along z of a grid. The result has the voxels of
/// these planes that [`voxelize_on_grid`] finds, bit for bit, so that the planes of a grid can be
/// divided among processes or machines.
///
/// ```
/// use ferrovox::{device::Device, grid::Geometry, mesh::{TriangleMesh, Triangles}, voxelize};
///
/// let corner = TriangleMesh {
///     vertices: vec![[0.0; 3], [6.0, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 0.0, 6.0]],
///     triangles: Triangles::U32(vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
///     ..TriangleMesh::default()
/// };
/// let stream = Device::best().stream()?;
/// let (dims, geometry) = ([7, 7, 7], Geometry::default());
/// let whole = voxelize::voxelize_on_grid(&stream, &corner, dims, geometry)?;
/// let top = voxelize::voxelize_planes(&stream, &corner, dims, geometry, 3..7)?;
/// assert_eq!(top.download(&stream)?, whole.download(&stream)?[3 * 7..]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`voxelize`], and [`VoxelizeError::Planes`] for planes beyond the grid.
pub fn voxelize_planes(
    stream: &Stream,
    mesh: &TriangleMesh,
    dims: [usize; 3],
    geometry: Geometry,
    planes: Range<usize>,
) -> Result<DeviceMask, VoxelizeError> {
    closed::check(mesh)?;
    voxelize_closed(stream, mesh, dims, geometry, planes)
}

fn voxelize_closed(
    stream: &Stream,
    mesh: &TriangleMesh,
    dims: [usize; 3],
    geometry: Geometry,
    planes: Range<usize>,
) -> Result<DeviceMask, VoxelizeError> {
    if planes.start > planes.end || planes.end > dims[2] {
        return Err(VoxelizeError::Planes {
            first: planes.start,
            end: planes.end,
            planes: dims[2],
        });
    }
    kernel_grid(dims)?;
    let grid = kernel_grid([dims[0], dims[1], planes.len()])?;
    let bits = BitRows::new(grid);
    let mut fixed = fixed_point::to_fixed_point(mesh, dims, &geometry)?;
    // coordinates relative to the first plane; those of the grid have the same scale
    let first = (planes.start as i32) << fixed.fraction_bits;
    for [_, _, z] in fixed.vertices.as_chunks_mut().0 {
        *z -= first;
    }
    let corners = mesh.triangles.to_u32();
    let corners = corners.ok_or(VoxelizeError::TooManyVertices {
        found: mesh.vertices.len(),
    })?;
    stream.prepare(&[toggle_crossings::entry(), accumulate_parity::entry()])?;
    let mut crossings = stream.zeros::<u32>(bits.words() as usize)?;
    let vertices = stream.upload(&fixed.vertices)?;
    let corners = stream.upload(corners.as_flattened())?;
    // a warp shares a triangle; CPU threads process triangles alone
    let is_cpu = stream.device().limits().threads_per_block == 1;
    let triangles = Triangles {
        count: mesh.triangles.len() as u64,
        fraction_bits: fixed.fraction_bits,
        items_per_triangle: if is_cpu { 1 } else { 32 },
    };
    let items = Items {
        count: triangles.items(),
        chunk: 1 << 10,
    };
    let rows = Items {
        count: u64::from(grid.ny) * u64::from(grid.nz),
        chunk: if is_cpu { 1 << 10 } else { 64 },
    };
    // SAFETY: corners and vertex indices are valid, since the mesh was checked; coordinates are in
    // range; `crossings` has the words of the grid, and the items are triangles and rows.
    unsafe {
        let args = (
            vertices.view(),
            corners.view(),
            triangles,
            items,
            bits,
            crossings.view_mut(),
        );
        let launch = Launch::pieces(items.chunks()).max_useful_threads(items.chunk);
        stream.launch::<toggle_crossings>(launch, args)?;
        let launch = Launch::pieces(rows.chunks()).max_useful_threads(rows.chunk);
        stream.launch::<accumulate_parity>(launch, (bits, rows, crossings.view_mut()))?;
    }
    Ok(DeviceMask {
        bits: crossings,
        grid,
        geometry: geometry.shifted([0, 0, planes.start as i64]),
    })
}
