//! Division of scanlines into tiles.

use crate::{
    device::{Launch, Stream},
    distance::DistanceError,
    occupancy::DeviceLimits,
};
use ferrovox_kernels::distance::separable::{Axis, Cost, Scanlines, Tiling, cost::POSITION_BITS};
use simt::MAX_DYNAMIC_SHARED_BYTES;

/// Scanlines along an axis, with a tiling that fits a device.
pub(in crate::distance) struct TiledScanlines<C> {
    tiles: Tiling,
    axis: Axis<C>,
}

impl<C: Cost> TiledScanlines<C> {
    /// Creates the tiling of scanlines of `len` voxels along the axis called `axis_name`.
    pub fn new(
        stream: &Stream,
        axis: Axis<C>,
        len: u32,
        axis_name: char,
    ) -> Result<Self, DistanceError> {
        let limits = stream.device().limits();
        match choose_tiling::<C>(limits, len) {
            Some(tiles) => Ok(Self { tiles, axis }),
            None => Err(DistanceError::LineTooLong {
                axis: axis_name,
                found: len,
                max: shared_bytes(limits) / (2 * size_of::<C>() as u32 + 1),
            }),
        }
    }

    /// Returns a launch with one tile per block and sufficient shared memory, and the kernel's
    /// description of the tiles.
    pub fn launch(&self, scanlines: Scanlines) -> (Launch, Tiling, Axis<C>) {
        let launch = Launch::pieces(scanlines.tile_count(self.tiles))
            .max_useful_threads(self.tiles.chunks() << self.tiles.width_log2)
            .dynamic_shared_bytes(self.tiles.bytes::<C>() as u32);
        (launch, self.tiles, self.axis)
    }
}

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

/// Returns the widest tiling of which several tiles fit on a multiprocessor, or else of which one
/// fits; `None` if not even one scanline fits.
fn choose_tiling<C: Cost>(limits: &DeviceLimits, len: u32) -> Option<Tiling> {
    let is_cpu = limits.threads_per_block == 1;
    let chunk_log2 = if is_cpu {
        POSITION_BITS
    } else {
        GPU_CHUNK_LOG2
    };
    let needed_log2 = len.next_power_of_two().ilog2().max(2);
    let with_width = |width_log2: u32| Tiling::new(len, width_log2, chunk_log2.min(needed_log2));
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

/// Returns the shared memory available to a block, in bytes.
fn shared_bytes(limits: &DeviceLimits) -> u32 {
    limits
        .shared_bytes_per_multiprocessor
        .saturating_sub(limits.reserved_shared_bytes_per_block)
        .min(MAX_DYNAMIC_SHARED_BYTES)
}
