//! What the threads of one block do together. No algorithm is known here.
//!
//! Blocks are one-dimensional, of any size up to 1024. Every thread of the block must call these.
//! In a block of one thread nothing is shared and nothing waits.

use crate::{
    operator::{Operator, Sum, Value},
    warp::{self, AnyWarps, Warps},
};
use cuda_std::{SharedView, shared_view, thread};

/// A thread's place in a scan over its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockScan<V> {
    /// The values of the threads before the calling one, combined.
    pub before: V,
    /// The values of all threads of the block, combined.
    pub total: V,
}

/// A thread's place in a sum over its block.
pub type BlockSum = BlockScan<u64>;

/// Warps that a block can have.
const WARPS: usize = 32;

/// Room for a value of each warp, and one more, in block-shared memory: 528 bytes.
#[derive(Clone, Copy)]
pub struct WarpValues {
    words: SharedView<u32>,
    /// The first of its words in the array.
    base: u32,
}

impl WarpValues {
    /// Over an array of [`LEN`](Self::LEN) words.
    #[inline(always)]
    pub fn new(words: SharedView<u32>) -> Self {
        Self { words, base: 0 }
    }

    /// One of the two that an array of `2 * LEN` words has room for, by the lowest bit of `which`.
    #[inline(always)]
    pub fn of_two(words: SharedView<u32>, which: u32) -> Self {
        Self {
            words,
            base: (which & 1) * Self::LEN as u32,
        }
    }

    /// Words of the array.
    pub const LEN: usize = (WARPS + 1) * 4;

    /// Puts a value into place `at`, at most 32.
    #[inline(always)]
    pub fn write<V: Value>(&self, at: usize, value: V) {
        let mut i = 0;
        while i < V::PARTS {
            self.words
                .write(self.base as usize + i * (WARPS + 1) + at, value.part(i));
            i += 1;
        }
    }

    /// The value at place `at`.
    #[inline(always)]
    pub fn read<V: Value>(&self, at: usize) -> V {
        let mut parts = [0; 4];
        let mut i = 0;
        while i < V::PARTS {
            parts[i] = self.words.read(self.base as usize + i * (WARPS + 1) + at);
            i += 1;
        }
        V::from_parts(parts)
    }

    /// The values of the warps before the calling one, and of all warps, combined: of what each
    /// wrote at its own place, with a barrier in between. Every warp works it out for itself,
    /// without another barrier.
    #[inline(always)]
    pub fn scan<V: Value, O: Operator<V>, W: Warps>(&self) -> BlockScan<V> {
        let warps = thread::block_dim_x().div_ceil(32);
        let warp = thread::thread_idx_x() / 32;
        let lane = warp::lane();
        if W::width() == 32 || W::width() >= warps {
            let value = if lane < warps {
                self.read(lane as usize)
            } else {
                O::identity()
            };
            let inclusive = warp::inclusive::<V, O, W>(value);
            let before = warp::broadcast::<V, W>(inclusive, if warp == 0 { 0 } else { warp - 1 });
            let total = warp::broadcast::<V, W>(inclusive, warps - 1);
            let before = if warp == 0 { O::identity() } else { before };
            return BlockScan { before, total };
        }
        // a short last warp has fewer lanes than there are warps
        let (mut before, mut total) = (O::identity(), O::identity());
        let mut at = 0;
        while at < warps {
            if at == warp {
                before = total;
            }
            total = O::combine(total, self.read(at as usize));
            at += 1;
        }
        BlockScan { before, total }
    }
}

/// The exclusive scan over the threads of a block.
///
/// Warps scan by shuffles, then every warp scans the values of the warps. Two barriers, so that it
/// can be called again at once.
#[inline(always)]
pub fn exclusive<V: Value, O: Operator<V>>(value: V) -> BlockScan<V> {
    let threads = thread::block_dim_x();
    if threads == 1 {
        return BlockScan {
            before: O::identity(),
            total: value,
        };
    }
    let warp_values = WarpValues::new(shared_view![u32; WarpValues::LEN]);
    let rank = thread::thread_idx_x();
    let inclusive = warp::inclusive::<V, O, AnyWarps>(value);
    let before = warp::exclusive_of::<V, O, AnyWarps>(inclusive);
    if rank % 32 == 31 || rank + 1 == threads {
        warp_values.write((rank / 32) as usize, inclusive);
    }
    thread::sync_threads();
    let warps = warp_values.scan::<V, O, AnyWarps>();
    thread::sync_threads();
    BlockScan {
        before: O::combine(warps.before, before),
        total: warps.total,
    }
}

/// The inclusive scan over the threads of a block: the calling thread's own value is the last
/// operand.
#[inline(always)]
pub fn inclusive<V: Value, O: Operator<V>>(value: V) -> V {
    O::combine(exclusive::<V, O>(value).before, value)
}

/// All threads' values combined, in the order of the threads. Every thread gets it.
#[inline(always)]
pub fn reduce<V: Value, O: Operator<V>>(value: V) -> V {
    exclusive::<V, O>(value).total
}

/// The exclusive sum over the threads of a block.
#[inline(always)]
pub fn exclusive_sum(value: u64) -> BlockSum {
    exclusive::<u64, Sum>(value)
}
