//! Vertices as whole numbers of fine steps.

use super::VoxelizeError;
use crate::{grid::Geometry, memory, mesh::TriangleMesh};
use nalgebra::Point3;

/// Coordinates are less than 2 to this power, so that products of their differences fit in 64 bits.
const BITS: u32 = 29;

pub(super) struct Fine {
    /// Three for each vertex, from the centre of voxel (0, 0, 0).
    pub vertices: Vec<i32>,
    /// Steps from a voxel to the next are 2 to this power.
    pub fraction: u32,
}

/// Moves vertices to the nearest fine step: as fine as the coordinates of the mesh and the grid
/// allow.
pub(super) fn vertices(
    mesh: &TriangleMesh,
    dims: [usize; 3],
    geometry: &Geometry,
) -> Result<Fine, VoxelizeError> {
    let most = (1u64 << BITS) - 1;
    let inverse = geometry.affine().try_inverse().unwrap_or_default();
    let in_voxels =
        |position: &[f32; 3]| inverse.transform_point(&Point3::from(position.map(f64::from)));
    let largest = |point: Point3<f64>| point.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let farthest = (0..)
        .zip(&mesh.vertices)
        .map(|(vertex, position)| (largest(in_voxels(position)), vertex));
    let farthest = farthest.max_by(|a, b| a.0.total_cmp(&b.0));
    let (voxels, vertex) = farthest.unwrap_or((0.0, 0));
    let longest = dims.iter().copied().max().unwrap_or(0) as u64;
    if voxels.is_nan() || voxels >= most as f64 {
        return Err(VoxelizeError::Far {
            vertex,
            voxels,
            most,
        });
    }
    let reach = (voxels.ceil() as u64).max(longest) + 1;
    let fraction = BITS.saturating_sub(u64::BITS - reach.leading_zeros());
    let steps = f64::from(1u32 << fraction);
    let fine = mesh.vertices.iter().flat_map(|position| {
        let point = in_voxels(position);
        [point.x, point.y, point.z].map(|x| (x * steps).round() as i32)
    });
    let mut vertices = Vec::new();
    memory::try_reserve("vertices", &mut vertices, 3 * mesh.vertices.len())?;
    vertices.extend(fine);
    Ok(Fine { vertices, fraction })
}
