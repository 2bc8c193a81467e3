//! Conversion of vertices to fixed-point coordinates.

use super::VoxelizeError;
use crate::{grid::Geometry, memory, mesh::TriangleMesh};
use nalgebra::Point3;

/// Number of bits of the coordinates, such that products of their differences fit in 64 bits.
const COORDINATE_BITS: u32 = 29;

pub(super) struct FixedPointVertices {
    /// Three coordinates per vertex, relative to the centre of voxel (0, 0, 0).
    pub vertices: Vec<i32>,
    /// Number of fractional bits: the voxel spacing is 2 to this power.
    pub fraction_bits: u32,
}

/// Rounds vertices to fixed-point coordinates with as many fractional bits as the extents of mesh
/// and grid allow.
pub(super) fn to_fixed_point(
    mesh: &TriangleMesh,
    dims: [usize; 3],
    geometry: &Geometry,
) -> Result<FixedPointVertices, VoxelizeError> {
    let max = (1u64 << COORDINATE_BITS) - 1;
    let geometry = geometry.relative_to(mesh.origin.into());
    let inverse = geometry.affine().try_inverse().unwrap_or_default();
    let in_voxels =
        |position: &[f32; 3]| inverse.transform_point(&Point3::from(position.map(f64::from)));
    let largest = |point: Point3<f64>| point.iter().fold(0.0f64, |max, x| max.max(x.abs()));
    let farthest = (0..)
        .zip(&mesh.vertices)
        .map(|(vertex, position)| (largest(in_voxels(position)), vertex));
    let farthest = farthest.max_by(|a, b| a.0.total_cmp(&b.0));
    let (voxels, vertex) = farthest.unwrap_or((0.0, 0));
    let longest = dims.iter().copied().max().unwrap_or(0) as u64;
    if voxels.is_nan() || voxels >= max as f64 {
        return Err(VoxelizeError::Far {
            vertex,
            voxels,
            max,
        });
    }
    let max_coordinate = (voxels.ceil() as u64).max(longest) + 1;
    let fraction_bits = COORDINATE_BITS.saturating_sub(u64::BITS - max_coordinate.leading_zeros());
    let steps = f64::from(1u32 << fraction_bits);
    let fixed = mesh.vertices.iter().flat_map(|position| {
        let point = in_voxels(position);
        [point.x, point.y, point.z].map(|x| (x * steps).round() as i32)
    });
    let mut vertices = Vec::new();
    memory::try_reserve("vertices", &mut vertices, 3 * mesh.vertices.len())?;
    vertices.extend(fixed);
    Ok(FixedPointVertices {
        vertices,
        fraction_bits,
    })
}
