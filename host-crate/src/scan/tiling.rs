//! Division of an input into tiles.

use super::{ScanError, ScanValue, Scannable, element::sealed::Sealed};
use crate::device::{Launch, LaunchPlan, Stream};
use cuda_std::{View, ViewMut};
use ferrovox_kernels::{
    operator::Operator,
    scan::{MAX_RESIDENT_VECTORS, RESIDENT_VECTOR_BYTES},
};

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

    /// Divides an input of few elements into tiles of `tile` elements, one per block. All blocks
    /// have to be resident at once.
    pub fn resident(count: usize, tile: u64) -> Self {
        let tiles = (count as u64).div_ceil(tile).max(1) as u32;
        Self {
            count: count as u64,
            tile,
            tiles,
            blocks: tiles,
        }
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

/// Divides an input of any length into tiles.
pub(super) fn tiles<I, V, O>(stream: &Stream, count: usize) -> Result<(Launch, Tiling), ScanError>
where
    I: Scannable<V, O>,
    V: ScanValue,
    O: Operator<V>,
{
    let shape = <I as Sealed<V, O>>::SHAPE;
    let shaped = |blocks: u32| {
        Launch::pieces(blocks.into())
            .max_threads_per_block(shape.max_threads)
            .dynamic_shared_bytes_per_thread(shape.slots * shape.items * size_of::<I>() as u32)
    };
    let plan = <I as Sealed<V, O>>::plan(stream, shaped(1))?;
    let tiling = Tiling::new(count, plan, shape.items, shape.look_back_threads)?;
    Ok((shaped(tiling.blocks), tiling))
}

/// Divides an input that fits in the shared memory of the device into one tile per block, or
/// returns `None` if it does not fit, or if this scan has no kernel for such inputs.
///
/// Each thread has as few vectors as suffice, an odd number, and each block as few warps.
pub(super) fn resident_tiles<I, V, O>(
    stream: &Stream,
    input: View<'_, I>,
    output: ViewMut<'_, V>,
) -> Result<Option<(Launch, Tiling)>, ScanError>
where
    I: Scannable<V, O>,
    V: ScanValue,
    O: Operator<V>,
{
    let bytes = u64::from(RESIDENT_VECTOR_BYTES);
    let size = input.len() as u64 * size_of::<I>() as u64;
    let aligned = |address: usize| address.is_multiple_of(RESIDENT_VECTOR_BYTES as usize);
    if !aligned(input.as_ptr() as usize) || !aligned(output.as_mut_ptr() as usize) {
        return Ok(None);
    }
    for vectors in (1..=MAX_RESIDENT_VECTORS).step_by(2) {
        let shaped =
            Launch::pieces(1).dynamic_shared_bytes_per_thread(vectors * RESIDENT_VECTOR_BYTES);
        let Some(plan) = <I as Sealed<V, O>>::plan_resident(stream, shaped) else {
            return Ok(None);
        };
        let LaunchPlan {
            threads,
            resident_blocks,
        } = plan?;
        // blocks of one thread, on the CPU, read their tiles twice instead
        if threads < 32 {
            return Ok(None);
        }
        let per_thread = u64::from(vectors) * bytes;
        if size > u64::from(resident_blocks) * u64::from(threads) * per_thread {
            continue;
        }
        let needed = size.div_ceil(u64::from(resident_blocks) * per_thread) as u32;
        let needed = needed.next_multiple_of(32).max(MIN_RESIDENT_THREADS);
        let needed = needed.min(threads);
        let tile = u64::from(needed) * per_thread / size_of::<I>() as u64;
        let tiling = Tiling::resident(input.len(), tile);
        let launch = Launch::pieces(tiling.blocks.into())
            .exact_threads_per_block(needed)
            .dynamic_shared_bytes_per_thread(vectors * RESIDENT_VECTOR_BYTES);
        return Ok(Some((launch, tiling)));
    }
    Ok(None)
}

/// Threads of a block that scans a tile in shared memory, unless fewer are available.
const MIN_RESIDENT_THREADS: u32 = 128;
