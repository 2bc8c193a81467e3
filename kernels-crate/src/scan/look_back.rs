//! Decoupled look-back (Merrill and Garland 2016, *Single-pass Parallel Prefix Scan with Decoupled
//! Look-back*).
//!
//! A tile first publishes its *aggregate*, the combination of its own elements, and later its
//! *inclusive prefix*, the combination of all elements up to its end. A later tile walks back over
//! aggregates until it reaches a prefix.

use crate::{
    operator::{Operator, Value},
    warp::{self, Warps},
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{ViewMut, thread};

/// Number of words before those of the first tile. The first word is the counter from which tile
/// numbers are drawn. The header fills a cache line, so that the counter and the polled states are
/// in different lines.
pub const HEADER: usize = 16;

/// State of a tile that has published nothing.
const UNPUBLISHED: u32 = 0;
/// State of a tile that has published its aggregate.
const AGGREGATE: u32 = 1;
/// State of a tile that has published its inclusive prefix.
const PREFIX: u32 = 2;

/// Published states of the tiles: one status word per 32 bits of a tile's value.
///
/// | bits of a status word | contents |
/// | --- | --- |
/// | 63 to 32 | 32 bits of the value |
/// | 31 to 2 | epoch: the number of the scan |
/// | 1 to 0 | state: 0 unpublished, 1 aggregate, 2 inclusive prefix |
///
/// Epoch and state form the tag of the word. A word is valid by itself: it needs no ordering with
/// other memory accesses, and states of earlier scans, which have another epoch, need no reset. A
/// value of several words is valid if all of them have the same tag. While an aggregate is being
/// replaced by a prefix, tags may differ; the tile then counts as unpublished.
#[derive(Clone, Copy)]
pub struct TileStates<'a> {
    words: ViewMut<'a, u64>,
    epoch: u32,
}

impl<'a> TileStates<'a> {
    /// Wraps a buffer of [`HEADER`] words and [`Value::WORDS`] words per tile. `epoch` has 30 bits
    /// and differs from the epochs of all words in the buffer.
    #[inline(always)]
    pub fn new(words: ViewMut<'a, u64>, epoch: u32) -> Self {
        Self { words, epoch }
    }

    /// Draws the next tile number from the counter.
    #[inline(always)]
    pub fn draw_number(&self) -> u32 {
        self.words.atomic_add(0, 1) as u32
    }

    /// Publishes the aggregate of a tile.
    #[inline(always)]
    pub fn publish_aggregate<V: Value>(&self, tile: u32, value: V) {
        self.publish(tile, AGGREGATE, value);
    }

    /// Publishes the inclusive prefix of a tile.
    #[inline(always)]
    pub fn publish_prefix<V: Value>(&self, tile: u32, value: V) {
        self.publish(tile, PREFIX, value);
    }

    #[inline(always)]
    fn publish<V: Value>(&self, tile: u32, kind: u32, value: V) {
        let first = HEADER + tile as usize * V::WORDS;
        let mut i = 0;
        while i < V::WORDS {
            let word = (value.word(i) as u64) << 32 | (self.epoch << 2 | kind) as u64;
            self.words.atomic_store(first + i, word, Relaxed);
            i += 1;
        }
    }

    /// Returns the aggregate of a tile that publishes nothing else, once it is published.
    #[inline(always)]
    pub fn wait_for_aggregate<V: Value>(&self, tile: u32) -> V {
        loop {
            let (kind, value) = self.read::<V>(tile);
            if kind != UNPUBLISHED {
                return value;
            }
            yield_thread();
        }
    }

    /// Returns the state and the value most recently published by a tile.
    #[inline(always)]
    fn read<V: Value>(&self, tile: u32) -> (u32, V) {
        let first = HEADER + tile as usize * V::WORDS;
        let mut words = [0; 4];
        let mut tag = 0;
        let mut tags_agree = true;
        let mut i = 0;
        while i < V::WORDS {
            // two words are read in one access
            let tagged = if V::WORDS == 1 {
                [self.words.atomic_load(first, Relaxed), 0]
            } else {
                self.words.atomic_load_pair(first + i)
            };
            words[i] = (tagged[0] >> 32) as u32;
            tags_agree &= i == 0 || tag == tagged[0] as u32;
            tag = tagged[0] as u32;
            if V::WORDS > 1 {
                words[i + 1] = (tagged[1] >> 32) as u32;
                tags_agree &= tag == tagged[1] as u32;
            }
            i += 2;
        }
        let kind = if tags_agree && tag >> 2 == self.epoch {
            tag & 3
        } else {
            UNPUBLISHED
        };
        (kind, V::from_words(words))
    }

    /// Returns the exclusive prefix of `tile`, computed from the published states of the tiles
    /// before it, for operators whose result does not depend on the grouping of the operands
    /// ([`Operator::EXACT`]). `tile` is not 0.
    ///
    /// All lanes of one warp of a block must call it together. They inspect a window of as many
    /// tiles as there are lanes, nearest first, and poll until the required tiles have published.
    /// This terminates because tile 0 publishes its prefix without looking back, and every tile
    /// before `tile` is finished or in progress.
    #[inline(always)]
    pub fn look_back<V: Value, O: Operator<V>, W: Warps>(&self, tile: u32) -> V {
        let lane = warp::lane();
        let mut end = tile;
        let mut after = O::identity();
        loop {
            let exists = lane < end;
            let (mut kind, mut value) = (AGGREGATE, O::identity());
            let mut nearest;
            loop {
                if exists {
                    (kind, value) = self.read::<V>(end - 1 - lane);
                }
                let prefixes = warp::ballot::<W>(kind == PREFIX);
                let missing = warp::ballot::<W>(kind == UNPUBLISHED);
                nearest = prefixes.trailing_zeros();
                // all lanes, if there is no prefix in the window
                let needed = prefixes ^ prefixes.wrapping_sub(1);
                if missing & needed == 0 {
                    break;
                }
                yield_thread();
            }
            let used = if lane <= nearest {
                value
            } else {
                O::identity()
            };
            after = O::combine(warp::reduce_backwards::<V, O, W>(used), after);
            if nearest < 32 {
                return after;
            }
            end -= W::width();
        }
    }

    /// Returns the exclusive prefix of `tile` for any operator, with the aggregates combined from
    /// left to right, so that the result does not depend on
    /// timing. `tile` is not 0, and every tile publishes its prefix.
    ///
    /// Works like [`look_back`](Self::look_back), but the warp waits for a prefix within the first
    /// window and combines it with the tiles after it one by one.
    #[inline(always)]
    pub fn look_back_in_order<V: Value, O: Operator<V>, W: Warps>(&self, tile: u32) -> V {
        let lane = warp::lane();
        let (mut kind, mut value) = (AGGREGATE, O::identity());
        loop {
            if lane < tile {
                (kind, value) = self.read::<V>(tile - 1 - lane);
            }
            let prefixes = warp::ballot::<W>(kind == PREFIX);
            let missing = warp::ballot::<W>(kind == UNPUBLISHED);
            let needed = prefixes ^ prefixes.wrapping_sub(1);
            if missing & needed == 0 && prefixes != 0 {
                return fold_backwards::<V, O, W>(value, prefixes.trailing_zeros());
            }
            yield_thread();
        }
    }

    /// Returns the exclusive prefix of `tile` for any operator. The result does not depend on
    /// timing: tiles form groups of as many consecutive tiles as a warp has lanes, the aggregates
    /// of a group are combined in a tree of fixed shape, and groups from left to right, beginning
    /// with `initial`. Only the last tile of a group has a published prefix, by the
    /// [first tile](Self::starts_group) of the next group.
    ///
    /// All lanes of one warp of a block must call it together; there are at least two. They inspect
    /// group after group, backwards from the tile's own, until the last tile of one has a prefix.
    /// Since they keep the sums of as many groups as there are lanes, they then wait for the prefix
    /// of the next one.
    #[inline(always)]
    pub fn look_back_by_groups<V: Value, O: Operator<V>, W: Warps>(
        &self,
        tile: u32,
        initial: V,
    ) -> V {
        let (lane, width) = (warp::lane(), W::width());
        // lane i holds the sum of the i-th group backwards, lane 0 that of the tiles before `tile`
        // in its group
        let mut group_sums = O::identity();
        let mut kept = 0;
        let mut prefix = loop {
            let group = tile / width - kept;
            // the last tile of a group is in lane 0
            let at = group * width + (width - 1 - lane);
            let (mut kind, mut value) = (AGGREGATE, O::identity());
            let mut ends_in_prefix;
            loop {
                if at < tile {
                    (kind, value) = self.read::<V>(at);
                }
                let missing = warp::ballot::<W>(kind == UNPUBLISHED);
                ends_in_prefix = warp::ballot::<W>(kind == PREFIX) & 1 != 0;
                if ends_in_prefix || (missing == 0 && kept < width) {
                    break;
                }
                yield_thread();
            }
            if ends_in_prefix {
                break warp::broadcast::<V, W>(value, 0);
            }
            let sum = warp::reduce_backwards::<V, O, W>(value);
            if lane == kept {
                group_sums = sum;
            }
            kept += 1;
            if group == 0 {
                break initial;
            }
        };
        while kept > 0 {
            kept -= 1;
            prefix = O::combine(prefix, warp::broadcast::<V, W>(group_sums, kept));
        }
        prefix
    }

    /// Returns `true` for the first tile of a group of
    /// [`look_back_by_groups`](Self::look_back_by_groups).
    #[inline(always)]
    pub fn starts_group<W: Warps>(tile: u32) -> bool {
        tile.is_multiple_of(W::width())
    }
}

/// Yields to other threads; required for progress on the CPU.
#[inline(always)]
fn yield_thread() {
    if cfg!(not(target_arch = "nvptx64")) {
        thread::nanosleep(0);
    }
}

/// Combines the value of lane `first` with those of the lanes below, in descending order down to
/// lane 0.
#[inline(always)]
fn fold_backwards<V: Value, O: Operator<V>, W: Warps>(value: V, first: u32) -> V {
    if W::is_single_thread() {
        return value;
    }
    let mut sum = warp::broadcast::<V, W>(value, first);
    let mut lane = first;
    while lane > 0 {
        lane -= 1;
        sum = O::combine(sum, warp::broadcast::<V, W>(value, lane));
    }
    sum
}
