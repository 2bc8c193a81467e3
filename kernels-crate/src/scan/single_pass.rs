//! The scan in a single pass: every element is read once and written once.

use super::{
    look_back::TileStates,
    tile::{Rows, Stretch},
};
use crate::{
    block::WarpValues,
    operator::{Lift, Operator, Value},
    warp::{self, AnyWarps, FullWarps, Warps},
};
use cuda_std::{
    SharedView, View, ViewMut, cfg::ComputeCapability, misc::max_registers,
    shared::dynamic_shared_mem, shared_view, thread,
};

/// One scan, as its blocks see it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileJob {
    /// How many elements.
    pub count: u64,
    /// Elements of a tile; the last may have fewer.
    pub tile: u64,
    /// How many tiles, at least 1: without elements there is one tile that has none.
    pub tiles: u32,
    /// The counter's value before the first tile is taken. It wraps around.
    pub first_number: u32,
    /// The number of the scan, from 1 to 2³⁰ - 1.
    pub epoch: u32,
    /// 1 if an element's own value is part of its result, else 0.
    pub inclusive: u32,
    /// Nanoseconds that a GPU waits between two looks at the tiles before; 0 for none.
    pub pause: u32,
    /// 1 if there is a block for each tile, so that none takes a second one.
    pub one_each: u32,
}

impl TileJob {
    /// First and one past the last element of a tile.
    #[inline(always)]
    fn bounds(self, tile: u32) -> (u64, u64) {
        let start = tile as u64 * self.tile;
        let rest = self.count - start;
        (
            start,
            start + if rest < self.tile { rest } else { self.tile },
        )
    }
}

/// Nothing is read ahead: other blocks of the multiprocessor have to fill the time.
pub const NOTHING: u8 = 0;
/// The next tile is read ahead into registers.
pub const REGISTERS: u8 = 1;
/// The next tile is copied ahead into dynamic shared memory, which has room for a tile.
pub const SHARED: u8 = 2;

/// Places in the block's shared array of numbers.
const NUMBERS: usize = 2;

/// The body of the single-pass kernels: scans tile after tile.
///
/// A block takes tiles by number from a counter, so that all tiles before one of its own are finished or being worked on,
/// whatever blocks the device runs at a time. While it works on one it knows the next, and has the next one's loads in
/// flight as `AHEAD` says. Each tile: its threads scan their elements among themselves; the first warp publishes the
/// tile's aggregate, looks back for what came before, and publishes its prefix; all threads write. Two barriers a tile.
///
/// A tile of `threads · N · ROWS` elements that is whole and aligned to 16 bytes is held in registers; any other is read
/// twice. A block of one thread has tiles as long as the host says, reads them twice, and waits only for the tiles before.
///
/// `total` gets everything combined.
#[inline(always)]
pub fn scan_tiles<
    I: Lift<V>,
    V: Value,
    O: Operator<V>,
    const N: usize,
    const ROWS: usize,
    const AHEAD: u8,
    const MOST_REGISTERS: u32,
>(
    input: View<I>,
    output: ViewMut<V>,
    initial: V,
    job: TileJob,
    states: ViewMut<u64>,
    total: ViewMut<V>,
) {
    // older assemblers' allocation needs more than these; there the device decides how many threads a block can have
    if ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32 {
        max_registers::<MOST_REGISTERS>();
    }
    let threads = thread::block_dim_x();
    let rank = thread::thread_idx_x();
    let states = TileStates::new(states, job.epoch);
    let numbers = shared_view![u32; NUMBERS];
    let room = WarpValues::new(shared_view![u32; WarpValues::LEN]);
    let prefix_room = WarpValues::new(shared_view![u32; WarpValues::LEN]);

    let staged = staging_room::<I>(if AHEAD == SHARED {
        Rows::<I, N, ROWS>::ITEMS * threads as usize
    } else {
        0
    });

    let rows_fit = threads.is_multiple_of(32)
        && job.tile == threads as u64 * Rows::<I, N, ROWS>::ITEMS as u64
        && (input.as_ptr() as usize).is_multiple_of(16)
        && (output.as_ptr() as usize).is_multiple_of(16);
    let tiles_in_rows = if rows_fit { whole_tiles(job) } else { 0 };
    let read = |tile: u32| {
        if tile < tiles_in_rows {
            Rows::<I, N, ROWS>::read(input, tile as u64 * job.tile)
        } else {
            Rows::filled(I::ZERO)
        }
    };

    if rank == 0 {
        take_first(states, job, numbers);
    }
    thread::sync_threads();
    let mut tile = numbers.read(0);
    let mut next = numbers.read(1);
    let mut rows = read(tile);
    while tile < tiles_in_rows {
        let ahead = if AHEAD == REGISTERS {
            read(next)
        } else {
            Rows::filled(I::ZERO)
        };
        let (before, warp_total) = rows.scan_warp::<V, O>();
        if warp::lane() == 0 {
            room.write((rank / 32) as usize, warp_total);
        }
        thread::sync_threads();
        if AHEAD == SHARED && next < tiles_in_rows {
            Rows::<I, N, ROWS>::stage(input, next as u64 * job.tile, staged);
        }
        let block = room.scan::<V, O, FullWarps>();
        let this = Tile { states, job, tile };
        this.take_after(next, numbers);
        this.resolve::<V, O, FullWarps>(block.total, initial, total, prefix_room);
        thread::sync_threads();
        let prefix = O::combine(prefix_room.read::<V>(0), block.before);
        let start = tile as u64 * job.tile;
        rows.write::<V, O>(prefix, &before, job.inclusive != 0, output, start);
        tile = next;
        next = numbers.read(0);
        rows = match AHEAD {
            REGISTERS => ahead,
            SHARED if tile < tiles_in_rows => Rows::unstage(staged),
            _ => read(tile),
        };
    }
    while tile < job.tiles {
        let (start, end) = job.bounds(tile);
        let stretch = Stretch::new(start, end);
        let block = stretch.scan_block::<I, V, O>(input);
        let this = Tile { states, job, tile };
        this.take_after(next, numbers);
        this.resolve::<V, O, AnyWarps>(block.total, initial, total, prefix_room);
        thread::sync_threads();
        let prefix = O::combine(prefix_room.read::<V>(0), block.before);
        stretch.write::<I, V, O>(input, prefix, job.inclusive != 0, output);
        tile = next;
        next = numbers.read(0);
        // before the next tile's number and prefix replace these
        thread::sync_threads();
    }
}

/// The dynamic shared memory as room for `len` elements.
#[inline(always)]
fn staging_room<I: Copy>(len: usize) -> SharedView<I> {
    // SAFETY: the launch gives as much if the kernel stages tiles; else the view is empty.
    unsafe { SharedView::from_raw_parts(dynamic_shared_mem::<I>(), len) }
}

/// Tiles that have all their elements.
#[inline(always)]
fn whole_tiles(job: TileJob) -> u32 {
    let last_is_whole = job.tiles as u64 * job.tile == job.count;
    job.tiles - !last_is_whole as u32
}

/// Takes a block's first tile, and the one after it if blocks take several.
#[inline(always)]
fn take_first(states: TileStates, job: TileJob, numbers: SharedView<u32>) {
    let first = states.take_number().wrapping_sub(job.first_number);
    let second = if job.one_each != 0 || first >= job.tiles {
        job.tiles
    } else {
        states.take_number().wrapping_sub(job.first_number)
    };
    numbers.write(0, first);
    numbers.write(1, second);
}

/// A tile that a block works on.
#[derive(Clone, Copy)]
struct Tile<'a> {
    states: TileStates<'a>,
    job: TileJob,
    tile: u32,
}

impl Tile<'_> {
    /// Takes the tile after `next`. The block's last thread does it, since the first warp has to look back.
    #[inline(always)]
    fn take_after(self, next: u32, numbers: SharedView<u32>) {
        if thread::thread_idx_x() + 1 == thread::block_dim_x() {
            let number = if next < self.job.tiles {
                self.states
                    .take_number()
                    .wrapping_sub(self.job.first_number)
            } else {
                next
            };
            numbers.write(0, number);
        }
    }

    /// Publishes the tile's aggregate, finds out what comes before it, publishes its prefix, and tells the block what comes
    /// before it. The first warp does it.
    #[inline(always)]
    fn resolve<V: Value, O: Operator<V>, W: Warps>(
        self,
        aggregate: V,
        initial: V,
        total: ViewMut<V>,
        room: WarpValues,
    ) {
        let rank = thread::thread_idx_x();
        if rank >= 32 {
            return;
        }
        let has_next = self.tile + 1 < self.job.tiles;
        let prefix = if self.tile == 0 {
            initial
        } else {
            if rank == 0 && has_next {
                self.states.publish_aggregate(self.tile, aggregate);
            }
            self.states.look_back::<V, O, W>(self.tile, self.job.pause)
        };
        if rank == 0 {
            let through = O::combine(prefix, aggregate);
            if has_next {
                self.states.publish_prefix(self.tile, through);
            } else {
                total.write(0, through);
            }
            room.write(0, prefix);
        }
    }
}
