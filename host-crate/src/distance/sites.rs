//! Sites that are voxels.

use crate::{device::Buffer, volume::Geometry};
use ferrovox_kernels::grid::Grid;

/// Voxels of a grid that are sites, on a device: one bit each.
#[derive(Debug)]
pub struct SiteMask {
    /// 32 voxels along x in a word, the first in the lowest bit; rows begin with a word of their own: word
    /// `(z·ny + y)·⌈nx/32⌉ + x/32`. A bit is 1 where there is a site, and 0 after the end of a row.
    pub(super) bits: Buffer<u32>,
    pub(super) grid: Grid,
    pub(super) geometry: Geometry,
}

impl SiteMask {
    /// Voxels along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        [self.grid.nx, self.grid.ny, self.grid.nz].map(|axis| axis as usize)
    }

    /// The voxels' place in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }
}
