//! Triangle meshes as voxels: what a closed mesh encloses.
//!
//! A voxel is of the solid if its centre is inside the mesh, that is, if a ray from it crosses the
//! mesh an odd number of times. So the triangles' winding does not matter, and where parts of a
//! mesh overlap, twice inside is outside.

mod closed;
mod error;
mod fine;
mod params;
mod volume;

pub use error::VoxelizeError;
pub use params::VoxelizeParams;
pub use volume::volume_of;

use crate::{
    device::{Launch, Stream},
    grid::{DeviceMask, Geometry, grid_of},
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

/// The voxels inside a closed mesh, on a grid around it with axes along the world's; `params` give
/// the resolution.
///
/// # Errors
/// [`VoxelizeError`].
///
/// ```
/// use ferrovox::{device::Device, mesh::{TriangleMesh, Triangles}, voxelize::{VoxelizeParams, voxelize}};
///
/// let corner = TriangleMesh {
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
    mark(stream, mesh, dims, geometry)
}

/// The voxels of a grid that are inside a closed mesh, wherever the two lie.
///
/// Vertices are moved to the nearest place on a fine grid, 2¹⁶ steps to a voxel where 4096 voxels
/// are in a row, so that crossings are decided exactly and a closed mesh stays closed. Work is
/// linear in the triangles and in the rows of voxels that they cover; device memory is 12 bytes for
/// each vertex and triangle, and a bit for a voxel.
///
/// # Errors
/// [`VoxelizeError`].
pub fn voxelize_on_grid(
    stream: &Stream,
    mesh: &TriangleMesh,
    dims: [usize; 3],
    geometry: Geometry,
) -> Result<DeviceMask, VoxelizeError> {
    closed::check(mesh)?;
    mark(stream, mesh, dims, geometry)
}

fn mark(
    stream: &Stream,
    mesh: &TriangleMesh,
    dims: [usize; 3],
    geometry: Geometry,
) -> Result<DeviceMask, VoxelizeError> {
    let grid = grid_of(dims)?;
    let bits = BitRows::new(grid);
    let fine = fine::vertices(mesh, dims, &geometry)?;
    let corners = mesh.triangles.to_u32();
    let corners = corners.ok_or(VoxelizeError::TooManyVertices {
        found: mesh.vertices.len(),
    })?;
    stream.prepare(&[toggle_crossings::entry(), accumulate_parity::entry()])?;
    let mut marks = stream.zeros::<u32>(bits.words() as usize)?;
    let vertices = stream.upload(&fine.vertices)?;
    let corners = stream.upload(corners.as_flattened())?;
    // a warp shares a triangle; a CPU's threads work alone
    let alone = stream.device().limits().threads_per_block == 1;
    let triangles = Triangles {
        count: mesh.triangles.len() as u64,
        fraction_bits: fine.fraction,
        items_per_triangle: if alone { 1 } else { 32 },
    };
    let items = Items {
        count: triangles.items(),
        chunk: 1 << 10,
    };
    let rows = Items {
        count: u64::from(grid.ny) * u64::from(grid.nz),
        chunk: if alone { 1 << 10 } else { 64 },
    };
    // SAFETY: the corners are those of the triangles and their numbers of vertices, since the mesh
    // is valid; coordinates are within the range; the marks have the words of the grid, and the
    // items count triangles and rows.
    unsafe {
        let args = (
            vertices.view(),
            corners.view(),
            triangles,
            items,
            bits,
            marks.view_mut(),
        );
        let launch = Launch::pieces(items.chunks()).max_useful_threads(items.chunk);
        stream.launch::<toggle_crossings>(launch, args)?;
        let launch = Launch::pieces(rows.chunks()).max_useful_threads(rows.chunk);
        stream.launch::<accumulate_parity>(launch, (bits, rows, marks.view_mut()))?;
    }
    Ok(DeviceMask {
        bits: marks,
        grid,
        geometry,
    })
}
