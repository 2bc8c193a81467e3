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

    /// How many sites.
    ///
    /// # Errors
    /// Those of the device.
    pub fn count(&self, stream: &crate::device::Stream) -> Result<u64, crate::device::DeviceError> {
        let bits = stream.download(&self.bits)?;
        Ok(bits.iter().map(|word| u64::from(word.count_ones())).sum())
    }

    /// From a mask on the host.
    ///
    /// # Errors
    /// Those of the device.
    pub fn upload(
        stream: &crate::device::Stream,
        mask: &[u8],
        dims: [usize; 3],
        geometry: Geometry,
    ) -> Result<Self, crate::device::DeviceError> {
        let grid = crate::device_volume::grid_of(dims)?;
        let bits: Vec<u32> = mask
            .chunks(dims[0].max(1))
            .flat_map(|row| row.chunks(32))
            .map(|word| {
                word.iter()
                    .enumerate()
                    .map(|(bit, &voxel)| u32::from(voxel != 0) << bit)
                    .sum()
            })
            .collect();
        Ok(Self {
            bits: stream.upload(&bits)?,
            grid,
            geometry,
        })
    }

    /// The voxels' place in the world.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }
}
