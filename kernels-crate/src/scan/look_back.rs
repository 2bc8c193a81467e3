//! What the tiles of a scan tell one another, and how a tile learns what came before it.
//!
//! After Merrill and Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back* (2016). A
//! tile publishes first its own elements combined (its aggregate), and then everything up to its
//! end combined (its prefix). A later tile walks back over aggregates until it meets a prefix.

use crate::{
    operator::{Operator, Value},
    warp::{self, Warps},
};
use core::sync::atomic::Ordering::Relaxed;
use cuda_std::{ViewMut, thread};

/// Words before the first tile's, of which the first is the counter that tiles are numbered from. A
/// line of memory, so that the counter shares none with what is looked at.
pub const HEADER: usize = 16;

/// Nothing is published yet.
const NOTHING: u32 = 0;
/// The tile's own elements combined.
const AGGREGATE: u32 = 1;
/// Everything up to the tile's end combined.
const PREFIX: u32 = 2;

/// What tiles have published.
///
/// A word of 64 bits holds 32 bits of a value, and below them a tag: the number of the scan and
/// whether it is an aggregate or a prefix. So a word is valid by itself; nothing orders it with
/// other memory, and what an earlier scan left needs no erasing. A value of several words is valid
/// if all of them bear the same tag: while one tile's aggregate becomes its prefix they may differ,
/// and then count as not published yet.
#[derive(Clone, Copy)]
pub struct TileStates<'a> {
    words: ViewMut<'a, u64>,
    epoch: u32,
}

impl<'a> TileStates<'a> {
    /// Over [`HEADER`] words and [`Value::PARTS`] for each tile. No word there bears this `epoch`,
    /// of 30 bits, yet.
    #[inline(always)]
    pub fn new(words: ViewMut<'a, u64>, epoch: u32) -> Self {
        Self { words, epoch }
    }

    /// Takes the next number from the counter.
    #[inline(always)]
    pub fn take_number(&self) -> u32 {
        self.words.atomic_add(0, 1) as u32
    }

    /// Publishes a tile's own elements combined.
    #[inline(always)]
    pub fn publish_aggregate<V: Value>(&self, tile: u32, value: V) {
        self.publish(tile, AGGREGATE, value);
    }

    /// Publishes everything up to a tile's end combined.
    #[inline(always)]
    pub fn publish_prefix<V: Value>(&self, tile: u32, value: V) {
        self.publish(tile, PREFIX, value);
    }

    #[inline(always)]
    fn publish<V: Value>(&self, tile: u32, kind: u32, value: V) {
        let first = HEADER + tile as usize * V::PARTS;
        let mut i = 0;
        while i < V::PARTS {
            let word = (value.part(i) as u64) << 32 | (self.epoch << 2 | kind) as u64;
            self.words.atomic_store(first + i, word, Relaxed);
            i += 1;
        }
    }

    /// What a tile has published last.
    #[inline(always)]
    fn read<V: Value>(&self, tile: u32) -> (u32, V) {
        let first = HEADER + tile as usize * V::PARTS;
        let mut parts = [0; 4];
        let mut tag = 0;
        let mut same = true;
        let mut i = 0;
        while i < V::PARTS {
            // two words are one access
            let words = if V::PARTS == 1 {
                [self.words.atomic_load(first, Relaxed), 0]
            } else {
                self.words.atomic_load_pair(first + i)
            };
            parts[i] = (words[0] >> 32) as u32;
            same &= i == 0 || tag == words[0] as u32;
            tag = words[0] as u32;
            if V::PARTS > 1 {
                parts[i + 1] = (words[1] >> 32) as u32;
                same &= tag == words[1] as u32;
            }
            i += 2;
        }
        let kind = if same && tag >> 2 == self.epoch {
            tag & 3
        } else {
            NOTHING
        };
        (kind, V::from_parts(parts))
    }

    /// Everything before `tile` combined, from what the tiles before it have published. `tile` is
    /// not 0.
    ///
    /// The first warp of a block calls it, all lanes together. They look at as many tiles at a time
    /// as there are lanes, the nearest first, and wait for those that have published nothing. It
    /// ends because tile 0 publishes its prefix without looking, and every tile before `tile` is
    /// being worked on.
    ///
    /// Where the grouping matters ([`Operator::EXACT`] is false) it waits for a prefix among the
    /// nearest tiles and adds to it one tile after the other, so that the sum does not depend on
    /// who came first.
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
                let missing = warp::ballot::<W>(kind == NOTHING);
                nearest = prefixes.trailing_zeros();
                // all lanes where there is no prefix
                let needed = prefixes ^ prefixes.wrapping_sub(1);
                if missing & needed == 0 && (O::EXACT || prefixes != 0) {
                    break;
                }
                wait();
            }
            if !O::EXACT {
                return fold_backwards::<V, O, W>(value, nearest);
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
}

/// Lets the others go on: on the CPU a thread that waits must give way each time.
#[inline(always)]
fn wait() {
    if cfg!(not(target_arch = "nvptx64")) {
        thread::nanosleep(0);
    }
}

/// The value of lane `first`, and one after the other those of the lanes down to lane 0.
#[inline(always)]
fn fold_backwards<V: Value, O: Operator<V>, W: Warps>(value: V, first: u32) -> V {
    if W::alone() {
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
