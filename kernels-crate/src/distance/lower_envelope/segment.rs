//! Segments of scanlines, for narrow bands: if the bound is at most one chunk, no candidate beyond
//! the neighbouring chunk is within the bound.
//!
//! A block processes a segment instead of a complete line: a few chunks whose outputs it computes,
//! and one margin chunk on each side, of which only the positions within the bound of the segment
//! are considered. Blocks then consist of a few warps, so that warps near a site do not wait at
//! barriers for twenty others; most segments have no output in range and return early.

use super::{
    output::DistanceOutput,
    tile::{CHUNK, Tile},
};
use crate::arith::{div_ceil_u32, div_rem_u32};
use cuda_std::thread;

/// Largest bound along a line, in voxels.
pub const MAX_NARROW_BOUND: u32 = CHUNK;

/// Maximum number of chunks of a segment, without margins.
const MAX_SEGMENT_CHUNKS: u32 = 6;

/// Returns the number of segments of a line of `chunks` chunks.
pub const fn segment_count(chunks: u32) -> u32 {
    chunks.div_ceil(MAX_SEGMENT_CHUNKS)
}

/// Returns the number of chunks per segment, without margins; the last segment may have fewer.
pub const fn segment_chunks(chunks: u32) -> u32 {
    chunks.div_ceil(segment_count(chunks))
}

/// Returns the number of positions of a block's tile for lines of `len` positions: those of a
/// segment, plus a chunk on each side.
pub const fn tile_len(len: u32) -> u32 {
    (segment_chunks(len.div_ceil(CHUNK)) + 2) * CHUNK
}

impl<O: DistanceOutput> Tile<O> {
    /// Returns the tile of the calling block and the index of the 32 scanlines to which it belongs:
    /// complete scanlines of `len` positions, or one of their segments if the output is segmented.
    ///
    /// # Safety
    /// The block has the number of [`threads`](super::tile::threads) and the
    /// [`shared_bytes`](super::tile::shared_bytes) of dynamic shared memory for `len` positions, or
    /// for [`tile_len`] of them if segmented.
    #[inline(always)]
    pub unsafe fn for_block(len: u32) -> (Self, u32) {
        let block = thread::block_idx_x();
        let line_chunks = div_ceil_u32(len, CHUNK);
        if !O::SEGMENTED {
            // SAFETY: guaranteed by the caller.
            let tile = unsafe { Self::new(len, line_chunks, 0) };
            return (tile, block / (32 / O::SCANLINES));
        }
        let (lines, segment) = div_rem_u32(block, segment_count(line_chunks));
        let chunks = thread::block_dim_x() / 32;
        let offset = (segment * (chunks - 2)).wrapping_sub(1).wrapping_mul(CHUNK);
        let (to_line_end, tile_positions) = (len.wrapping_sub(offset), chunks * CHUNK);
        let tile_end = if to_line_end < tile_positions {
            to_line_end
        } else {
            tile_positions
        };
        // SAFETY: guaranteed by the caller.
        (unsafe { Self::new(tile_end, chunks, offset) }, lines)
    }

    /// Returns `true` if the chunk's outputs are computed: not for margins, nor past the end of the
    /// line.
    #[inline(always)]
    pub fn has_outputs(&self) -> bool {
        if !O::SEGMENTED {
            return O::SCANLINES == 32 || self.chunk < self.chunks;
        }
        self.chunk != 0 && self.chunk + 1 != self.chunks && self.chunk_start() < self.len
    }

    /// Returns a mask of the chunk's positions that may be candidates, first position lowest: in
    /// the margins, the positions within `max_step` of the segment; elsewhere, all positions.
    #[inline(always)]
    pub fn segment_mask(&self, max_step: u32) -> u32 {
        let unreachable = CHUNK - if max_step < CHUNK { max_step } else { CHUNK };
        if self.chunk == 0 {
            ((u32::MAX as u64) << unreachable) as u32
        } else if self.chunk + 1 == self.chunks {
            (u32::MAX as u64 >> unreachable) as u32
        } else {
            u32::MAX
        }
    }
}
