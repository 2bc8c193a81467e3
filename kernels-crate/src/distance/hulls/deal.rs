//! How squares of 32 places of 32 lines, or more, are dealt to warps.

use crate::arith::div_rem_u32;
use cuda_std::thread;

/// Calls `visit` with the numbers of 32 columns, of a line across them, and of 32 of its places, a
/// warp at a time.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn for_each_square(
    words: u32,
    lines: u32,
    chunks: u32,
    mut visit: impl FnMut([u32; 3]),
) {
    let count = words * lines * chunks;
    let warps = thread::block_dim_x() / 32;
    let mut item = thread::block_idx_x() * warps + thread::thread_idx_x() / 32;
    while item < count {
        let (rest, word) = div_rem_u32(item, words);
        let (line, chunk) = div_rem_u32(rest, chunks);
        visit([word, line, chunk]);
        item += thread::grid_dim_x() * warps;
    }
}
