//! How tiles are tiles to blocks, and how a block learns what comes before its tile.

use super::look_back::TileStates;
use crate::{
    block::WarpValues,
    operator::{Operator, Value},
    warp::Warps,
};
use cuda_std::{SharedView, ViewMut, shared_view, thread};

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
    /// 1 if there is a block for each tile, so that none takes a second one. As wide as makes all
    /// of the structure fields.
    pub one_each: u64,
}

impl TileJob {
    /// First and one past the last element of a tile.
    #[inline(always)]
    pub fn bounds(self, tile: u32) -> (u64, u64) {
        let start = tile as u64 * self.tile;
        let rest = self.count - start;
        (
            start,
            start + if rest < self.tile { rest } else { self.tile },
        )
    }

    /// Tiles that have all their elements.
    #[inline(always)]
    pub fn whole_tiles(self) -> u32 {
        let last_is_whole = self.tiles as u64 * self.tile == self.count;
        self.tiles - !last_is_whole as u32
    }
}

/// Tiles that a block knows of when it begins.
pub const KNOWN: usize = 3;

/// Room for the numbers of a block's tiles: that of a round is kept while that of the round before
/// is read. 16 bytes: with them the dynamic shared memory behind begins in the middle of a line,
/// without them copies into it took a tenth longer.
const RING: usize = 4;

/// The tiles of a block: the one that it works on, and the two after it.
///
/// Tiles are taken by number from a counter, so that all tiles before one that a block has are
/// finished or being worked on, whatever blocks the device runs at a time. A block works on its
/// tiles in the order of their numbers; so of all tiles that are not finished, the first is being
/// worked on and waits for none.
#[derive(Clone, Copy)]
pub struct TileScheduler<'a> {
    states: TileStates<'a>,
    job: TileJob,
    numbers: SharedView<u32>,
    prefix: WarpValues,
    /// The tile that the block works on; there is none left if it is not less than
    /// [`TileJob::tiles`].
    pub tile: u32,
    /// The one after it.
    pub next: u32,
    /// The one after that.
    pub after: u32,
}

impl<'a> TileScheduler<'a> {
    /// Takes a block's first tile, and the two after it if blocks take several. One barrier; every
    /// thread calls it, once.
    #[inline(always)]
    pub fn first(states: ViewMut<'a, u64>, job: TileJob) -> Self {
        let states = TileStates::new(states, job.epoch);
        let numbers = shared_view![u32; RING];
        if thread::thread_idx_x() == 0 {
            let mut number = states.take_number().wrapping_sub(job.first_number);
            numbers.write(0, number);
            let mut place = 1;
            while place < KNOWN {
                number = if job.one_each != 0 {
                    job.tiles
                } else if number < job.tiles {
                    states.take_number().wrapping_sub(job.first_number)
                } else {
                    number
                };
                numbers.write(place, number);
                place += 1;
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

    /// Takes one more tile. Only the block's last thread does, and only what it returns there means
    /// something: it is to be given to [`resolve`](Self::resolve), as late as possible, because the
    /// counter is far away. A block takes numbers until there is no tile with the last one.
    #[inline(always)]
    pub fn take(&self) -> u32 {
        let takes = thread::thread_idx_x() + 1 == thread::block_dim_x();
        if takes && self.after < self.job.tiles {
            self.states
                .take_number()
                .wrapping_sub(self.job.first_number)
        } else {
            self.after
        }
    }

    /// The number after `last`, the last that the block has taken, for those who keep the numbers
    /// by round. One thread of a block calls it.
    #[inline(always)]
    pub fn number_after(&self, last: u32) -> u32 {
        if last < self.job.tiles {
            self.states
                .take_number()
                .wrapping_sub(self.job.first_number)
        } else {
            last
        }
    }

    /// Keeps the number of the block's tile of a round, until four rounds later.
    #[inline(always)]
    pub fn keep_number(&self, round: u32, number: u32) {
        self.numbers.write(round as usize % RING, number);
    }

    /// The number that was [kept](Self::keep_number) for a round; the first [`KNOWN`] rounds' are.
    #[inline(always)]
    pub fn kept_number(&self, round: u32) -> u32 {
        self.numbers.read(round as usize % RING)
    }

    /// The scheduler of a block that has gone through its tiles by round as far as `tile`, the
    /// first that it has not done, and has taken all numbers that there are for it.
    #[inline(always)]
    pub fn from_round(self, tile: u32) -> Self {
        let none = self.job.tiles;
        Self {
            tile,
            next: none,
            after: none,
            ..self
        }
    }

    /// Tells the others the elements of `tile` combined. One thread of the block does it, the one
    /// that is `first`. The first tile's prefix is known at once, and nobody asks for the last
    /// one's.
    #[inline(always)]
    pub fn publish<V: Value, O: Operator<V>>(
        &self,
        tile: u32,
        aggregate: V,
        initial: V,
        first: bool,
    ) {
        if !first || tile + 1 >= self.job.tiles {
            return;
        }
        if tile == 0 {
            self.states
                .publish_prefix(0, O::combine(initial, aggregate));
        } else {
            self.states.publish_aggregate(tile, aggregate);
        }
    }

    /// What comes before the block's tile, whose elements combined are `aggregate` and
    /// [published](Self::publish). One barrier, at its end; another one must lie between two calls.
    ///
    /// The first warp looks back and publishes the prefix. The block that has the last tile gives
    /// `put_total` everything combined. `taken` is what [`take`](Self::take) returned.
    #[inline(always)]
    pub fn resolve<V: Value, O: Operator<V>, W: Warps>(
        &self,
        aggregate: V,
        initial: V,
        taken: u32,
        put_total: impl Fn(V),
    ) -> V {
        let rank = thread::thread_idx_x();
        if rank < 32 {
            let prefix =
                self.look_back::<V, O, W>(self.tile, aggregate, initial, rank == 0, put_total);
            if rank == 0 {
                self.prefix.write(0, prefix);
            }
        }
        if rank + 1 == thread::block_dim_x() {
            self.numbers.write(0, taken);
        }
        thread::sync_threads();
        self.prefix.read(0)
    }

    /// What comes before `tile`, whose elements combined are `aggregate` and published. All lanes
    /// of one warp call it; the one that is `first` publishes what goes through the tile, or gives
    /// it to `put_total` if the tile is the last.
    #[inline(always)]
    pub fn look_back<V: Value, O: Operator<V>, W: Warps>(
        &self,
        tile: u32,
        aggregate: V,
        initial: V,
        first: bool,
        put_total: impl Fn(V),
    ) -> V {
        let prefix = if tile == 0 {
            initial
        } else {
            self.states.look_back::<V, O, W>(tile)
        };
        if first {
            let through = O::combine(prefix, aggregate);
            if tile + 1 == self.job.tiles {
                put_total(through);
            } else if tile != 0 {
                self.states.publish_prefix(tile, through);
            }
        }
        prefix
    }

    /// Goes on to the next tile, once the present one is [resolved](Self::resolve).
    #[inline(always)]
    pub fn advance(&mut self) {
        (self.tile, self.next, self.after) = (self.next, self.after, self.numbers.read(0));
    }
}
