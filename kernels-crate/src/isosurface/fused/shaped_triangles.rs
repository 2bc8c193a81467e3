//! The triangles of tiles in which some cells' triangles depend on the values of their samples.

use super::{
    super::{
        table::case_by_rows,
        topology::{INNER, MAX_TRIANGLES, Shape, table},
    },
    cells::{CELLS, SHAPED_BLOCK, for_each_batch, word_and_bit},
    classify::Corners,
    numbers::Numbers,
    triangles::{Index, write_listed},
    words::{TILE, Tile, Words},
};
use crate::{block, operator::Sum};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// The listed cells of a tile, in shared memory: for each word these cells as bits, and how many
/// come before the word.
#[derive(Clone, Copy)]
struct ShapedCells {
    masks: SharedView<u32>,
    before: SharedView<u16>,
}

impl ShapedCells {
    /// Lists those of a tile. All threads of the block call it, and synchronise before they ask for
    /// a number.
    #[inline(always)]
    fn list(&self, tile: &Tile, words: Words, below: View<u32>, occupied: View<u32>) {
        let marked = tile.first_marked(words);
        let mut before = 0;
        let mut round = 0;
        while round < tile.words {
            let word = round + thread::thread_idx_x();
            let mut mask = 0;
            if word < tile.words {
                let occupied = occupied.read(marked + word as usize);
                if occupied != 0 {
                    let (y, in_row) = tile.row_of(word);
                    mask = Corners::read(below, words, in_row, y, tile.z).listed(occupied);
                }
            }
            let sum = block::exclusive::<u32, Sum>(mask.count_ones());
            if word < tile.words {
                self.masks.write(word as usize, mask);
                self.before
                    .write(word as usize, (before + sum.before) as u16);
            }
            before += sum.total;
            round += thread::block_dim_x();
        }
    }

    /// The number of a cell among the listed ones, if it is one.
    #[inline(always)]
    fn number(&self, word: u32, bit: u32) -> Option<u32> {
        let mask = self.masks.read(word as usize);
        if mask >> bit & 1 == 0 {
            return None;
        }
        let lower = mask & ((1 << bit) - 1);
        Some(self.before.read(word as usize) as u32 + lower.count_ones())
    }
}

/// Writes the triangles of tiles that have listed cells:
/// [`emit_word_triangles`](super::emit_word_triangles) writes the others.
///
/// A block takes whole tiles with listed cells. Its threads read the signs around single words and
/// list the tile's cells whose triangles depend on values in shared memory. Then it goes on as that
/// kernel does, with up to 128 cells at a time; for such a cell a thread also reads its shape (16
/// bits), from which triangles and inner vertices follow.
///
/// # Safety
/// As for [`emit_word_triangles`](super::emit_word_triangles); `words.shaped` is 1, and `shapes` is
/// what [`emit_shapes`](super::emit_shapes) wrote. A block has at most [`SHAPED_BLOCK`] threads.
#[kernel(I = [u32, u64])]
pub unsafe fn emit_shaped_triangles<I: Index>(
    below: View<u32>,
    words: Words,
    edges: View<u32>,
    occupied: View<u32>,
    listed_tiles: View<u64>,
    places: View<u64>,
    shapes: View<u16>,
    first_vertex: u64,
    flip: u32,
    triangles: ViewMut<I>,
) {
    let cells = shared_view![u16; CELLS as usize];
    let shaped = ShapedCells {
        masks: shared_view![u32; TILE as usize],
        before: shared_view![u16; TILE as usize],
    };
    let list = shared_view![u32; SHAPED_BLOCK as usize * MAX_TRIANGLES];
    let vertices = I::shaped_room();
    let thread = thread::thread_idx_x();
    let triangles_before = places.read(words.triangle_sums() as usize);
    let shapes_before = places.read(words.listed_sums() as usize);
    words.for_each_listed_tile(listed_tiles, |tile| {
        let numbers = Numbers::of(&tile, words, edges, places);
        let signs = tile.first_sign(words);
        let marked = tile.first_marked(words);
        let mut first = (places.read(tile.sum_triangles as usize) - triangles_before) * 3;
        let first_shape = places.read(tile.sum_listed(words) as usize) - shapes_before;
        let first_shape = first_shape as usize;
        let mut inner_at = first_vertex + places.read(tile.sum_inner(words) as usize);
        shaped.list(&tile, words, below, occupied);
        let occupied = |word: u32| occupied.read(marked + word as usize);
        for_each_batch([0, tile.words], cells, occupied, |is_there, at| {
            let (mut of_cell, mut first_of_cell, mut inner) = (0, 0, 0);
            if is_there {
                let (word, bit) = word_and_bit(cells.read(at));
                let sign = below.read(signs + word as usize) >> bit;
                let (on_edges, rows) = numbers.cell(word, bit, sign);
                let mut edge = 0;
                while edge < 12 {
                    let index = I::narrow(first_vertex + on_edges[edge]);
                    vertices.write(edge * SHAPED_BLOCK as usize + thread as usize, index);
                    edge += 1;
                }
                let shape = match shaped.number(word, bit) {
                    Some(number) => Shape::unpack(shapes.read(first_shape + number as usize)),
                    None => Shape::of_case(case_by_rows(rows) as u32),
                };
                (first_of_cell, of_cell) = shape.triangles();
                inner = shape.inner_vertices();
            }
            // of a batch at most 2816 triangles and 768 inner vertices
            let sum = block::exclusive::<u32, Sum>(of_cell | inner << 16);
            if inner > 0 {
                let index = I::narrow(inner_at + (sum.before >> 16) as u64);
                vertices.write((INNER * SHAPED_BLOCK + thread) as usize, index);
            }
            let mut nth = 0;
            while nth < of_cell {
                let corners = table::triangle(first_of_cell + nth) as u32;
                let at = (sum.before & 0xffff) + nth;
                list.write(at as usize, thread | corners << 8);
                nth += 1;
            }
            thread::sync_threads();
            let in_batch = sum.total & 0xffff;
            write_listed(list, in_batch, flip, triangles, first, |of, corner| {
                let inner = corner.saturating_sub(INNER);
                let number = vertices.read(((corner - inner) * SHAPED_BLOCK + of) as usize);
                I::narrow(number.widen() + inner as u64)
            });
            first += in_batch as u64 * 3;
            inner_at += (sum.total >> 16) as u64;
        });
    });
}
