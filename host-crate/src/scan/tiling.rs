//! Division of an input into tiles.

use super::ScanError;
use crate::device::LaunchPlan;

/// Number of elements per tile for a block of one thread, which reads them twice. They fit in the
/// first-level cache of a CPU core.
const SINGLE_THREAD_TILE: u32 = 1 << 13;

/// Division of an input into tiles, and the number of blocks that process them.
#[derive(Clone, Copy)]
pub(super) struct Tiling {
    pub count: u64,
    /// Number of elements per tile.
    pub tile: u64,
    pub tiles: u32,
    pub blocks: u32,
}

impl Tiling {
    /// Divides the input into tiles of `items` elements per thread of a block, except for
    /// `idle_threads` threads.
    pub fn new(
        count: usize,
        plan: LaunchPlan,
        items: u32,
        idle_threads: u32,
    ) -> Result<Self, ScanError> {
        let tile = match plan.threads {
            // 0 is an error that the launch will report
            0 | 1 => u64::from(SINGLE_THREAD_TILE),
            // too few threads to exempt any
            threads if threads <= idle_threads => u64::from(items) * u64::from(threads),
            threads => u64::from(items) * u64::from(threads - idle_threads),
        };
        let tiles = (count as u64).div_ceil(tile).max(1);
        let tiles = u32::try_from(tiles).map_err(|_| ScanError::TooMany { count, tile })?;
        Ok(Self {
            count: count as u64,
            tile,
            tiles,
            blocks: tiles.min(plan.resident_blocks),
        })
    }

    /// Returns `true` if each block has one tile.
    pub fn one_tile_per_block(self) -> bool {
        self.blocks == self.tiles
    }

    /// Returns how many numbers the blocks draw from the counter: one per tile, and, if blocks draw
    /// repeatedly, one more per block.
    pub fn numbers(self) -> u32 {
        if self.one_tile_per_block() {
            self.tiles
        } else {
            self.tiles.wrapping_add(self.blocks)
        }
    }
}
