//! The scan in a single pass, with a tile's aggregate told to the others long before anybody needs it.

use super::{
    dealing::TileJob,
    look_back::TileStates,
    tile::{Rows, Stretch},
};
use crate::{
    block::WarpValues,
    operator::{Lift, Operator, Value},
    warp::{self, AnyWarps, FullWarps},
};
use cuda_std::{
    SharedView, View, ViewMut, cfg::ComputeCapability, misc::max_registers,
    shared::dynamic_shared_mem, shared_view, thread,
};

/// Tiles that a block knows of: the one to be written, the one that arrives, the one to be asked for.
const AHEAD: usize = 3;

/// The body of the single-pass kernels: scans tile after tile.
///
/// A block takes tiles by number from a counter, so that all tiles before one of its own are finished or being worked on,
/// whatever blocks the device runs at a time. It is at work on three: one whose elements are on their way into shared memory
/// (asynchronous copies), one that has arrived, and one that waits to be written. In each round it adds up the one that has
/// arrived and publishes its aggregate; only then its first warp looks back for what comes before the one that is to be
/// written. So a tile's aggregate is published a whole round before a later tile's look-back asks for it, nobody waits for anybody's
/// reads, and the wait for one's own is hidden behind the round.
///
/// The first warp publishes and looks back; all threads write. A tile of `threads · N · ROWS` elements that is whole and aligned to
/// 16 bytes goes this way; any other is read twice. A block of one thread has tiles as long as the host says, reads them twice, and
/// waits only for the tiles before.
///
/// `total` gets everything combined.
#[inline(always)]
pub fn scan_tiles_in_turn<
    I: Lift<V>,
    V: Value,
    O: Operator<V>,
    const N: usize,
    const ROWS: usize,
    const WINDOWS: usize,
    const MOST_REGISTERS: u32,
>(
    input: View<I>,
    output: ViewMut<V>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
) {
    if ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32 {
        max_registers::<MOST_REGISTERS>();
    }
    let threads = thread::block_dim_x();
    let rank = thread::thread_idx_x();
    let states = TileStates::new(states, job.epoch);
    let numbers = shared_view![u32; AHEAD];
    let warps = WarpValues::new(shared_view![u32; WarpValues::LEN]);
    let prefixes = WarpValues::new(shared_view![u32; WarpValues::LEN]);
    let inclusive = job.inclusive != 0;

    let rows_fit = threads.is_multiple_of(32)
        && job.tile == threads as u64 * Rows::<I, N, ROWS>::ITEMS as u64
        && (input.as_ptr() as usize).is_multiple_of(16)
        && (output.as_ptr() as usize).is_multiple_of(16);
    let in_rows = if rows_fit { job.whole_tiles() } else { 0 };
    let take = || states.take_number().wrapping_sub(job.first_number);
    // publishes a tile's aggregate; the first tile's prefix is known, and nobody asks for the last one's
    let publish = |tile: u32, aggregate: V| {
        if tile == 0 {
            states.publish_prefix(0, O::combine(initial, aggregate));
        } else if tile + 1 < job.tiles {
            states.publish_aggregate(tile, aggregate);
        }
    };
    // what comes before a tile, whose prefix is then published; the first warp calls it
    let resolve = |tile: u32, aggregate: V, alone: bool| {
        let prefix = if tile == 0 {
            initial
        } else if alone {
            states.look_back::<V, O, AnyWarps>(tile, job.pause)
        } else {
            states.look_far_back::<V, O, WINDOWS>(tile, job.pause)
        };
        if rank == 0 {
            let through = O::combine(prefix, aggregate);
            if tile + 1 == job.tiles {
                total.write(0, through);
            } else if tile != 0 {
                states.publish_prefix(tile, through);
            }
            prefixes.write(0, prefix);
        }
    };

    // a block takes numbers until there is no tile with the last one
    if rank == 0 {
        let mut number = take();
        numbers.write(0, number);
        let mut place = 1;
        while place < AHEAD {
            number = if job.one_each != 0 {
                job.tiles
            } else if number < job.tiles {
                take()
            } else {
                number
            };
            numbers.write(place, number);
            place += 1;
        }
    }
    thread::sync_threads();
    let mut tile = numbers.read(0);
    let mut next = numbers.read(1);
    let mut after = numbers.read(2);

    if tile < in_rows {
        let room = staging_room::<I>(Rows::<I, N, ROWS>::ITEMS * threads as usize);
        // the first tile comes straight into registers
        let mut rows = Rows::<I, N, ROWS>::read(input, tile as u64 * job.tile);
        if next < in_rows {
            Rows::<I, N, ROWS>::stage(input, next as u64 * job.tile, room);
        }
        let (mut before, warp_total) = rows.scan_warp::<V, O>();
        if warp::lane() == 0 {
            warps.write((rank / 32) as usize, warp_total);
        }
        thread::sync_threads();
        let mut block = warps.scan::<V, O, FullWarps>();
        if rank == 0 {
            publish(tile, block.total);
        }
        while next < in_rows {
            // asked for now, needed at the end of the round
            let mut number = after;
            if rank + 1 == threads && after < job.tiles {
                number = take();
            }
            let next_rows = Rows::<I, N, ROWS>::unstage(room);
            // a thread stages where it alone has read
            if after < in_rows {
                Rows::<I, N, ROWS>::stage(input, after as u64 * job.tile, room);
            }
            let (next_before, warp_total) = next_rows.scan_warp::<V, O>();
            // everybody has read what the warps wrote in the last round
            thread::sync_threads();
            if warp::lane() == 0 {
                warps.write((rank / 32) as usize, warp_total);
            }
            thread::sync_threads();
            let next_block = warps.scan::<V, O, FullWarps>();
            if rank == 0 {
                publish(next, next_block.total);
            }
            if rank < 32 {
                resolve(tile, block.total, false);
            }
            if rank + 1 == threads {
                numbers.write(0, number);
            }
            thread::sync_threads();
            let prefix = O::combine(prefixes.read::<V>(0), block.before);
            rows.write::<V, O>(prefix, &before, inclusive, output, tile as u64 * job.tile);
            (tile, next, after) = (next, after, numbers.read(0));
            (rows, before, block) = (next_rows, next_before, next_block);
        }
        if rank < 32 {
            resolve(tile, block.total, false);
        }
        thread::sync_threads();
        let prefix = O::combine(prefixes.read::<V>(0), block.before);
        rows.write::<V, O>(prefix, &before, inclusive, output, tile as u64 * job.tile);
        (tile, next) = (next, after);
        // before others write where this was read
        thread::sync_threads();
    }
    // what is not held in registers: the last tile, or all of them
    while tile < job.tiles {
        let mut number = after;
        if rank + 1 == threads && after < job.tiles {
            number = take();
        }
        let (start, end) = job.bounds(tile);
        let stretch = Stretch::new(start, end);
        let block = stretch.scan_block::<I, V, O>(input);
        if rank == 0 {
            publish(tile, block.total);
        }
        if rank < 32 {
            resolve(tile, block.total, true);
        }
        if rank + 1 == threads {
            numbers.write(0, number);
        }
        thread::sync_threads();
        let prefix = O::combine(prefixes.read::<V>(0), block.before);
        stretch.scan::<I, V, O, V>(input, prefix, output, |_, before, through| {
            if inclusive { through } else { before }
        });
        (tile, next, after) = (next, after, numbers.read(0));
        // before others write where this was read
        thread::sync_threads();
    }
}

/// The dynamic shared memory as room for `len` elements.
#[inline(always)]
fn staging_room<I: Copy>(len: usize) -> SharedView<I> {
    // SAFETY: the launch gives as much.
    unsafe { SharedView::from_raw_parts(dynamic_shared_mem::<I>(), len) }
}
