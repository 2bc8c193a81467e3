//! Division of scanlines into tiles.

use super::groups::{GroupLaunch, ScanlineCost, shared_bytes};
use crate::{
    device::{Buffer, DeviceError, Launch, Stream},
    occupancy::DeviceLimits,
};
use ferrovox_kernels::distance::separable::{Axis, Cost, Scanlines, Tiling, cost::POSITION_BITS};

/// Kernels along scanlines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScanlineKernels {
    /// Groups of scanlines on the CPU, if there are kernels for the number type and scanlines fit;
    /// otherwise tiles.
    #[default]
    Automatic,
    /// Tiles in shared memory if a scanline fits, otherwise in global memory.
    Tiles,
    /// Tiles in global memory.
    TilesInScratch,
    /// Groups of scanlines on any device, if there are kernels for the number type and scanlines
    /// fit; otherwise tiles.
    Groups,
}

impl ScanlineKernels {
    /// Returns `true` if tiles lie in shared memory where a scanline fits.
    fn use_shared_memory(self) -> bool {
        self != Self::TilesInScratch
    }

    /// Returns `true` if threads process groups of scanlines where that is possible.
    fn prefer_groups(self, limits: &DeviceLimits) -> bool {
        match self {
            Self::Automatic => limits.threads_per_block == 1,
            Self::Tiles | Self::TilesInScratch => false,
            Self::Groups => true,
        }
    }
}

/// Scanlines along an axis, with a tiling that fits a device.
pub(in crate::distance) struct TiledScanlines<C> {
    tiles: Tiling,
    axis: Axis<C>,
    /// Maximum number of blocks, each of which has a tile in global memory; `None` for tiles in
    /// shared memory.
    scratch_blocks: Option<u64>,
    /// `true` if threads process groups of scanlines instead, where that is possible.
    prefers_groups: bool,
}

/// Launch over the tiles of scanlines.
pub(in crate::distance) struct TileLaunch<C> {
    pub launch: Launch,
    pub tiling: Tiling,
    pub axis: Axis<C>,
    /// Tiles in global memory.
    pub scratch: Option<Buffer<u64>>,
}

impl<C: ScanlineCost> TiledScanlines<C> {
    /// Creates the tiling of scanlines of `len` voxels. Tiles in global memory have at most
    /// `scratch_bytes` bytes, or are those of a single scanline.
    pub fn new(
        limits: &DeviceLimits,
        axis: Axis<C>,
        len: u32,
        (kernels, scratch_bytes): (ScanlineKernels, u64),
    ) -> Self {
        let prefers_groups = kernels.prefer_groups(limits);
        if let Some(tiles) = shared_tiling::<C>(limits, len)
            && kernels.use_shared_memory()
        {
            return Self {
                tiles,
                axis,
                scratch_blocks: None,
                prefers_groups,
            };
        }
        let tiles = scratch_tiling::<C>(limits, len, scratch_bytes);
        Self {
            tiles,
            axis,
            scratch_blocks: Some((scratch_bytes / tile_bytes::<C>(tiles)).max(1)),
            prefers_groups,
        }
    }

    /// Returns the launch in groups of scanlines, if that is preferred and possible.
    pub fn group_launch(&self, stream: &Stream, scanlines: Scanlines) -> Option<GroupLaunch<C>> {
        let launch = || GroupLaunch::new(stream, scanlines, self.tiles.len, self.axis);
        self.prefers_groups.then(launch)?
    }

    /// Returns a launch with one tile per block at a time and memory for the tiles, and the
    /// kernel's description of the tiles.
    pub fn launch(
        &self,
        stream: &Stream,
        scanlines: Scanlines,
    ) -> Result<TileLaunch<C>, DeviceError> {
        let tile_count = scanlines.tile_count(self.tiles);
        let threads = self.tiles.chunks() << self.tiles.width_log2;
        let (launch, scratch) = match self.scratch_blocks {
            None => {
                let bytes = self.tiles.bytes::<C>() as u32;
                let launch = Launch::pieces(tile_count).dynamic_shared_bytes(bytes);
                (launch, None)
            }
            Some(max_blocks) => {
                let blocks = max_blocks.min(tile_count);
                let words = blocks as usize * self.tiles.scratch_words::<C>();
                (Launch::pieces(blocks), Some(stream.alloc(words)?))
            }
        };
        Ok(TileLaunch {
            launch: launch.max_useful_threads(threads),
            tiling: self.tiles,
            axis: self.axis,
            scratch,
        })
    }
}

/// Launches a kernel with tiles in shared memory, or its variant with tiles in global memory.
macro_rules! launch_tiles {
    ($stream:expr, $tile_launch:expr, [$shared:ty, $scratch:ty], ($($argument:expr),+ $(,)?)) => {
        match &mut $tile_launch.scratch {
            None => $stream.launch::<$shared>($tile_launch.launch, ($($argument),+)),
            Some(scratch) => {
                let arguments = (scratch.view_mut(), $($argument),+);
                $stream.launch::<$scratch>($tile_launch.launch, arguments)
            }
        }
    };
}
pub(in crate::distance) use launch_tiles;

/// Number of blocks that should fit on a multiprocessor, so that others continue while one waits
/// for memory or for its slowest thread.
const MIN_BLOCKS_PER_MULTIPROCESSOR: u32 = 3;

/// Binary logarithm of the preferred minimum tile width: neighbouring scanlines are read in sectors
/// of 32 bytes. Narrower tiles are used only for scanlines that do not fit otherwise.
const MIN_WIDTH_LOG2: u32 = 3;

/// Binary logarithm of the maximum tile width: tiles of 32 scanlines leave shared memory for fewer
/// blocks.
const MAX_WIDTH_LOG2: u32 = 4;

/// Binary logarithm of the chunk length on GPUs: 32 positions were faster than 16 or 64 on an H200.
const GPU_CHUNK_LOG2: u32 = 5;

/// Maximum number of elements of a tile in global memory with several scanlines: indices in a tile
/// have 32 bits.
const MAX_TILE_ELEMENTS: u64 = 1 << 31;

fn tiling(limits: &DeviceLimits, len: u32, width_log2: u32) -> Tiling {
    let is_cpu = limits.threads_per_block == 1;
    let max_chunk_log2 = if is_cpu {
        POSITION_BITS
    } else {
        GPU_CHUNK_LOG2
    };
    // A grid without voxels has no scanlines. It is planned like a grid of one voxel.
    let len = len.max(1);
    // The logarithm of the length, rounded up.
    let needed_log2 = u32::BITS - (len - 1).leading_zeros();
    Tiling::new(len, width_log2, max_chunk_log2.min(needed_log2.max(2)))
}

fn tile_bytes<C: Cost>(tiles: Tiling) -> u64 {
    8 * tiles.scratch_words::<C>() as u64
}

/// Returns the widest tiling of which several tiles fit on a multiprocessor, or else of which one
/// fits; `None` if not even one scanline fits.
fn shared_tiling<C: Cost>(limits: &DeviceLimits, len: u32) -> Option<Tiling> {
    let with_width = |width_log2: u32| tiling(limits, len, width_log2);
    let fits = |width_log2: &u32, blocks: u32| {
        // Longer scanlines never fit, and their size may exceed 32 bits.
        u64::from(len) < 1 << 20
            && with_width(*width_log2).bytes::<C>() as u64
                <= u64::from(shared_bytes(limits) / blocks)
    };
    let wide = (MIN_WIDTH_LOG2..=MAX_WIDTH_LOG2)
        .rev()
        .find(|log2| fits(log2, MIN_BLOCKS_PER_MULTIPROCESSOR));
    let narrow_width = || (0..=MIN_WIDTH_LOG2).rev().find(|log2| fits(log2, 1));
    wide.or_else(narrow_width).map(with_width)
}

/// Returns the widest tiling, of up to the preferred width, of which a tile per multiprocessor has
/// at most `scratch_bytes` bytes; or else that of single scanlines.
fn scratch_tiling<C: Cost>(limits: &DeviceLimits, len: u32, scratch_bytes: u64) -> Tiling {
    let multiprocessors = u64::from(limits.multiprocessors.max(1));
    let fits = |width_log2: &u32| {
        u64::from(len) << width_log2 < MAX_TILE_ELEMENTS
            && tile_bytes::<C>(tiling(limits, len, *width_log2)) * multiprocessors <= scratch_bytes
    };
    let width_log2 = (1..=MIN_WIDTH_LOG2).rev().find(fits).unwrap_or(0);
    tiling(limits, len, width_log2)
}

/// Returns the minimum memory for tiles in global memory, in bytes; 0 if scanlines of `len` voxels
/// fit in shared memory.
pub(super) fn min_scratch_bytes<C: Cost>(
    limits: &DeviceLimits,
    len: u32,
    kernels: ScanlineKernels,
) -> u64 {
    if kernels.use_shared_memory() && shared_tiling::<C>(limits, len).is_some() {
        0
    } else {
        tile_bytes::<C>(tiling(limits, len, 0))
    }
}
