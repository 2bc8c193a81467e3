//! Single-pass scan with warp specialisation: one warp per block only looks back.

use super::{
    scheduler::{ScanJob, TileScheduler},
    single_pass::{scan_strided, staging_buffer},
    tile::RegisterTile,
};
use crate::{
    block::WarpValues,
    operator::{Operator, Value},
    warp::{self, FullWarps},
};
use cuda_std::{
    View, ViewMut, async_copy, cfg::ComputeCapability, misc::max_registers, shared_view, thread,
};

/// Threads of a block that hold no elements: its last warp.
pub const LOOK_BACK_THREADS: u32 = 32;

/// Number of tiles in a block's dynamic shared memory: one being copied, one waiting, one being
/// written.
pub const SLOTS: usize = 3;

/// Bytes of a line of shared memory: 32 banks of 4 bytes.
const LINE: usize = 128;

/// Delay in nanoseconds between publishing a tile and looking back for the previous one. By then
/// most states have been published, and polling does not compete with the warps that publish.
const PAUSE: u32 = 1500;

/// Number of rounds of a block before the first delay: until then the memory system is not busy.
const QUICK_ROUNDS: u32 = 3;

/// Body of single-pass kernels for values of which few fit in registers. Works like
/// [`scan_tiles`](super::single_pass::scan_tiles), but a tile stays in dynamic shared memory until
/// it is written, and only the last warp looks back.
///
/// A round has one barrier. Before it, the working warps scan this round's tile, which has arrived.
/// After it, they write the tile of two rounds ago, whose prefix the last warp has found, and start
/// copying the next round's tile into its slot; meanwhile the last warp publishes this round's tile
/// and looks back for the previous round's. So an aggregate is visible a round before a look-back
/// needs it, and no working warp waits for another block unless a look-back takes longer than a
/// round.
///
/// A complete tile has `(threads - 32) · N · ROWS` elements and is aligned to 16 bytes. All other
/// tiles, and those of blocks of other shapes, are read twice ([`scan_strided`]).
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "a kernel's arguments, and what tells the scans apart"
)]
#[cuda_std::inline_closures]
pub fn scan_tiles_warp_specialised<
    V: Value,
    O: Operator<V>,
    const N: usize,
    const ROWS: usize,
    const MAX_REGISTERS: u32,
>(
    input: View<V>,
    output: ViewMut<V>,
    initial: V,
    job: ScanJob,
    states: ViewMut<u64>,
    lift: impl Fn(V) -> V + Copy,
    output_of: impl Fn(V, V) -> V + Copy,
    write_total: impl Fn(V) + Copy,
) {
    if ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32 {
        max_registers::<MAX_REGISTERS>();
    }
    let threads = thread::block_dim_x();
    let rank = thread::thread_idx_x();
    let fits = threads > LOOK_BACK_THREADS
        && threads.is_multiple_of(32)
        && job.tile
            == (threads - LOOK_BACK_THREADS) as u64 * RegisterTile::<V, N, ROWS>::ITEMS as u64
        && (input.as_ptr() as usize).is_multiple_of(16)
        && (output.as_ptr() as usize).is_multiple_of(16);
    let complete = if fits { job.complete_tiles() } else { 0 };

    let mut tiles = TileScheduler::start(states, job);
    if tiles.tile < complete {
        let slot_len = RegisterTile::<V, N, ROWS>::slot_len();
        let buffer = staging_buffer::<V>(SLOTS * slot_len);
        // Copies fill whole lines. The last row of the last slot has space for the vectors of the
        // idle threads, which suffices for the shift.
        let past_line = buffer.as_mut_ptr() as usize % LINE;
        let first_slot = (LINE - past_line) % LINE / size_of::<V>();
        let start = |tile: u32| tile as u64 * job.tile;
        let none = job.tiles;
        let looks_back = rank + LOOK_BACK_THREADS >= threads;
        let lane = warp::lane();
        let my_warp = (rank / 32) as usize;
        // Values of even and of odd rounds. Element `PREFIX_SLOT` holds the prefix of the tile of
        // two rounds ago, which the last warp found in the previous round.
        let values = shared_view![u32; 2 * WarpValues::LEN];
        // tiles of two rounds ago, of the previous round, of this round and of the next
        let (mut writing, mut waiting) = (none, none);
        let (mut current, mut next) = (tiles.tile, tiles.next);
        // the slot of this round; the next round's is that of two rounds ago
        let mut slot = first_slot;
        // Prefix of each row within the warp, and of the warp within the block. Not read before
        // there is a tile; an array of constants would be placed in memory.
        let mut rows_writing = [initial; ROWS];
        let mut rows_waiting = [initial; ROWS];
        let (mut block_writing, mut block_waiting) = (O::identity(), O::identity());
        let mut total_waiting = O::identity();
        if !looks_back {
            RegisterTile::<V, N, ROWS>::stage(input, start(current), buffer, slot);
        }
        let mut round = 0;
        loop {
            let scans = current < complete;
            let writes = writing < complete;
            let stages = next < complete;
            let next_slot = if slot == first_slot + (SLOTS - 1) * slot_len {
                first_slot
            } else {
                slot + slot_len
            };
            let (rows_current, warp_total) = if scans && !looks_back {
                async_copy::wait_all();
                // no tile waits in the next slot yet
                if !writes && stages {
                    RegisterTile::<V, N, ROWS>::stage(input, start(next), buffer, next_slot);
                }
                let tile = RegisterTile::<V, N, ROWS>::read_slot(buffer, slot);
                tile.scan_warp::<V, O>(lift)
            } else {
                // see below
                let rows = if O::EXACT {
                    rows_waiting
                } else {
                    [initial; ROWS]
                };
                (rows, O::identity())
            };
            let round_values = |round: u32| WarpValues::double_buffered(values, round);
            if lane == 0 {
                round_values(round).write(my_warp, warp_total);
            }
            thread::sync_threads();
            let block;
            if looks_back {
                block = round_values(round).scan::<V, O, FullWarps>();
                let first = lane == 0;
                if scans {
                    tiles.publish::<V, O, FullWarps>(current, block.total, initial, first);
                }
                // drawn early, because the counter has a high latency and the number is not needed
                // before the end of the round
                let drawn = if first {
                    tiles.draw_after(tiles.stored_number(round + 2))
                } else {
                    none
                };
                if waiting < complete {
                    pause(round);
                    let prefix = tiles.look_back::<V, O, FullWarps>(
                        waiting,
                        total_waiting,
                        initial,
                        first,
                        write_total,
                    );
                    if first {
                        round_values(round + 1).write(PREFIX_SLOT, prefix);
                    }
                }
                total_waiting = block.total;
                if first {
                    tiles.store_number(round + 3, drawn);
                }
                (rows_writing, rows_waiting) = if O::EXACT {
                    (rows_waiting, rows_current)
                } else {
                    // the last warp has no rows, and needs their registers to look back by groups
                    ([initial; ROWS], [initial; ROWS])
                };
            } else {
                if writes {
                    let prefix = O::combine(round_values(round).read(PREFIX_SLOT), block_writing);
                    let next = if stages { Some(start(next)) } else { None };
                    RegisterTile::<V, N, ROWS>::write_staged::<V, O, V>(
                        buffer,
                        next_slot,
                        prefix,
                        &rows_writing,
                        output,
                        start(writing),
                        lift,
                        output_of,
                        input,
                        next,
                    );
                }
                // not before the copies have been started
                block = round_values(round).scan::<V, O, FullWarps>();
                (rows_writing, rows_waiting) = (rows_waiting, rows_current);
            }
            if !scans && waiting >= complete {
                break;
            }
            (block_writing, block_waiting) = (block_waiting, block.before);
            (writing, waiting, current) = (waiting, current, next);
            next = tiles.stored_number(round + 2);
            slot = next_slot;
            round += 1;
        }
        // the first tile that has not been written, followed by a number beyond the last tile
        tiles = tiles.resume_at(if waiting < none { waiting } else { current });
        async_copy::wait_all();
        // before the tile numbers are replaced
        thread::sync_threads();
    }
    let output_of = |_, before: V, through: V| output_of(before, through);
    scan_strided::<V, V, O, V>(
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

/// Index after the values of the warps.
const PREFIX_SLOT: usize = 32;

/// Gives other blocks time to publish.
#[inline(always)]
fn pause(round: u32) {
    if cfg!(target_arch = "nvptx64") && round >= QUICK_ROUNDS {
        thread::nanosleep(PAUSE);
    }
}
