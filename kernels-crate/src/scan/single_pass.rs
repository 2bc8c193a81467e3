//! Single-pass scan: every element is read once and written once.

use super::{
    scheduler::{ScanJob, TileScheduler},
    tile::{RegisterTile, StridedTile},
};
use crate::{
    block::WarpValues,
    operator::{Operator, Value},
    warp::{self, AnyWarps, FullWarps},
};
use cuda_std::{
    SharedView, View, ViewMut, cfg::ComputeCapability, misc::max_registers,
    shared::dynamic_shared_mem, shared_view, thread,
};

/// Body of the single-pass kernels: scans tile after tile.
///
/// A block works on three tiles in a software pipeline (see [`TileScheduler`]): one is being copied
/// asynchronously into dynamic shared memory, one has arrived, and one waits to be written. In each
/// round, the block scans the tile that has arrived and publishes its aggregate; only then its
/// first warp looks back for the prefix of the tile to be written. So an aggregate is visible one
/// round before a look-back needs it, no block waits for the reads of another, and the latency of
/// its own reads is hidden behind a round. There are three barriers per round.
///
/// Complete tiles of `threads · N · ROWS` elements, aligned to 16 bytes, are processed this way;
/// all other tiles are read twice ([`scan_strided`]). A block of one thread uses the tile length
/// given by the host, reads tiles twice, and waits only for earlier tiles.
///
/// `lift` converts elements to values; `output_of(exclusive, inclusive)` returns the output element
/// for the exclusive and inclusive prefix of an element; `write_total` receives the total.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "a kernel's arguments, and what tells the scans apart"
)]
#[cuda_std::inline_closures]
pub fn scan_tiles<
    I: Copy,
    V: Value,
    O: Operator<V>,
    R: Copy,
    const N: usize,
    const ROWS: usize,
    const MAX_REGISTERS: u32,
>(
    input: View<I>,
    output: ViewMut<R>,
    initial: V,
    job: ScanJob,
    states: ViewMut<u64>,
    lift: impl Fn(I) -> V + Copy,
    output_of: impl Fn(V, V) -> R + Copy,
    write_total: impl Fn(V) + Copy,
) {
    // older assemblers need more registers; there the device determines the maximum block size
    if ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32 {
        max_registers::<MAX_REGISTERS>();
    }
    let threads = thread::block_dim_x();
    let warps = WarpValues::new(shared_view![u32; WarpValues::LEN]);
    let first_of_warp = warp::lane() == 0;
    let first_of_block = thread::thread_idx_x() == 0;
    let my_warp = (thread::thread_idx_x() / 32) as usize;
    let rows_fit = threads.is_multiple_of(32)
        && job.tile == threads as u64 * RegisterTile::<I, N, ROWS>::ITEMS as u64
        && (input.as_ptr() as usize).is_multiple_of(16)
        && (output.as_ptr() as usize).is_multiple_of(16);
    let pipelined_tiles = if rows_fit { job.complete_tiles() } else { 0 };

    let mut tiles = TileScheduler::start(states, job);
    if tiles.tile < pipelined_tiles {
        let buffer = staging_buffer::<I>(RegisterTile::<I, N, ROWS>::ITEMS * threads as usize);
        let start = |tile: u32| tile as u64 * job.tile;
        // the first tile is read directly into registers
        let mut rows = RegisterTile::<I, N, ROWS>::read(input, start(tiles.tile));
        if tiles.next < pipelined_tiles {
            RegisterTile::<I, N, ROWS>::stage(input, start(tiles.next), buffer, 0);
        }
        let (mut before, warp_total) = rows.scan_warp::<V, O>(lift);
        if first_of_warp {
            warps.write(my_warp, warp_total);
        }
        thread::sync_threads();
        let mut block = warps.scan::<V, O, FullWarps>();
        tiles.publish::<V, O, FullWarps>(tiles.tile, block.total, initial, first_of_block);
        while tiles.next < pipelined_tiles {
            let drawn = tiles.draw();
            let next_rows = RegisterTile::<I, N, ROWS>::read_staged(buffer, 0);
            // a thread only overwrites the part of the buffer that it has read itself
            if tiles.after < pipelined_tiles {
                RegisterTile::<I, N, ROWS>::stage(input, start(tiles.after), buffer, 0);
            }
            let (next_before, warp_total) = next_rows.scan_warp::<V, O>(lift);
            // all threads have read what the warps and the first thread wrote in the previous round
            thread::sync_threads();
            if first_of_warp {
                warps.write(my_warp, warp_total);
            }
            thread::sync_threads();
            let next_block = warps.scan::<V, O, FullWarps>();
            tiles.publish::<V, O, FullWarps>(tiles.next, next_block.total, initial, first_of_block);
            let prefix = tiles.resolve::<V, O, FullWarps>(block.total, initial, drawn, write_total);
            let prefix = O::combine(prefix, block.before);
            rows.write::<V, O, R>(prefix, &before, output, start(tiles.tile), lift, output_of);
            tiles.advance();
            (rows, before, block) = (next_rows, next_before, next_block);
        }
        let drawn = tiles.draw();
        // all threads have read what the first thread wrote in the previous round
        thread::sync_threads();
        let prefix = tiles.resolve::<V, O, FullWarps>(block.total, initial, drawn, write_total);
        let prefix = O::combine(prefix, block.before);
        rows.write::<V, O, R>(prefix, &before, output, start(tiles.tile), lift, output_of);
        tiles.advance();
        // before the tile numbers are replaced
        thread::sync_threads();
    }
    let output_of = |_, before: V, through: V| output_of(before, through);
    scan_strided::<I, V, O, R>(
        input,
        initial,
        job,
        tiles,
        output,
        lift,
        output_of,
        write_total,
    );
}

/// Scans tiles of any length and alignment, reading them twice; otherwise as [`scan_tiles`].
/// `output_of` also receives the index of the element.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "a kernel's arguments, and what tells the scans apart"
)]
pub fn scan_strided<I: Copy, V: Value, O: Operator<V>, R: Copy>(
    input: View<I>,
    initial: V,
    job: ScanJob,
    mut tiles: TileScheduler,
    output: ViewMut<R>,
    lift: impl Fn(I) -> V,
    output_of: impl Fn(usize, V, V) -> R,
    write_total: impl Fn(V),
) {
    let first_of_block = thread::thread_idx_x() == 0;
    while tiles.tile < job.tiles {
        let drawn = tiles.draw();
        let (start, end) = job.bounds(tiles.tile);
        let strided = StridedTile::new(start, end);
        let block = strided.scan_block::<I, V, O>(input, &lift);
        tiles.publish::<V, O, AnyWarps>(tiles.tile, block.total, initial, first_of_block);
        let prefix = tiles.resolve::<V, O, AnyWarps>(block.total, initial, drawn, &write_total);
        let prefix = O::combine(prefix, block.before);
        strided.scan::<I, V, O, R>(input, prefix, output, &lift, &output_of);
        tiles.advance();
        // before the next tile's number and prefix replace these
        thread::sync_threads();
    }
}

/// Returns the dynamic shared memory as a buffer of `len` elements.
#[inline(always)]
pub(super) fn staging_buffer<I: Copy>(len: usize) -> SharedView<I> {
    // SAFETY: the launch provides dynamic shared memory for each thread's part of a tile.
    unsafe { SharedView::from_raw_parts(dynamic_shared_mem::<I>(), len) }
}
