//! Lists of a tile's cells in shared memory.

use super::{super::topology::FIRST_INNER, layout::TILE_WORDS};
use crate::{block, operator::Sum};
use cuda_std::{SharedView, thread};

/// Maximum number of threads of a block of
/// [`emit_ambiguous_triangles`](super::emit_ambiguous_triangles), which processes this many cells
/// at a time.
pub const MAX_AMBIGUOUS_BLOCK: u32 = 128;

/// Vertex numbers stored per cell: one per edge, and that of the first inner vertex.
pub(super) const VERTICES_PER_CELL: u32 = FIRST_INNER + 1;

/// Maximum number of cells listed in shared memory at a time.
pub(super) const MAX_LISTED_CELLS: u32 = 2048;

const _: () = assert!(TILE_WORDS == 1 << 8, "the bits of a word in a cell's code");

/// Unpacks the word and the bit of a listed cell.
#[inline(always)]
pub(super) fn word_and_bit(code: u16) -> (u32, u32) {
    (code as u32 & (TILE_WORDS - 1), code as u32 >> 8)
}

/// Lists cells `start` and following of the words `first_word..end` of a tile, at most
/// [`MAX_LISTED_CELLS`], as packed words and bits, and returns the total number of cells in these
/// words. `cells` returns the cells of a word as a bit mask. All threads of the block must call it.
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
        // before the window the difference wraps around to a large number
        let mut at = (before + sum.before).wrapping_sub(start);
        while left != 0 {
            if at < MAX_LISTED_CELLS {
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

/// Calls `visit(exists, index)` for the occupied cells of the words `words[0]..words[1]` of a tile,
/// in batches of one cell per thread: `index` is the position in `list` of this thread's cell, if
/// it `exists`; see [`word_and_bit`].
///
/// `list` has [`MAX_LISTED_CELLS`] elements, and `occupied` returns the occupied cells of a word as
/// a bit mask. All threads of the block must call it; there is a barrier after each batch, and
/// `visit` may contain barriers.
#[cuda_std::inline_closures]
#[inline(always)]
pub(super) fn for_each_cell_batch(
    words: [u32; 2],
    list: SharedView<u16>,
    occupied: impl Fn(u32) -> u32 + Copy,
    mut visit: impl FnMut(bool, usize),
) {
    let (thread, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let (mut start, mut count) = (0, u32::MAX);
    // index of the first listed cell; `u32::MAX` before any are listed
    let mut window = u32::MAX;
    while start < count {
        if window == u32::MAX || start + threads > window + MAX_LISTED_CELLS {
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
