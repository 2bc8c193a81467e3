//! Location of scanlines and their tiles in memory.

use super::tiling::Tiling;
use crate::arith::div_rem;

/// Scanlines in batches of neighbouring ones: within a batch, the first voxels of all scanlines are
/// stored consecutively, followed by the second voxels, and so on.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scanlines {
    /// Number of scanlines per batch.
    pub columns: u64,
    /// Number of batches.
    pub batches: u64,
}

/// Strides of the voxels of scanlines.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Stride between consecutive voxels of a scanline.
    pub along: u64,
    /// Stride between consecutive batches.
    pub batch: u64,
}

/// Position of a tile: the scanlines of a batch from `column` on.
#[derive(Clone, Copy)]
pub struct TilePosition {
    /// Index of the batch.
    pub batch: u64,
    /// Index of the first scanline.
    pub column: u32,
    /// Number of scanlines from the first one to the end of the batch.
    pub columns: u32,
}

impl Scanlines {
    #[inline(always)]
    fn tiles_per_batch(self, tiling: Tiling) -> u64 {
        (self.columns + tiling.width() as u64 - 1) >> tiling.width_log2
    }

    /// Returns the number of tiles.
    #[inline(always)]
    pub fn tile_count(self, tiling: Tiling) -> u64 {
        self.batches * self.tiles_per_batch(tiling)
    }

    /// Returns the position of the tile with a given index.
    #[inline(always)]
    pub fn tile(self, tiling: Tiling, index: u64) -> TilePosition {
        let (batch, tile_in_batch) = div_rem(index, self.tiles_per_batch(tiling));
        let column = (tile_in_batch << tiling.width_log2) as u32;
        TilePosition {
            batch,
            column,
            columns: self.columns as u32 - column,
        }
    }
}

impl Layout {
    /// Returns the index of a voxel of a tile.
    #[inline(always)]
    pub fn index(self, tile: TilePosition, position: u32, column: u32) -> usize {
        let first = tile.batch * self.batch + tile.column as u64;
        (first + position as u64 * self.along + column as u64) as usize
    }
}
