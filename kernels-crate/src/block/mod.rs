//! Collective operations of a block.
//!
//! Blocks are one-dimensional, of any size up to 1024 threads. Every thread of the block must call
//! these functions. A block of one thread shares nothing and never waits.

use crate::{
    operator::{Operator, Sum, Value},
    warp::{self, AnyWarps, Warps},
};
use cuda_std::{SharedView, shared_view, thread};

/// Result of a scan over a block for one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockScan<V> {
    /// Combination of the values of all threads before the calling one.
    pub before: V,
    /// Combination of the values of all threads of the block.
    pub total: V,
}

/// Result of a sum over a block for one thread.
pub type BlockSum = BlockScan<u64>;

/// Maximum number of warps of a block.
const WARPS: usize = 32;

/// Buffer for one value per warp, and one more, in block-shared memory: 528 bytes.
#[derive(Clone, Copy)]
pub struct WarpValues {
    words: SharedView<u32>,
    /// Index of the buffer's first word in the array.
    base: u32,
}

impl WarpValues {
    /// Wraps an array of [`LEN`](Self::LEN) words.
    #[inline(always)]
    pub fn new(words: SharedView<u32>) -> Self {
        Self { words, base: 0 }
    }

    /// Wraps one half of an array of `2 * LEN` words, selected by the lowest bit of `which`.
    #[inline(always)]
    pub fn double_buffered(words: SharedView<u32>, which: u32) -> Self {
        Self {
            words,
            base: (which & 1) * Self::LEN as u32,
        }
    }

    /// Length of the array in words.
    pub const LEN: usize = (WARPS + 1) * 4;

    /// Writes the value at index `at`, at most 32.
    #[inline(always)]
    pub fn write<V: Value>(&self, at: usize, value: V) {
        let mut i = 0;
        while i < V::WORDS {
            self.words
                .write(self.base as usize + i * (WARPS + 1) + at, value.word(i));
            i += 1;
        }
    }

    /// Returns the value at index `at`.
    #[inline(always)]
    pub fn read<V: Value>(&self, at: usize) -> V {
        let mut words = [0; 4];
        let mut i = 0;
        while i < V::WORDS {
            words[i] = self.words.read(self.base as usize + i * (WARPS + 1) + at);
            i += 1;
        }
        V::from_words(words)
    }

    /// Returns the combination of the values of the warps before the calling one, and of all warps,
    /// after each warp has written its value at its own index, followed by a barrier. Every warp
    /// computes it redundantly, without another barrier.
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
        // an incomplete last warp has fewer lanes than there are warps
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

/// Returns the exclusive scan over the threads of a block.
///
/// Warps scan by shuffles, then every warp scans the totals of the warps. Contains two barriers, so
/// that it can be called again immediately.
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
    let before = warp::exclusive_from_inclusive::<V, O, AnyWarps>(inclusive);
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

/// Returns the inclusive scan over the threads of a block: the calling thread's own value is the
/// last operand.
#[inline(always)]
pub fn inclusive<V: Value, O: Operator<V>>(value: V) -> V {
    O::combine(exclusive::<V, O>(value).before, value)
}

/// Combines the values of all threads in thread order. Every thread receives the result.
#[inline(always)]
pub fn reduce<V: Value, O: Operator<V>>(value: V) -> V {
    exclusive::<V, O>(value).total
}

/// Returns the exclusive sum over the threads of a block.
#[inline(always)]
pub fn exclusive_sum(value: u64) -> BlockSum {
    exclusive::<u64, Sum>(value)
}
