//! Assignment of tiles to blocks, and the prefix of a block's tile.

use super::look_back::TileStates;
use crate::{
    block::WarpValues,
    operator::{Operator, Value},
    warp::Warps,
};
use cuda_std::{SharedView, ViewMut, shared_view, thread};

/// Parameters of one scan.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanJob {
    /// Number of elements.
    pub count: u64,
    /// Elements per tile; the last tile may have fewer.
    pub tile: u64,
    /// Number of tiles, at least 1: an empty input has one empty tile.
    pub tiles: u32,
    /// Value of the tile counter before the first tile is drawn. The counter wraps around.
    pub counter_start: u32,
    /// Number of the scan, from 1 to 2³⁰ - 1, which tags the tile states.
    pub epoch: u32,
    /// 1 for an inclusive scan, 0 for an exclusive scan.
    pub inclusive: u32,
    /// 1 if there is a block per tile, so that no block draws a second tile. 64 bits wide, so that
    /// the structure has no padding.
    pub one_tile_per_block: u64,
}

impl ScanJob {
    /// Returns the first and one past the last element of a tile.
    #[inline(always)]
    pub fn bounds(self, tile: u32) -> (u64, u64) {
        let start = tile as u64 * self.tile;
        let remaining = self.count - start;
        (
            start,
            start
                + if remaining < self.tile {
                    remaining
                } else {
                    self.tile
                },
        )
    }

    /// Returns the number of tiles that are complete.
    #[inline(always)]
    pub fn complete_tiles(self) -> u32 {
        let last_is_whole = self.tiles as u64 * self.tile == self.count;
        self.tiles - !last_is_whole as u32
    }
}

/// Number of tiles that a block draws at its start.
pub const INITIAL_TILES: usize = 3;

/// Length of the ring of tile numbers: the number of one round is stored while that of the previous
/// round is read. Its 16 bytes also shift the start of the dynamic shared memory behind it to the
/// middle of a line; without this shift, copies into it take 10 % longer.
const RING_LEN: usize = 4;

/// Dynamic tile scheduler of a block: the tile in progress, and the two after it.
///
/// Tile numbers are drawn from a global counter, so that all tiles before a block's tile are
/// finished or in progress, no matter which blocks the device runs concurrently. A block processes
/// its tiles in ascending order; therefore the first unfinished tile of the whole scan is always in
/// progress and waits for no other.
#[derive(Clone, Copy)]
pub struct TileScheduler<'a> {
    states: TileStates<'a>,
    job: ScanJob,
    numbers: SharedView<u32>,
    prefix: WarpValues,
    /// Number of the tile in progress; the block is done if it is at least [`ScanJob::tiles`].
    pub tile: u32,
    /// Number of the tile after `tile`.
    pub next: u32,
    /// Number of the tile after `next`.
    pub after: u32,
}

impl<'a> TileScheduler<'a> {
    /// Draws a block's first tile, and the two after it if blocks process several tiles. Every
    /// thread must call it, once; contains one barrier.
    #[inline(always)]
    pub fn start(states: ViewMut<'a, u64>, job: ScanJob) -> Self {
        let states = TileStates::new(states, job.epoch);
        let numbers = shared_view![u32; RING_LEN];
        if thread::thread_idx_x() == 0 {
            let mut number = states.draw_number().wrapping_sub(job.counter_start);
            numbers.write(0, number);
            let mut index = 1;
            while index < INITIAL_TILES {
                number = if job.one_tile_per_block != 0 {
                    job.tiles
                } else if number < job.tiles {
                    states.draw_number().wrapping_sub(job.counter_start)
                } else {
                    number
                };
                numbers.write(index, number);
                index += 1;
            }
        }
        thread::sync_threads();
        Self {
            states,
            job,
            numbers,
            prefix: WarpValues::new(shared_view![u32; WarpValues::LEN]),
            tile: numbers.read(0),
            next: numbers.read(1),
            after: numbers.read(2),
        }
    }

    /// Draws one more tile number. Only the last thread of the block draws, and only its return
    /// value is meaningful. Pass it to [`resolve`](Self::resolve) as late as possible, since the
    /// counter has a high latency. A block stops drawing after the first number beyond the last
    /// tile.
    #[inline(always)]
    pub fn draw(&self) -> u32 {
        let draws = thread::thread_idx_x() + 1 == thread::block_dim_x();
        if draws && self.after < self.job.tiles {
            self.states
                .draw_number()
                .wrapping_sub(self.job.counter_start)
        } else {
            self.after
        }
    }

    /// Draws the number after `last`, the number most recently drawn by the block, for callers that
    /// store numbers by round. One thread of the block must call it.
    #[inline(always)]
    pub fn draw_after(&self, last: u32) -> u32 {
        if last < self.job.tiles {
            self.states
                .draw_number()
                .wrapping_sub(self.job.counter_start)
        } else {
            last
        }
    }

    /// Stores the number of the block's tile of a round, until that of four rounds later is stored.
    #[inline(always)]
    pub fn store_number(&self, round: u32, number: u32) {
        self.numbers.write(round as usize % RING_LEN, number);
    }

    /// Returns the number [stored](Self::store_number) for a round. The first [`INITIAL_TILES`]
    /// rounds are stored initially.
    #[inline(always)]
    pub fn stored_number(&self, round: u32) -> u32 {
        self.numbers.read(round as usize % RING_LEN)
    }

    /// Returns the scheduler of a block that has processed its tiles by round up to, but not
    /// including, `tile`, and has drawn all of its numbers.
    #[inline(always)]
    pub fn resume_at(self, tile: u32) -> Self {
        let none = self.job.tiles;
        Self {
            tile,
            next: none,
            after: none,
            ..self
        }
    }

    /// Publishes the aggregate of `tile`. Only the thread for which `first` is `true` does so. Tile
    /// 0 publishes its prefix instead, if single tiles have one; the last tile publishes nothing,
    /// as no tile reads it.
    #[inline(always)]
    pub fn publish<V: Value, O: Operator<V>, W: Warps>(
        &self,
        tile: u32,
        aggregate: V,
        initial: V,
        first: bool,
    ) {
        if !first || tile + 1 >= self.job.tiles {
            return;
        }
        if tile == 0 && !by_groups::<V, O, W>() {
            self.states
                .publish_prefix(0, O::combine(initial, aggregate));
        } else {
            self.states.publish_aggregate(tile, aggregate);
        }
    }

    /// Returns the exclusive prefix of the block's tile, whose `aggregate` has been
    /// [published](Self::publish). Ends with a barrier; another barrier must lie between two calls.
    ///
    /// The first warp looks back and publishes the inclusive prefix. The block with the last tile
    /// passes the total to `write_total`. `drawn` is the return value of [`draw`](Self::draw).
    #[inline(always)]
    pub fn resolve<V: Value, O: Operator<V>, W: Warps>(
        &self,
        aggregate: V,
        initial: V,
        drawn: u32,
        write_total: impl Fn(V),
    ) -> V {
        let rank = thread::thread_idx_x();
        if rank < 32 {
            let prefix =
                self.look_back::<V, O, W>(self.tile, aggregate, initial, rank == 0, write_total);
            if rank == 0 {
                self.prefix.write(0, prefix);
            }
        }
        if rank + 1 == thread::block_dim_x() {
            self.numbers.write(0, drawn);
        }
        thread::sync_threads();
        self.prefix.read(0)
    }

    /// Returns the exclusive prefix of `tile`, whose `aggregate` has been published. All lanes of
    /// one warp must call it; the lane for which `first` is `true` publishes prefixes, and passes
    /// the last tile's to `write_total`.
    #[inline(always)]
    pub fn look_back<V: Value, O: Operator<V>, W: Warps>(
        &self,
        tile: u32,
        aggregate: V,
        initial: V,
        first: bool,
        write_total: impl Fn(V),
    ) -> V {
        let prefix = if by_groups::<V, O, W>() {
            self.states.look_back_by_groups::<V, O, W>(tile, initial)
        } else if tile == 0 {
            initial
        } else if O::EXACT {
            self.states.look_back::<V, O, W>(tile)
        } else {
            self.states.look_back_in_order::<V, O, W>(tile)
        };
        if first {
            if tile + 1 == self.job.tiles {
                write_total(O::combine(prefix, aggregate));
            } else if tile != 0 && !by_groups::<V, O, W>() {
                self.states
                    .publish_prefix(tile, O::combine(prefix, aggregate));
            }
            if tile != 0 && by_groups::<V, O, W>() && TileStates::starts_group::<W>(tile) {
                self.states.publish_prefix(tile - 1, prefix);
            }
        }
        prefix
    }

    /// Advances to the next tile, after the current one has been [resolved](Self::resolve).
    #[inline(always)]
    pub fn advance(&mut self) {
        (self.tile, self.next, self.after) = (self.next, self.after, self.numbers.read(0));
    }
}

/// Returns `true` if aggregates are combined by groups of tiles. A look-back of 32-bit values,
/// whose tiles take more time, reaches a prefix among the tiles before it without waiting; and the
/// sums of groups do not fit in registers next to the tiles.
#[inline(always)]
fn by_groups<V: Value, O: Operator<V>, W: Warps>() -> bool {
    !O::EXACT && V::WORDS > 1 && !W::is_single_thread()
}
