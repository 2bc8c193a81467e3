//! Error bounds of the multipole method.

use crate::device::{Buffer, DeviceError, Stream};
use ferrovox_kernels::{grid::Grid, skeleton::field::fmm::BRICK};

/// Error bound of the forces in each brick. Bricks have 8 voxels along each axis; for anisotropic
/// or oblique voxels, 4, 2 or 1 along axes of larger spacing, so that they are approximately cubes.
#[derive(Debug)]
pub struct ErrorBounds {
    /// Error bound per brick, x fastest: an upper bound on the length of the difference between a
    /// force and the exact one, in units of the smallest spacing, apart from the rounding of the
    /// stored result. 0 where all sources are near.
    pub bounds: Buffer<f64>,
    /// Number of voxels whose forces were recomputed exactly; the bounds are not tight for them.
    pub recomputed: u64,
    pub(super) grid: Grid,
    pub(super) steps: [u32; 3],
}

impl ErrorBounds {
    /// Returns the number of bricks along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        [self.grid.nx, self.grid.ny, self.grid.nz].map(|along| along as usize)
    }

    /// Returns the number of voxels per brick along x, y and z.
    pub fn brick_dims(&self) -> [usize; 3] {
        self.steps.map(|steps| (BRICK >> steps) as usize)
    }

    /// Downloads the bounds. Synchronises the stream.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn download(&self, stream: &Stream) -> Result<Vec<f64>, DeviceError> {
        stream.download(&self.bounds)
    }
}
