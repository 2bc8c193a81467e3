//! What can be chosen.

use super::{VoxelizeError, error::MAX_VOXELS};
use crate::{grid::Geometry, mesh::TriangleMesh};

/// The grid that a mesh gets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelizeParams {
    /// Voxels along the mesh's longest side, unless [`spacing`](Self::spacing) is given.
    pub resolution: u32,
    /// The size of a voxel, in the mesh's units.
    pub spacing: Option<f64>,
    /// Voxels between the mesh and the border of the grid, on each side.
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
    /// So many voxels along the mesh's longest side.
    pub fn with_resolution(resolution: u32) -> Self {
        Self {
            resolution,
            ..Self::default()
        }
    }

    /// Voxels of this size.
    pub fn with_voxel_size(spacing: f64) -> Self {
        Self {
            spacing: Some(spacing),
            ..Self::default()
        }
    }

    /// The grid: the mesh is in its middle, and all of its voxels are cubes.
    ///
    /// # Errors
    /// [`VoxelizeError::Resolution`], [`VoxelizeError::Spacing`], [`VoxelizeError::Point`],
    /// [`VoxelizeError::Empty`].
    pub fn grid(&self, mesh: &TriangleMesh) -> Result<([usize; 3], Geometry), VoxelizeError> {
        let (low, high) = mesh.bounds().ok_or(VoxelizeError::Empty)?;
        let (low, high) = (low.cast::<f64>(), high.cast::<f64>());
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
        // a hair less, so that a division that comes out even does not become one voxel more
        let across = |side: f64| (side / spacing * (1.0 - 1e-12)).ceil().max(1.0) as usize;
        let dims = [sides.x, sides.y, sides.z].map(|side| across(side) + 2 * self.margin as usize);
        let middle = nalgebra::center(&low, &high);
        let origin = [0, 1, 2].map(|k| middle[k] - (dims[k] as f64 - 1.0) / 2.0 * spacing);
        Ok((dims, Geometry::from_spacing([spacing; 3], origin)?))
    }
}
