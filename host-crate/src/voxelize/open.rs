//! Voxelization of open meshes by winding numbers, and signed distances to triangles.

use super::VoxelizeError;
use crate::{
    device::DeviceError,
    grid::{Geometry, Mask, Volume},
    memory,
    mesh::{TriangleMesh, TriangleTree},
    monitor::Monitor,
    parallel,
};
use nalgebra::Point3;

/// Voxelizes a mesh that may be open, on a given grid: a voxel is inside if the generalised winding
/// number of the mesh around its centre is at least 0.5, or at most -0.5 for triangles that are
/// oriented inward.
///
/// The triangles must be oriented consistently. Runs on all threads of the host; time is linear in
/// the voxels, and about logarithmic in the triangles.
///
/// # Errors
/// [`VoxelizeError`] for an empty or inconsistent mesh, an invalid grid, insufficient memory, and a
/// cancellation.
///
/// ```
/// use ferrovox::{grid::Geometry, mesh::{TriangleMesh, Triangles}, monitor::Monitor};
/// use ferrovox::voxelize::voxelize_by_winding;
///
/// // a tetrahedron without its largest face
/// let open = TriangleMesh {
///     vertices: vec![[0.0; 3], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]],
///     triangles: Triangles::U32(vec![[0, 2, 1], [0, 1, 3], [0, 3, 2]]),
///     ..TriangleMesh::default()
/// };
/// let solid = voxelize_by_winding(&open, [8; 3], Geometry::default(), &Monitor::new())?;
/// assert!(solid.contains([1, 1, 1]) && !solid.contains([6, 6, 6]));
/// # Ok::<(), ferrovox::voxelize::VoxelizeError>(())
/// ```
pub fn voxelize_by_winding(
    mesh: &TriangleMesh,
    dims: [usize; 3],
    geometry: Geometry,
    monitor: &Monitor<'_>,
) -> Result<Mask, VoxelizeError> {
    let tree = build_tree(mesh)?;
    let inside = for_each_voxel(dims, &geometry, "voxelize", monitor, |centres, row| {
        for (centre, voxel) in centres.zip(row) {
            *voxel = u8::from(tree.winding_number(centre).abs() >= 0.5);
        }
    })?;
    let mut mask = Mask::new(dims, geometry)?;
    mask.set_planes(0, &inside, |voxel| voxel != 0.0);
    Ok(mask)
}

/// Computes the distance from the centre of each voxel to the nearest triangle, in world units,
/// negative for the voxels of `inside`. The distances are exact up to rounding to f32.
///
/// # Errors
/// [`VoxelizeError`] for an empty or inconsistent mesh, insufficient memory, and a cancellation.
pub fn signed_distances(
    mesh: &TriangleMesh,
    inside: &Mask,
    monitor: &Monitor<'_>,
) -> Result<Volume<f32>, VoxelizeError> {
    let tree = build_tree(mesh)?;
    let (dims, geometry) = (inside.dims(), *inside.geometry());
    let step = geometry.axes().column(0).norm();
    let mut distances = for_each_voxel(dims, &geometry, "distances", monitor, |centres, row| {
        let mut limit = f64::INFINITY;
        for (centre, voxel) in centres.zip(row) {
            // the nearest triangle of a neighbour is at most one step farther
            let nearest = tree.nearest_within(centre, limit);
            let distance = nearest.map_or(limit, |nearest| nearest.distance);
            *voxel = distance as f32;
            limit = (distance + step) * (1.0 + 1e-9);
        }
    })?;
    let [nx, ny, _] = dims;
    parallel::for_each_chunk_mut(&mut distances, nx.max(1), |first, row| {
        let (y, z) = (first / nx % ny, first / (nx * ny));
        for (x, distance) in row.iter_mut().enumerate() {
            if inside.contains([x, y, z]) {
                *distance = -*distance;
            }
        }
    });
    Ok(Volume::new(distances, dims, geometry)?)
}

/// Checks the mesh, and builds the hierarchy of its triangles.
fn build_tree(mesh: &TriangleMesh) -> Result<TriangleTree, VoxelizeError> {
    super::closed::check_contents(mesh)?;
    Ok(TriangleTree::from_mesh(mesh)?)
}

/// Calls `fill` with the centres and the values of each row of voxels, on all threads, and returns
/// the values.
fn for_each_voxel<T: bytemuck::Zeroable + Copy + Send + bytemuck::Pod>(
    dims: [usize; 3],
    geometry: &Geometry,
    stage: &'static str,
    monitor: &Monitor<'_>,
    fill: impl Fn(Box<dyn Iterator<Item = Point3<f64>> + '_>, &mut [T]) + Sync,
) -> Result<Vec<T>, VoxelizeError> {
    let count = crate::grid::sample_count(dims)?;
    let mut values = memory::try_zeroed::<T>("voxels", count)?;
    let [nx, ny, _] = dims;
    let counter = monitor.counter(stage, (count / nx.max(1)) as u64);
    let is_cancelled = std::sync::atomic::AtomicBool::new(false);
    let order = std::sync::atomic::Ordering::Relaxed;
    parallel::for_each_chunk_mut(&mut values, nx.max(1), |first, row| {
        if is_cancelled.load(order) {
            return;
        }
        let (y, z) = ((first / nx % ny) as f64, (first / (nx * ny)) as f64);
        let centres = (0..nx).map(|x| geometry.index_to_world(Point3::new(x as f64, y, z)));
        fill(Box::new(centres), row);
        if counter.add(1).is_err() {
            is_cancelled.store(true, order);
        }
    });
    counter.add(0).map_err(DeviceError::from)?;
    Ok(values)
}
