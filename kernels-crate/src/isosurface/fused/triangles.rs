//! The triangles of a tile, from its occupied cells.

use super::{
    super::table::{MAX_TRIANGLES, TRIANGLE_EDGES_BY_ROWS, TRIANGLES_BY_ROWS},
    cells::{CELLS, NUMBERS, SHAPED_BLOCK, for_each_batch, word_and_bit},
    numbers::Numbers,
    words::{PART, TILE, Words},
};
use crate::{block, operator::Sum, sample::Count};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Cells that the threads of a block take at a time, at most: one each.
const BATCH: u32 = TILE;
/// Triangles of these at most.
const TRIANGLES: u32 = BATCH * MAX_TRIANGLES as u32;

/// An index type, and room for the vertices of the cells that a block takes at a time.
pub trait Index: Count {
    /// Twelve numbers for each cell, edge by edge, in block-shared memory.
    fn room() -> SharedView<Self>;

    /// Thirteen numbers for each cell that [`emit_shaped_triangles`](super::emit_shaped_triangles)
    /// takes at a time.
    fn shaped_room() -> SharedView<Self>;
}

/// Numbers in the room for shaped cells.
const SHAPED: usize = (NUMBERS * SHAPED_BLOCK) as usize;

impl Index for u32 {
    #[inline(always)]
    fn room() -> SharedView<u32> {
        shared_view![u32; 12 * BATCH as usize]
    }

    #[inline(always)]
    fn shaped_room() -> SharedView<u32> {
        shared_view![u32; SHAPED]
    }
}

impl Index for u64 {
    #[inline(always)]
    fn room() -> SharedView<u64> {
        shared_view![u64; 12 * BATCH as usize]
    }

    #[inline(always)]
    fn shaped_room() -> SharedView<u64> {
        shared_view![u64; SHAPED]
    }
}

/// Writes the triangles, as indices of vertices: all those of tiles that have no cell for
/// [`emit_shaped_triangles`](super::emit_shaped_triangles).
///
/// `SHARING` blocks share a tile: with 1 a block takes whole tiles, with [`PARTS`](super::PARTS),
/// which is for few tiles, parts of them. Its threads take single words, read their occupied cells,
/// and list these in shared memory, up to 2048 at a time. Then each thread takes single cells: it
/// reads the active edges of the four rows around it (16 bytes each), the sign of its first corner
/// and the places of the tiles that these are in; from these it knows the cell's case and the
/// numbers of its vertices, which it puts in shared memory, as the block does with the triangles of
/// all the cells, in the order of the mesh. Last, each thread takes single corners of triangles and
/// writes one index, neighbouring threads neighbouring ones. `first_vertex` is added to every
/// index; `flip` not 0 reverses every triangle.
///
/// # Safety
/// `below` holds `words.signs()` elements; `edges`, `occupied` and, unless `SHARING` is 1, `parts`
/// are what [`classify_edges`](super::classify_edges) wrote and `places` the exclusive scan of its
/// sums; `triangles` holds three elements for each triangle. A block has at most [`TILE`] threads.
#[kernel(I = [u32, u64], SHARING = [1, 4])]
pub unsafe fn emit_word_triangles<I: Index, const SHARING: u32>(
    below: View<u32>,
    words: Words,
    edges: View<u32>,
    occupied: View<u32>,
    parts: View<u16>,
    places: View<u64>,
    first_vertex: u64,
    flip: u32,
    triangles: ViewMut<I>,
) {
    let cells = shared_view![u16; CELLS as usize];
    let list = shared_view![u32; TRIANGLES as usize];
    let vertices = I::room();
    let thread = thread::thread_idx_x();
    let before_all = places.read(words.triangle_sums() as usize);
    words.for_each_part::<SHARING>(|tile, part| {
        let place = places.read(tile.sum_triangles as usize);
        if places.read(tile.sum_triangles as usize + 1) == place
            || words.shaped != 0 && words.is_listed(tile.index(words), places)
        {
            return;
        }
        let numbers = Numbers::of(&tile, words, edges, places);
        let signs = tile.first_sign(words);
        let marked = tile.first_marked(words);
        let mut first = (place - before_all) * 3;
        let mut part_words = [0, tile.words];
        if SHARING > 1 {
            let end = (part + 1) * PART;
            part_words = [part * PART, if end < tile.words { end } else { tile.words }];
            if part_words[0] >= tile.words {
                return;
            }
            first += parts.read(tile.part(words, part)) as u64 * 3;
        }
        let occupied = |word: u32| occupied.read(marked + word as usize);
        for_each_batch(part_words, cells, occupied, |is_there, at| {
            let (mut case, mut of_cell) = (0, 0);
            if is_there {
                let (word, bit) = word_and_bit(cells.read(at));
                let sign = below.read(signs + word as usize) >> bit;
                let on_edges;
                (on_edges, case) = numbers.cell(word, bit, sign);
                of_cell = TRIANGLES_BY_ROWS[case] as u32;
                let mut edge = 0;
                while edge < 12 {
                    let index = I::narrow(first_vertex + on_edges[edge]);
                    vertices.write(edge * BATCH as usize + thread as usize, index);
                    edge += 1;
                }
            }
            let sum = block::exclusive::<u32, Sum>(of_cell);
            let mut nth = 0;
            while nth < of_cell {
                let edges = TRIANGLE_EDGES_BY_ROWS[case * 8 + (nth & 7) as usize] as u32;
                list.write((sum.before + nth) as usize, thread | edges << 8);
                nth += 1;
            }
            thread::sync_threads();
            write_listed(list, sum.total, flip, triangles, first, |of, corner| {
                vertices.read((corner * BATCH + of) as usize)
            });
            first += sum.total as u64 * 3;
        });
    });
}

/// Writes listed triangles from element `first` on: each thread single corners, neighbouring
/// threads neighbouring ones. An element of the list is a thread's number, which is less than
/// [`TILE`], and from bit 8 on a triangle of its cell, whose vertices `index` gives by thread and
/// corner.
#[inline(always)]
pub(super) fn write_listed<I: Index>(
    list: SharedView<u32>,
    count: u32,
    flip: u32,
    triangles: ViewMut<I>,
    first: u64,
    index: impl Fn(u32, u32) -> I,
) {
    let mut at = thread::thread_idx_x();
    while at < count * 3 {
        let (triangle, corner) = (at / 3, at % 3);
        let code = list.read(triangle as usize);
        let nth = if flip != 0 && corner != 0 {
            3 - corner
        } else {
            corner
        };
        let corner = code >> (8 + 5 * nth) & 31;
        triangles.write(
            (first + at as u64) as usize,
            index(code & (TILE - 1), corner),
        );
        at += thread::block_dim_x();
    }
}
