//! The scan in a single pass: every element is read once and written once.

use super::{
    scheduler::{TileJob, TileScheduler},
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

/// The body of the single-pass kernels: scans tile after tile.
///
/// A block is at work on three tiles (see [`TileScheduler`] for who has which): one whose elements
/// are on their way into dynamic shared memory by asynchronous copies, one that has arrived, and
/// one that waits to be written. In each round it scans the one that has arrived and publishes its
/// aggregate; only then its first warp looks back for what comes before the one that is to be
/// written. So a tile's aggregate is known to all a whole round before a look-back asks for it,
/// nobody waits for anybody else's reads, and the wait for one's own is hidden behind the round.
/// Three barriers a round.
///
/// A tile of `threads · N · ROWS` elements that is whole and aligned to 16 bytes goes this way; any
/// other is read twice. A block of one thread has tiles as long as the host says, reads them twice,
/// and waits only for the tiles before.
///
/// Elements are `lift`ed into values; `put` makes what is written of what comes before an element,
/// and that combined with it; `put_total` gets everything combined.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "a kernel's arguments, and what tells the scans apart"
)]
pub fn scan_tiles<
    I: Copy,
    V: Value,
    O: Operator<V>,
    R: Copy,
    const N: usize,
    const ROWS: usize,
    const MOST_REGISTERS: u32,
>(
    input: View<I>,
    output: ViewMut<R>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    lift: impl Fn(I) -> V + Copy,
    put: impl Fn(V, V) -> R + Copy,
    put_total: impl Fn(V) + Copy,
) {
    // older assemblers' allocation needs more than these; there the device decides how many threads
    // a block can have
    if ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32 {
        max_registers::<MOST_REGISTERS>();
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
    let in_rows = if rows_fit { job.whole_tiles() } else { 0 };

    let mut tiles = TileScheduler::first(states, job);
    if tiles.tile < in_rows {
        let room = staging_room::<I>(RegisterTile::<I, N, ROWS>::ITEMS * threads as usize);
        let start = |tile: u32| tile as u64 * job.tile;
        // the first tile comes straight into registers
        let mut rows = RegisterTile::<I, N, ROWS>::read(input, start(tiles.tile));
        if tiles.next < in_rows {
            RegisterTile::<I, N, ROWS>::stage(input, start(tiles.next), room, 0);
        }
        let (mut before, warp_total) = rows.scan_warp::<V, O>(lift);
        if first_of_warp {
            warps.write(my_warp, warp_total);
        }
        thread::sync_threads();
        let mut block = warps.scan::<V, O, FullWarps>();
        tiles.publish::<V, O>(tiles.tile, block.total, initial, first_of_block);
        while tiles.next < in_rows {
            let taken = tiles.take();
            let next_rows = RegisterTile::<I, N, ROWS>::unstage(room, 0);
            // a thread stages where it alone has read
            if tiles.after < in_rows {
                RegisterTile::<I, N, ROWS>::stage(input, start(tiles.after), room, 0);
            }
            let (next_before, warp_total) = next_rows.scan_warp::<V, O>(lift);
            // everybody has read what the warps, and the first thread, wrote in the last round
            thread::sync_threads();
            if first_of_warp {
                warps.write(my_warp, warp_total);
            }
            thread::sync_threads();
            let next_block = warps.scan::<V, O, FullWarps>();
            tiles.publish::<V, O>(tiles.next, next_block.total, initial, first_of_block);
            let prefix = tiles.resolve::<V, O, FullWarps>(block.total, initial, taken, put_total);
            let prefix = O::combine(prefix, block.before);
            rows.write::<V, O, R>(prefix, &before, output, start(tiles.tile), lift, put);
            tiles.advance();
            (rows, before, block) = (next_rows, next_before, next_block);
        }
        let taken = tiles.take();
        // everybody has read what the first thread wrote in the last round
        thread::sync_threads();
        let prefix = tiles.resolve::<V, O, FullWarps>(block.total, initial, taken, put_total);
        let prefix = O::combine(prefix, block.before);
        rows.write::<V, O, R>(prefix, &before, output, start(tiles.tile), lift, put);
        tiles.advance();
        // before the numbers are replaced
        thread::sync_threads();
    }
    let put = |_, before: V, through: V| put(before, through);
    scan_strided::<I, V, O, R>(input, initial, job, tiles, output, lift, put, put_total);
}

/// Scans tiles of any size and place, which are read twice, as [`scan_tiles`] does; `put` gets the
/// element's index too.
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "a kernel's arguments, and what tells the scans apart"
)]
pub fn scan_strided<I: Copy, V: Value, O: Operator<V>, R: Copy>(
    input: View<I>,
    initial: V,
    job: TileJob,
    mut tiles: TileScheduler,
    output: ViewMut<R>,
    lift: impl Fn(I) -> V,
    put: impl Fn(usize, V, V) -> R,
    put_total: impl Fn(V),
) {
    let first_of_block = thread::thread_idx_x() == 0;
    while tiles.tile < job.tiles {
        let taken = tiles.take();
        let (start, end) = job.bounds(tiles.tile);
        let strided = StridedTile::new(start, end);
        let block = strided.scan_block::<I, V, O>(input, &lift);
        tiles.publish::<V, O>(tiles.tile, block.total, initial, first_of_block);
        let prefix = tiles.resolve::<V, O, AnyWarps>(block.total, initial, taken, &put_total);
        let prefix = O::combine(prefix, block.before);
        strided.scan::<I, V, O, R>(input, prefix, output, &lift, &put);
        tiles.advance();
        // before the next tile's number and prefix replace these
        thread::sync_threads();
    }
}

/// The dynamic shared memory as room for `len` elements.
#[inline(always)]
pub(super) fn staging_room<I: Copy>(len: usize) -> SharedView<I> {
    // SAFETY: the launch gives each thread room for its part of a tile.
    unsafe { SharedView::from_raw_parts(dynamic_shared_mem::<I>(), len) }
}
