//! Lines in segments, for narrow bands: where a bound is no longer than a chunk, what is beyond the
//! next chunk cannot matter.
//!
//! A block has a segment of a line in the place of a whole one: some chunks whose outputs it makes,
//! and one more on each side, of whose places only those within the bound of the segment are looked
//! at. So a block is a few warps, and those of a chunk near a site do not have twenty others wait
//! at each barrier; most segments have nothing that counts, and are left at once.

use super::{
    goal::Goal,
    tile::{CHUNK, Tile},
};
use crate::arith::{div_rem_u32, quotient_up_u32};
use cuda_std::thread;

/// The longest bound along a line, in voxels.
pub const NARROW: u32 = CHUNK;

/// The most chunks of a segment whose outputs are made.
const MOST: u32 = 6;

/// How many segments a line of so many chunks has.
pub const fn segments(chunks: u32) -> u32 {
    chunks.div_ceil(MOST)
}

/// Chunks of each segment whose outputs are made; the last one may have fewer.
pub const fn inner(chunks: u32) -> u32 {
    chunks.div_ceil(segments(chunks))
}

/// Places of a block's tile: those of the segment, and a chunk on each side.
pub const fn places(len: u32) -> u32 {
    (inner(len.div_ceil(CHUNK)) + 2) * CHUNK
}

impl Tile {
    /// The block's tile, and the number of its 32 lines: whole ones of `len` places for each block,
    /// or where the goal has segments one of theirs.
    ///
    /// # Safety
    /// The block has the [`threads`](super::tile::threads), and the [`bytes`](super::tile::bytes)
    /// of dynamic shared memory, of `len` places, or of [`places`] of them.
    #[inline(always)]
    pub unsafe fn of_goal<G: Goal>(len: u32) -> (Self, u32) {
        let block = thread::block_idx_x();
        let all = quotient_up_u32(len, CHUNK);
        if !G::SEGMENTED {
            // SAFETY: the caller's promise.
            return (unsafe { Self::new(len, all, 0) }, block);
        }
        let (lines, segment) = div_rem_u32(block, segments(all));
        let chunks = thread::block_dim_x() / 32;
        let offset = (segment * (chunks - 2)).wrapping_sub(1).wrapping_mul(CHUNK);
        let (to_end, places) = (len.wrapping_sub(offset), chunks * CHUNK);
        let here = if to_end < places { to_end } else { places };
        // SAFETY: the caller's promise.
        (unsafe { Self::new(here, chunks, offset) }, lines)
    }

    /// Whether the chunk's outputs are made: of segments' chunks no margin, and none beyond the
    /// line.
    #[inline(always)]
    pub fn has_outputs<G: Goal>(&self) -> bool {
        !G::SEGMENTED || self.chunk != 0 && self.chunk + 1 != self.chunks && self.first() < self.len
    }

    /// Of a segment's chunk those places, the first lowest, that can matter: in its margins the
    /// ones within `apart` of the others.
    #[inline(always)]
    pub fn near_segment(&self, apart: u32) -> u32 {
        let beyond = CHUNK - if apart < CHUNK { apart } else { CHUNK };
        if self.chunk == 0 {
            ((u32::MAX as u64) << beyond) as u32
        } else if self.chunk + 1 == self.chunks {
            (u32::MAX as u64 >> beyond) as u32
        } else {
            u32::MAX
        }
    }
}
