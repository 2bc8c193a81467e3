//! Boxes of voxels.

use super::GridError;

/// An axis-aligned box of voxels.
///
/// ```
/// use ferrovox::grid::VoxelBox;
///
/// let slices = VoxelBox { start: [0, 0, 10], end: [64, 64, 20] };
/// assert_eq!(slices.dims(), [64, 64, 10]);
/// assert!(slices.check([64, 64, 20]).is_ok());
/// assert!(slices.check([64, 64, 19]).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoxelBox {
    /// Index of the first voxel along x, y and z.
    pub start: [usize; 3],
    /// Index after the last voxel along x, y and z.
    pub end: [usize; 3],
}

impl VoxelBox {
    /// Returns the number of voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.end[axis].saturating_sub(self.start[axis]))
    }

    /// Checks that the box has voxels, and lies within a grid of `dims` voxels.
    ///
    /// # Errors
    /// [`GridError::Box`].
    pub fn check(&self, dims: [usize; 3]) -> Result<(), GridError> {
        let is_valid = (0..3).all(|k| self.start[k] < self.end[k] && self.end[k] <= dims[k]);
        if is_valid {
            Ok(())
        } else {
            Err(GridError::Box {
                start: self.start,
                end: self.end,
                dims,
            })
        }
    }

    /// Returns the box grown by `margin` voxels on each side, within a grid of `dims` voxels.
    #[must_use]
    pub fn grown(&self, margin: usize, dims: [usize; 3]) -> Self {
        Self {
            start: self.start.map(|index| index.saturating_sub(margin)),
            end: [0, 1, 2].map(|axis| (self.end[axis] + margin).min(dims[axis])),
        }
    }
}
