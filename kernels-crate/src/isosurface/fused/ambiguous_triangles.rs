//! Triangles of tiles with ambiguous cells.

use super::{
    super::{
        table::case_by_rows,
        topology::{FIRST_INNER, MAX_TRIANGLES, Subcase, table},
    },
    cells::{MAX_AMBIGUOUS_BLOCK, MAX_LISTED_CELLS, for_each_cell_batch, word_and_bit},
    corner_bits::CornerBits,
    layout::{TILE_WORDS, Tile, WordLayout},
    numbering::VertexNumbering,
    triangles::{VertexIndex, write_triangles},
};
use crate::{block, operator::Sum};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// The ambiguous cells of a tile in shared memory: for each word its ambiguous cells as a bit mask,
/// and the number of ambiguous cells before the word.
#[derive(Clone, Copy)]
struct AmbiguousCells {
    masks: SharedView<u32>,
    before: SharedView<u16>,
}

impl AmbiguousCells {
    /// Fills the lists for a tile. All threads of the block must call it, followed by a barrier
    /// before [`index`](Self::index).
    #[inline(always)]
    fn list(&self, tile: &Tile, layout: WordLayout, below: View<u32>, occupied: View<u32>) {
        let first_edge_word = tile.first_edge_word(layout);
        let mut before = 0;
        let mut start = 0;
        while start < tile.words {
            let word = start + thread::thread_idx_x();
            let mut mask = 0;
            if word < tile.words {
                let occupied = occupied.read(first_edge_word + word as usize);
                if occupied != 0 {
                    let (y, in_row) = tile.row_and_word(word);
                    mask = CornerBits::read(below, layout, in_row, y, tile.z).ambiguous(occupied);
                }
            }
            let sum = block::exclusive::<u32, Sum>(mask.count_ones());
            if word < tile.words {
                self.masks.write(word as usize, mask);
                self.before
                    .write(word as usize, (before + sum.before) as u16);
            }
            before += sum.total;
            start += thread::block_dim_x();
        }
    }

    /// Returns the index of a cell among the tile's ambiguous cells, or `None` if it is not
    /// ambiguous.
    #[inline(always)]
    fn index(&self, word: u32, bit: u32) -> Option<u32> {
        let mask = self.masks.read(word as usize);
        if mask >> bit & 1 == 0 {
            return None;
        }
        let lower = mask & ((1 << bit) - 1);
        Some(self.before.read(word as usize) as u32 + lower.count_ones())
    }
}

/// Writes the triangles of all tiles that have ambiguous cells;
/// [`emit_word_triangles`](super::emit_word_triangles) writes those of all other tiles.
///
/// **Mapping:** one block per tile with ambiguous cells. **Phases**, separated by barriers: (1) one
/// word per thread: read the below bits around it and store its ambiguous cells in shared memory;
/// (2) to (4) as phases 1 to 3 of [`emit_word_triangles`](super::emit_word_triangles), with one
/// cell per thread and at most 128 cells per batch. For an ambiguous cell, phase 3 also reads its
/// subcase (16 bits), which determines its triangles and inner vertices. Writes are coalesced.
///
/// # Safety
/// As for [`emit_word_triangles`](super::emit_word_triangles); `layout.trilinear` is 1, and
/// `subcases` is the output of [`emit_subcases`](super::emit_subcases). A block has at most
/// [`MAX_AMBIGUOUS_BLOCK`] threads.
#[kernel(I = [u32, u64])]
pub unsafe fn emit_ambiguous_triangles<I: VertexIndex>(
    below: View<u32>,
    layout: WordLayout,
    edges: View<u32>,
    occupied: View<u32>,
    ambiguous_tiles: View<u64>,
    offsets: View<u64>,
    subcases: View<u16>,
    first_vertex: u64,
    flip: u32,
    triangles: ViewMut<I>,
) {
    let cells = shared_view![u16; MAX_LISTED_CELLS as usize];
    let ambiguous = AmbiguousCells {
        masks: shared_view![u32; TILE_WORDS as usize],
        before: shared_view![u16; TILE_WORDS as usize],
    };
    let list = shared_view![u32; MAX_AMBIGUOUS_BLOCK as usize * MAX_TRIANGLES];
    let vertices = I::shared_ambiguous_vertices();
    let rank = thread::thread_idx_x();
    let triangles_before = offsets.read(layout.triangle_counts_start() as usize);
    let subcases_before = offsets.read(layout.ambiguous_counts_start() as usize);
    layout.for_each_ambiguous_tile(ambiguous_tiles, |tile| {
        let numbers = VertexNumbering::new(&tile, layout, edges, offsets);
        let first_sample_word = tile.first_sample_word(layout);
        let first_edge_word = tile.first_edge_word(layout);
        let mut first = (offsets.read(tile.triangles_index as usize) - triangles_before) * 3;
        let first_subcase = offsets.read(tile.ambiguous_index(layout) as usize) - subcases_before;
        let first_subcase = first_subcase as usize;
        let mut next_inner = first_vertex + offsets.read(tile.inner_index(layout) as usize);
        ambiguous.list(&tile, layout, below, occupied);
        let occupied = |word: u32| occupied.read(first_edge_word + word as usize);
        for_each_cell_batch([0, tile.words], cells, occupied, |exists, at| {
            let (mut cell_triangles, mut first_of_cell, mut inner) = (0, 0, 0);
            if exists {
                let (word, bit) = word_and_bit(cells.read(at));
                let below_bits = below.read(first_sample_word + word as usize) >> bit;
                let (on_edges, rows) = numbers.cell(word, bit, below_bits);
                let mut edge = 0;
                while edge < 12 {
                    let index = I::narrow(first_vertex + on_edges[edge]);
                    vertices.write(edge * MAX_AMBIGUOUS_BLOCK as usize + rank as usize, index);
                    edge += 1;
                }
                let subcase = match ambiguous.index(word, bit) {
                    Some(number) => Subcase::unpack(subcases.read(first_subcase + number as usize)),
                    None => Subcase::from_case(case_by_rows(rows) as u32),
                };
                (first_of_cell, cell_triangles) = subcase.triangles();
                inner = subcase.inner_vertices();
            }
            // a batch has at most 2816 triangles and 768 inner vertices
            let sum = block::exclusive::<u32, Sum>(cell_triangles | inner << 16);
            if inner > 0 {
                let index = I::narrow(next_inner + (sum.before >> 16) as u64);
                vertices.write((FIRST_INNER * MAX_AMBIGUOUS_BLOCK + rank) as usize, index);
            }
            let mut index = 0;
            while index < cell_triangles {
                let corners = table::triangle(first_of_cell + index) as u32;
                let at = (sum.before & 0xffff) + index;
                list.write(at as usize, rank | corners << 8);
                index += 1;
            }
            thread::sync_threads();
            let in_batch = sum.total & 0xffff;
            write_triangles(list, in_batch, flip, triangles, first, |rank, corner| {
                let inner = corner.saturating_sub(FIRST_INNER);
                let number =
                    vertices.read(((corner - inner) * MAX_AMBIGUOUS_BLOCK + rank) as usize);
                I::narrow(number.widen() + inner as u64)
            });
            first += in_batch as u64 * 3;
            next_inner += (sum.total >> 16) as u64;
        });
    });
}
