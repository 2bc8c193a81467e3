//! Lines in segments, for narrow bands: where a bound is no longer than a chunk, what is beyond the next chunk cannot matter.
//!
//! A block has a segment of a line in the place of a whole one: some chunks whose outputs it makes, and one more on each side, of whose places only those
//! within the bound of the segment are looked at. So a block is a few warps, and those of a chunk near a site do not have twenty others wait at each barrier;
//! most segments have nothing that counts, and are left at once.

use super::tile::CHUNK;

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
