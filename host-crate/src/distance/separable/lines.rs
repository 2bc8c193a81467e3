//! How lines are cut into tiles.

use crate::{
    device::{Launch, Stream},
    occupancy::DeviceLimits,
};
use ferrovox_kernels::distance::separable::{Axis, Cost, Lines, Tiling, cost::PLACE_BITS};

/// Lines along an axis, as a device takes them.
pub(in crate::distance) struct Along<C> {
    tiling: Tiling,
    axis: Axis<C>,
}

impl<C: Cost> Along<C> {
    pub fn new(stream: &Stream, axis: Axis<C>, len: u32) -> Self {
        Self {
            tiling: tiling::<C>(&stream.device().limits(), len),
            axis,
        }
    }

    /// A launch whose blocks take tiles, with room for one; and what the kernel is to know of it.
    pub fn launch(&self, lines: Lines) -> (Launch, Tiling, Axis<C>) {
        let launch = Launch::pieces(lines.tiles(self.tiling))
            .threads_of_use(self.tiling.chunks() << self.tiling.width_log2)
            .dynamic_shared_bytes(self.tiling.bytes::<C>() as u32);
        (launch, self.tiling, self.axis)
    }
}

/// Blocks that are to be on a multiprocessor: while one waits for memory or for its slowest thread, others go on.
const BLOCKS: u32 = 3;

/// Neighbouring lines are read in sectors of 32 bytes: narrower tiles than 8 are for lines that do not fit otherwise.
const LEAST_WIDTH_LOG2: u32 = 3;

/// The widest tiles of which several fit on a multiprocessor.
fn tiling<C: Cost>(limits: &DeviceLimits, len: u32) -> Tiling {
    let is_cpu = limits.threads_per_block == 1;
    let most = limits
        .shared_bytes_per_multiprocessor
        .saturating_sub(limits.reserved_shared_bytes_per_block)
        .min(cuda_most());
    let chunk_log2 = if is_cpu { PLACE_BITS } else { 5 };
    let needed_log2 = len.next_power_of_two().ilog2().max(2);
    let chunk_log2 = chunk_log2.min(needed_log2);
    let fits = |width_log2: u32, blocks: u32| {
        let bytes = Tiling::new(len, width_log2, chunk_log2).bytes::<C>() as u64;
        bytes <= u64::from(most / blocks)
    };
    let wide = (LEAST_WIDTH_LOG2..=4)
        .rev()
        .find(|&log2| fits(log2, BLOCKS));
    let narrow = || (0..=LEAST_WIDTH_LOG2).rev().find(|&log2| fits(log2, 1));
    let width_log2 = wide.or_else(narrow).unwrap_or(0);
    let env = |n: &str, d: u32| {
        std::env::var(n)
            .ok()
            .and_then(|v| v.parse().ok())
            .unwrap_or(d)
    };
    let (width_log2, chunk_log2) = (env("FV_W", width_log2), env("FV_C", chunk_log2));
    Tiling::new(len, width_log2, chunk_log2)
}

/// What a block can have on any device.
fn cuda_most() -> u32 {
    227 * 1024
}
