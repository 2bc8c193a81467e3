//! Where lines and their tiles are.

use super::tiling::Tiling;
use crate::arith::div_rem;

/// Lines that lie beside one another in batches: of a batch, the first voxels of all lines are
/// neighbours, then come the second ones, and so on.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Lines of a batch.
    pub columns: u64,
    /// Batches.
    pub batches: u64,
}

/// Where a voxel of a line is in memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// From a voxel of a line to the next.
    pub along: u64,
    /// From a batch to the next.
    pub batch: u64,
}

/// A tile's place: the lines from `column` on of a batch.
#[derive(Clone, Copy)]
pub struct TileAt {
    /// The batch.
    pub batch: u64,
    /// The first line.
    pub column: u32,
    /// How many lines there are from it on.
    pub columns: u32,
}

impl Lines {
    #[inline(always)]
    fn in_batch(self, tiling: Tiling) -> u64 {
        (self.columns + tiling.width() as u64 - 1) >> tiling.width_log2
    }

    /// How many tiles.
    #[inline(always)]
    pub fn tiles(self, tiling: Tiling) -> u64 {
        self.batches * self.in_batch(tiling)
    }

    /// Where tile `index` is.
    #[inline(always)]
    pub fn tile(self, tiling: Tiling, index: u64) -> TileAt {
        let (batch, in_batch) = div_rem(index, self.in_batch(tiling));
        let column = (in_batch << tiling.width_log2) as u32;
        TileAt {
            batch,
            column,
            columns: self.columns as u32 - column,
        }
    }
}

impl Layout {
    /// The index of a voxel of a tile.
    #[inline(always)]
    pub fn at(self, tile: TileAt, place: u32, column: u32) -> usize {
        let first = tile.batch * self.batch + tile.column as u64;
        (first + place as u64 * self.along + column as u64) as usize
    }
}
