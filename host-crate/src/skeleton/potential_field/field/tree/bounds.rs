//! How far forces can be off.

use crate::device::{Buffer, DeviceError, Stream};
use ferrovox_kernels::{grid::Grid, skeleton::field::fmm::BRICK};

/// For each brick how far the forces in it can be off, and what was done about it. Bricks have 8
/// voxels along each axis; where voxels are no cubes, along an axis of larger spacing 4, 2 or 1, so
/// that bricks are about as long along each.
#[derive(Debug)]
pub struct ErrorBounds {
    /// A bound for each brick, x fastest: the length of the difference between a force and the
    /// exact one, with the smallest spacing as the unit of length, is no larger, but for the
    /// rounding of the numbers that are kept. 0 where all sources are near.
    pub bounds: Buffer<f64>,
    /// How many voxels were summed up again, source by source. For them the bounds are larger than
    /// need be.
    pub corrected: u64,
    pub(super) grid: Grid,
    pub(super) steps: [u32; 3],
}

impl ErrorBounds {
    /// Bricks along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        [self.grid.nx, self.grid.ny, self.grid.nz].map(|along| along as usize)
    }

    /// Voxels of a brick along x, y and z.
    pub fn brick(&self) -> [usize; 3] {
        self.steps.map(|steps| (BRICK >> steps) as usize)
    }

    /// The bounds, on the host. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn download(&self, stream: &Stream) -> Result<Vec<f64>, DeviceError> {
        stream.download(&self.bounds)
    }
}
