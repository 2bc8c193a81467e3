//! Triangles of a tile's occupied cells.

use super::{
    super::table::{MAX_TRIANGLES, TRIANGLE_EDGES_BY_ROWS, TRIANGLES_BY_ROWS},
    cells::{
        MAX_AMBIGUOUS_BLOCK, MAX_LISTED_CELLS, VERTICES_PER_CELL, for_each_cell_batch, word_and_bit,
    },
    layout::{PART_WORDS, TILE_WORDS, WordLayout},
    numbering::VertexNumbering,
};
use crate::{block, operator::Sum, sample::Count};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Maximum number of cells per batch: one per thread.
const BATCH: u32 = TILE_WORDS;
/// Maximum number of triangles of a batch.
const MAX_BATCH_TRIANGLES: u32 = BATCH * MAX_TRIANGLES as u32;

/// A type of vertex indices, with the shared memory for the indices of a batch of cells.
pub trait VertexIndex: Count {
    /// Returns block-shared memory for twelve indices per cell, edge by edge.
    fn shared_vertices() -> SharedView<Self>;

    /// Returns block-shared memory for thirteen indices per cell of a batch of
    /// [`emit_ambiguous_triangles`](super::emit_ambiguous_triangles).
    fn shared_ambiguous_vertices() -> SharedView<Self>;
}

/// Number of indices per batch of [`emit_ambiguous_triangles`](super::emit_ambiguous_triangles).
const AMBIGUOUS_BATCH_VERTICES: usize = (VERTICES_PER_CELL * MAX_AMBIGUOUS_BLOCK) as usize;

impl VertexIndex for u32 {
    #[inline(always)]
    fn shared_vertices() -> SharedView<u32> {
        shared_view![u32; 12 * BATCH as usize]
    }

    #[inline(always)]
    fn shared_ambiguous_vertices() -> SharedView<u32> {
        shared_view![u32; AMBIGUOUS_BATCH_VERTICES]
    }
}

impl VertexIndex for u64 {
    #[inline(always)]
    fn shared_vertices() -> SharedView<u64> {
        shared_view![u64; 12 * BATCH as usize]
    }

    #[inline(always)]
    fn shared_ambiguous_vertices() -> SharedView<u64> {
        shared_view![u64; AMBIGUOUS_BATCH_VERTICES]
    }
}

/// Writes the triangle indices of all tiles without ambiguous cells;
/// [`emit_ambiguous_triangles`](super::emit_ambiguous_triangles) writes those of all other tiles.
///
/// `first_vertex` is added to every index; `flip` not 0 reverses the orientation of every triangle.
///
/// **Mapping:** `SHARING` blocks per tile of 256 words (1: one block per tile;
/// [`TILE_PARTS`](super::TILE_PARTS): one block per part of a tile, for volumes with few tiles).
/// **Phases**, separated by barriers: (1) one word per thread: append its occupied cells to a list
/// in shared memory, at most 2048 at a time; (2) one cell per thread: derive the cell's case and
/// its twelve vertex numbers from the active edges of the four surrounding rows (16 bytes read per
/// row), the sign of its lowest corner, and the tile offsets, and store indices and triangles in
/// shared memory in mesh order; (3) one triangle corner per thread: write one index. Writes are
/// coalesced.
///
/// # Safety
/// `below` holds `layout.sample_words()` elements; `edges`, `occupied` and, unless `SHARING` is 1,
/// `parts` are the output of [`classify_edges`](super::classify_edges), and `offsets` is the
/// exclusive scan of its counts; `triangles` holds three elements per triangle. A block has at most
/// [`TILE_WORDS`] threads.
#[kernel(I = [u32, u64], SHARING = [1, 4])]
pub unsafe fn emit_word_triangles<I: VertexIndex, const SHARING: u32>(
    below: View<u32>,
    layout: WordLayout,
    edges: View<u32>,
    occupied: View<u32>,
    parts: View<u16>,
    offsets: View<u64>,
    first_vertex: u64,
    flip: u32,
    triangles: ViewMut<I>,
) {
    let cells = shared_view![u16; MAX_LISTED_CELLS as usize];
    let list = shared_view![u32; MAX_BATCH_TRIANGLES as usize];
    let vertices = I::shared_vertices();
    let thread = thread::thread_idx_x();
    let triangles_before = offsets.read(layout.triangle_counts_start() as usize);
    layout.for_each_part::<SHARING>(|tile, part| {
        let first_offset = offsets.read(tile.triangles_index as usize);
        if offsets.read(tile.triangles_index as usize + 1) == first_offset
            || layout.trilinear != 0 && layout.has_ambiguous_cells(tile.index(layout), offsets)
        {
            return;
        }
        let numbers = VertexNumbering::new(&tile, layout, edges, offsets);
        let first_sample_word = tile.first_sample_word(layout);
        let first_edge_word = tile.first_edge_word(layout);
        let mut first = (first_offset - triangles_before) * 3;
        let mut part_words = [0, tile.words];
        if SHARING > 1 {
            let end = (part + 1) * PART_WORDS;
            part_words = [
                part * PART_WORDS,
                if end < tile.words { end } else { tile.words },
            ];
            if part_words[0] >= tile.words {
                return;
            }
            first += parts.read(tile.part(layout, part)) as u64 * 3;
        }
        let occupied = |word: u32| occupied.read(first_edge_word + word as usize);
        for_each_cell_batch(part_words, cells, occupied, |exists, at| {
            let (mut case, mut cell_triangles) = (0, 0);
            if exists {
                let (word, bit) = word_and_bit(cells.read(at));
                let below_bits = below.read(first_sample_word + word as usize) >> bit;
                let on_edges;
                (on_edges, case) = numbers.cell(word, bit, below_bits);
                cell_triangles = TRIANGLES_BY_ROWS[case] as u32;
                let mut edge = 0;
                while edge < 12 {
                    let index = I::narrow(first_vertex + on_edges[edge]);
                    vertices.write(edge * BATCH as usize + thread as usize, index);
                    edge += 1;
                }
            }
            let sum = block::exclusive::<u32, Sum>(cell_triangles);
            let mut index = 0;
            while index < cell_triangles {
                let edges = TRIANGLE_EDGES_BY_ROWS[case * 8 + (index & 7) as usize] as u32;
                list.write((sum.before + index) as usize, thread | edges << 8);
                index += 1;
            }
            thread::sync_threads();
            write_triangles(list, sum.total, flip, triangles, first, |rank, corner| {
                vertices.read((corner * BATCH + rank) as usize)
            });
            first += sum.total as u64 * 3;
        });
    });
}

/// Writes listed triangles from element `first` on, one corner per thread, coalesced.
///
/// A list element holds the number of a thread, which is less than [`TILE_WORDS`], and from bit 8
/// on a triangle of that thread's cell. `index` returns the vertex index for a thread and a corner.
#[inline(always)]
pub(super) fn write_triangles<I: VertexIndex>(
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
        let slot = if flip != 0 && corner != 0 {
            3 - corner
        } else {
            corner
        };
        let corner = code >> (8 + 5 * slot) & 31;
        triangles.write(
            (first + at as u64) as usize,
            index(code & (TILE_WORDS - 1), corner),
        );
        at += thread::block_dim_x();
    }
}
