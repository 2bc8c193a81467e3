//! The scan in a single pass by blocks of which one warp does nothing but look back.

use super::{
    scheduler::{TileJob, TileScheduler},
    single_pass::{scan_strided, staging_room},
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

/// Tiles that a block has room for: one on its way, one that waits, one that is written.
pub const SLOTS: usize = 3;

/// Bytes of a line of shared memory: 32 banks of 4.
const LINE: usize = 128;

/// Nanoseconds from a tile's publication to the look-back for the one before. By then most of what
/// is looked for is there, and nobody who looks again and again is in the way of those who publish.
const PAUSE: u32 = 1500;

/// Rounds of a block before the first pause: until then the device's memory is not busy.
const QUICK_ROUNDS: u32 = 3;

/// The body of single-pass kernels for values of which few fit in registers: as
/// [`scan_tiles`](super::single_pass::scan_tiles), but a tile stays in dynamic shared memory until
/// it is written, and the look-back is the last warp's alone.
///
/// A round has one barrier. Before it, the working warps scan the tile of this round, which has
/// arrived. After it, they write the tile of two rounds before, whose prefix the last warp has
/// found, and begin to copy the tile of the next round into its place; at the same time the last
/// warp publishes this round's tile and looks back for the one of the round before. So a tile's
/// aggregate is known to all a round before a look-back asks for it, and no working warp ever waits
/// for another block, unless a look-back takes longer than a round.
///
/// A whole tile has `(threads - 32) · N · ROWS` elements and is aligned to 16 bytes. All others,
/// and those of blocks of other shapes, are read twice ([`scan_strided`]).
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "a kernel's arguments, and what tells the scans apart"
)]
pub fn scan_tiles_specialised<
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
    if ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32 {
        max_registers::<MOST_REGISTERS>();
    }
    let threads = thread::block_dim_x();
    let rank = thread::thread_idx_x();
    let fits = threads > LOOK_BACK_THREADS
        && threads.is_multiple_of(32)
        && job.tile
            == (threads - LOOK_BACK_THREADS) as u64 * RegisterTile::<I, N, ROWS>::ITEMS as u64
        && (input.as_ptr() as usize).is_multiple_of(16)
        && (output.as_ptr() as usize).is_multiple_of(16);
    let whole = if fits { job.whole_tiles() } else { 0 };

    let mut tiles = TileScheduler::first(states, job);
    if tiles.tile < whole {
        let slot_len = RegisterTile::<I, N, ROWS>::slot_len();
        let room = staging_room::<I>(SLOTS * slot_len);
        // Copies fill whole lines. The last row of the last slot has room for the idle threads'
        // vectors, which is enough for this.
        let past_line = room.as_mut_ptr() as usize % LINE;
        let first_slot = (LINE - past_line) % LINE / size_of::<I>();
        let start = |tile: u32| tile as u64 * job.tile;
        let none = job.tiles;
        let looks_back = rank + LOOK_BACK_THREADS >= threads;
        let lane = warp::lane();
        let my_warp = (rank / 32) as usize;
        // of even and of odd rounds; at place `PREFIX` what comes before the tile of two rounds
        // before, of which the last warp learned in the round before
        let values = shared_view![u32; 2 * WarpValues::LEN];
        // tiles of two rounds before, of the round before, of this one and of the next
        let (mut writing, mut waiting) = (none, none);
        let (mut current, mut next) = (tiles.tile, tiles.next);
        // the slot of this round; the next round's is that of two rounds before
        let mut slot = first_slot;
        // What comes before each row within the warp, and before the warp within the block. Not
        // read before there is a tile; an array of constants would be kept in memory.
        let mut rows_writing = [initial; ROWS];
        let mut rows_waiting = [initial; ROWS];
        let (mut block_writing, mut block_waiting) = (O::identity(), O::identity());
        let mut total_waiting = O::identity();
        if !looks_back {
            RegisterTile::<I, N, ROWS>::stage(input, start(current), room, slot);
        }
        let mut round = 0;
        loop {
            let scans = current < whole;
            let writes = writing < whole;
            let stages = next < whole;
            let next_slot = if slot == first_slot + (SLOTS - 1) * slot_len {
                first_slot
            } else {
                slot + slot_len
            };
            let (rows_current, warp_total) = if scans && !looks_back {
                let tile = RegisterTile::<I, N, ROWS>::unstage(room, slot);
                // nobody waits in the next slot yet
                if !writes && stages {
                    RegisterTile::<I, N, ROWS>::stage(input, start(next), room, next_slot);
                }
                tile.scan_warp::<V, O>(lift)
            } else {
                (rows_waiting, O::identity())
            };
            let values_of = |round: u32| WarpValues::of_two(values, round);
            if lane == 0 {
                values_of(round).write(my_warp, warp_total);
            }
            thread::sync_threads();
            let block;
            if looks_back {
                block = values_of(round).scan::<V, O, FullWarps>();
                let first = lane == 0;
                if scans {
                    tiles.publish::<V, O>(current, block.total, initial, first);
                }
                // the counter is far away, and its answer not needed before the round's end
                let taken = if first {
                    tiles.number_after(tiles.kept_number(round + 2))
                } else {
                    none
                };
                if waiting < whole {
                    pause(round);
                    let prefix = tiles.look_back::<V, O, FullWarps>(
                        waiting,
                        total_waiting,
                        initial,
                        first,
                        put_total,
                    );
                    if first {
                        values_of(round + 1).write(PREFIX, prefix);
                    }
                }
                total_waiting = block.total;
                if first {
                    tiles.keep_number(round + 3, taken);
                }
            } else {
                if writes {
                    let prefix = O::combine(values_of(round).read(PREFIX), block_writing);
                    let next = if stages { Some(start(next)) } else { None };
                    RegisterTile::<I, N, ROWS>::write_staged::<V, O, R>(
                        room,
                        next_slot,
                        prefix,
                        &rows_writing,
                        output,
                        start(writing),
                        lift,
                        put,
                        input,
                        next,
                    );
                }
                // not before the copies are under way
                block = values_of(round).scan::<V, O, FullWarps>();
            }
            if !scans && waiting >= whole {
                break;
            }
            (rows_writing, rows_waiting) = (rows_waiting, rows_current);
            (block_writing, block_waiting) = (block_waiting, block.before);
            (writing, waiting, current) = (waiting, current, next);
            next = tiles.kept_number(round + 2);
            slot = next_slot;
            round += 1;
        }
        // the last that was not done, and after it a number that no tile has
        tiles = tiles.from_round(if waiting < none { waiting } else { current });
        async_copy::wait_all();
        // before the numbers are replaced
        thread::sync_threads();
    }
    let put = |_, before: V, through: V| put(before, through);
    scan_strided::<I, V, O, R>(input, initial, job, tiles, output, lift, put, put_total);
}

/// The place after those of the warps.
const PREFIX: usize = 32;

/// Lets the others publish first.
#[inline(always)]
fn pause(round: u32) {
    if cfg!(target_arch = "nvptx64") && round >= QUICK_ROUNDS {
        thread::nanosleep(PAUSE);
    }
}
