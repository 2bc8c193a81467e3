//! How lines are cut into tiles.

use crate::{
    device::{Launch, Stream},
    distance::DistanceError,
    occupancy::DeviceLimits,
};
use ferrovox_kernels::distance::separable::{Axis, Cost, Lines, Tiling, cost::PLACE_BITS};
use simt::MAX_DYNAMIC_SHARED_BYTES;

/// Lines along an axis, as a device takes them.
pub(in crate::distance) struct Along<C> {
    tiling: Tiling,
    axis: Axis<C>,
}

impl<C: Cost> Along<C> {
    /// Lines of `len` voxels along the axis that has this `name`.
    pub fn new(
        stream: &Stream,
        axis: Axis<C>,
        len: u32,
        name: char,
    ) -> Result<Self, DistanceError> {
        let limits = stream.device().limits();
        match tiling::<C>(limits, len) {
            Some(tiling) => Ok(Self { tiling, axis }),
            None => Err(DistanceError::Line {
                axis: name,
                found: len,
                most: shared_bytes(limits) / (2 * size_of::<C>() as u32 + 1),
            }),
        }
    }

    /// A launch whose blocks take tiles, with room for one; and its description for the kernel.
    pub fn launch(&self, lines: Lines) -> (Launch, Tiling, Axis<C>) {
        let launch = Launch::pieces(lines.tiles(self.tiling))
            .max_useful_threads(self.tiling.chunks() << self.tiling.width_log2)
            .dynamic_shared_bytes(self.tiling.bytes::<C>() as u32);
        (launch, self.tiling, self.axis)
    }
}

/// Blocks that are to be on a multiprocessor: while one waits for memory or for its slowest thread,
/// others go on.
const BLOCKS: u32 = 3;

/// Neighbouring lines are read in sectors of 32 bytes: narrower tiles than 8 are for lines that do
/// not fit otherwise.
const MIN_WIDTH_LOG2: u32 = 3;

/// Tiles of 32 lines leave room for fewer blocks.
const MAX_WIDTH_LOG2: u32 = 4;

/// Chunks of 16 places make twice as many threads, of 64 half as many: both were slower on an H200.
const GPU_CHUNK_LOG2: u32 = 5;

/// The widest tiles of which several fit on a multiprocessor; none if not even one line fits.
fn tiling<C: Cost>(limits: &DeviceLimits, len: u32) -> Option<Tiling> {
    let is_cpu = limits.threads_per_block == 1;
    let chunk_log2 = if is_cpu { PLACE_BITS } else { GPU_CHUNK_LOG2 };
    let needed_log2 = len.next_power_of_two().ilog2().max(2);
    let tiling = |width_log2: u32| Tiling::new(len, width_log2, chunk_log2.min(needed_log2));
    let fits = |width_log2: &u32, blocks: u32| {
        // longer ones never fit, and their bytes may be more than 32 bits can count
        u64::from(len) < 1 << 20
            && tiling(*width_log2).bytes::<C>() as u64 <= u64::from(shared_bytes(limits) / blocks)
    };
    let wide = (MIN_WIDTH_LOG2..=MAX_WIDTH_LOG2)
        .rev()
        .find(|log2| fits(log2, BLOCKS));
    let narrow = || (0..=MIN_WIDTH_LOG2).rev().find(|log2| fits(log2, 1));
    wide.or_else(narrow).map(tiling)
}

/// Shared memory that a block can have.
fn shared_bytes(limits: &DeviceLimits) -> u32 {
    limits
        .shared_bytes_per_multiprocessor
        .saturating_sub(limits.reserved_shared_bytes_per_block)
        .min(MAX_DYNAMIC_SHARED_BYTES)
}
