//! Parameters of voxelization.

use super::{VoxelizeError, error::MAX_VOXELS};
use crate::{grid::Geometry, mesh::TriangleMesh};

/// Resolution and margin of the grid around a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelizeParams {
    /// Number of voxels along the longest side of the mesh, unless [`spacing`](Self::spacing) is
    /// given.
    pub resolution: u32,
    /// Voxel size in world units.
    pub spacing: Option<f64>,
    /// Number of voxels between the mesh and the border of the grid, on each side.
    pub margin: u32,
}

impl Default for VoxelizeParams {
    fn default() -> Self {
        Self {
            resolution: 256,
            spacing: None,
            margin: 2,
        }
    }
}

impl VoxelizeParams {
    /// Creates parameters with `resolution` voxels along the longest side of the mesh.
    pub fn with_resolution(resolution: u32) -> Self {
        Self {
            resolution,
            ..Self::default()
        }
    }

    /// Creates parameters with the given voxel size in world units.
    pub fn with_voxel_size(spacing: f64) -> Self {
        Self {
            spacing: Some(spacing),
            ..Self::default()
        }
    }

    /// Returns dimensions and geometry of the grid: centred on the mesh, with cubic voxels.
    ///
    /// # Errors
    /// [`VoxelizeError::Resolution`], [`VoxelizeError::Spacing`], [`VoxelizeError::Point`],
    /// [`VoxelizeError::Empty`].
    pub fn grid(&self, mesh: &TriangleMesh) -> Result<([usize; 3], Geometry), VoxelizeError> {
        let (low, high) = mesh.world_bounds().ok_or(VoxelizeError::Empty)?;
        let sides = high - low;
        let extent = sides.max();
        if extent <= 0.0 {
            return Err(VoxelizeError::Point {
                position: low.cast::<f32>().into(),
            });
        }
        if self.resolution == 0 || self.resolution > MAX_VOXELS {
            return Err(VoxelizeError::Resolution {
                found: self.resolution,
            });
        }
        let spacing = self.spacing.unwrap_or(extent / f64::from(self.resolution));
        let fits = extent / spacing <= f64::from(MAX_VOXELS);
        if !(spacing > 0.0 && spacing.is_finite() && fits) {
            return Err(VoxelizeError::Spacing {
                found: spacing,
                extent,
            });
        }
        // slightly less, so that rounding does not add a voxel to an exact quotient
        let across = |side: f64| (side / spacing * (1.0 - 1e-12)).ceil().max(1.0) as usize;
        let dims = [sides.x, sides.y, sides.z].map(|side| across(side) + 2 * self.margin as usize);
        let middle = nalgebra::center(&low, &high);
        let origin = [0, 1, 2].map(|k| middle[k] - (dims[k] as f64 - 1.0) / 2.0 * spacing);
        Ok((dims, Geometry::from_spacing([spacing; 3], origin)?))
    }
}
