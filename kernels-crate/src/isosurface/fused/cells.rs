//! Cells of a tile, listed in shared memory.

use super::{super::topology::INNER, words::TILE};
use crate::{block, operator::Sum};
use cuda_std::{SharedView, thread};

/// The largest block that [`emit_shaped_triangles`](super::emit_shaped_triangles) can be launched
/// with: the cells that it takes at a time.
pub const SHAPED_BLOCK: u32 = 128;

/// Numbers that a shaped cell needs of its vertices: of its edges, and of the first inner one.
pub(super) const NUMBERS: u32 = INNER + 1;

/// Cells of a tile that a block has listed at a time, at most.
pub(super) const CELLS: u32 = 2048;

const _: () = assert!(TILE == 1 << 8, "the bits of a word in a cell's code");

/// The word and the bit of a listed cell.
#[inline(always)]
pub(super) fn word_and_bit(code: u16) -> (u32, u32) {
    (code as u32 & (TILE - 1), code as u32 >> 8)
}

/// Lists the cells number `start` and following of some words of a tile, at most [`CELLS`], as word
/// and bit; how many these words have. `cells` gives the cells of a word as bits. All threads of
/// the block call it.
#[inline(always)]
pub(super) fn list_cells(
    [first_word, end]: [u32; 2],
    start: u32,
    list: SharedView<u16>,
    cells: impl Fn(u32) -> u32,
) -> u32 {
    let mut before = 0;
    let mut round = first_word;
    while round < end {
        let word = round + thread::thread_idx_x();
        let mut left = 0;
        if word < end {
            left = cells(word);
        }
        let sum = block::exclusive::<u32, Sum>(left.count_ones());
        // before the window the difference wraps around to something large
        let mut at = (before + sum.before).wrapping_sub(start);
        while left != 0 {
            if at < CELLS {
                list.write(at as usize, (word | left.trailing_zeros() << 8) as u16);
            }
            at = at.wrapping_add(1);
            left &= left - 1;
        }
        before += sum.total;
        round += thread::block_dim_x();
    }
    before
}

/// Calls `visit` with the occupied cells of some words of a tile, from the first to before the
/// second, one for each thread at a time: whether there is one for this thread, and which of `list`
/// it is, for [`word_and_bit`]. `list` is for [`CELLS`] cells, and `occupied` gives those of a word
/// as bits. All threads of the block call it; they synchronise after each visit, and within it may.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn for_each_batch(
    words: [u32; 2],
    list: SharedView<u16>,
    occupied: impl Fn(u32) -> u32 + Copy,
    mut visit: impl FnMut(bool, usize),
) {
    let (thread, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let (mut start, mut count) = (0, u32::MAX);
    // the first of the listed cells; before any are
    let mut window = u32::MAX;
    while start < count {
        if window == u32::MAX || start + threads > window + CELLS {
            window = start;
            count = list_cells(words, window, list, occupied);
            thread::sync_threads();
        }
        let cell = start + thread;
        visit(cell < count, (cell - window) as usize);
        thread::sync_threads();
        start += threads;
    }
}
