//! Distribution of tiles of 32 positions of 32 or more scanlines over warps.

use crate::arith::div_rem_u32;
use cuda_std::thread;

/// Calls `visit` for each tile of the calling warp, with the index of its word of columns, of its
/// line across them, and of its chunk of 32 positions.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn for_each_warp_tile(
    words: u32,
    lines: u32,
    chunks: u32,
    mut visit: impl FnMut([u32; 3]),
) {
    let count = words * lines * chunks;
    let warps = thread::block_dim_x() / 32;
    let mut item = thread::block_idx_x() * warps + thread::thread_idx_x() / 32;
    while item < count {
        let (line_chunk, word) = div_rem_u32(item, words);
        let (line, chunk) = div_rem_u32(line_chunk, chunks);
        visit([word, line, chunk]);
        item += thread::grid_dim_x() * warps;
    }
}
