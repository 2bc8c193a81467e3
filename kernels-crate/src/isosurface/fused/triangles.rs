//! The triangles of a tile, from its occupied cells.

use super::{
    super::table::{EDGE_OWNERS, MAX_TRIANGLES, TRIANGLE_EDGES_BY_ROWS, TRIANGLES_BY_ROWS},
    mark::sign_index,
    words::{TILE, Tile, Words},
};
use crate::{
    block,
    grid::{X, Y, Z},
    sample::Count,
};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Cells of a tile at most.
const CELLS: u32 = TILE * 32;
/// Triangles of the cells that the threads of a block take at a time, at most.
const TRIANGLES: u32 = TILE * MAX_TRIANGLES as u32;

/// Axis and lower corner of each of a cell's edges, five bits each.
const OWNERS: u64 = {
    let mut owners = 0;
    let mut edge = 0;
    while edge < 12 {
        let (axis, [x, y, z]) = EDGE_OWNERS[edge];
        owners |= ((axis | x << 2 | y << 3 | z << 4) as u64) << (5 * edge);
        edge += 1;
    }
    owners
};

const _: () = assert!(
    TILE == 1 << 8,
    "the bits of a word in the codes of cells and triangles"
);

/// Lists the occupied cells of a tile in order, as word and bit; how many they are. All threads of the block call it.
#[inline(always)]
fn list_cells(tile: &Tile, words: Words, occupied: View<u32>, list: SharedView<u16>) -> u32 {
    let first = tile.first_marked(words);
    let mut before = 0;
    let mut round = 0;
    while round < tile.words {
        let word = round + thread::thread_idx_x();
        let mut cells = 0;
        if word < tile.words {
            cells = occupied.read(first + word as usize);
        }
        let sum = block::exclusive_sum(cells.count_ones() as u64);
        let mut at = before + sum.before as u32;
        while cells != 0 {
            list.write(at as usize, (word | cells.trailing_zeros() << 8) as u16);
            at += 1;
            cells &= cells - 1;
        }
        before += sum.total as u32;
        round += thread::block_dim_x();
    }
    before
}

/// The signs of a cell, row by row: the index of the tables by rows.
#[inline(always)]
fn signs_by_rows(tile: &Tile, words: Words, below: View<u32>, word: u32, bit: u32) -> usize {
    let (y, in_row) = tile.row_of(word);
    let here = sign_index(words, in_row, y, tile.z);
    let (dy, dz) = (words.per_row as usize, words.per_plane() as usize);
    let pair = |at: usize| {
        let low = below.read(at) >> bit;
        if bit < 31 {
            low & 3
        } else {
            low | (below.read(at + 1) & 1) << 1
        }
    };
    let signs =
        pair(here) | pair(here + dy) << 2 | pair(here + dz) << 4 | pair(here + dy + dz) << 6;
    signs as usize & 0xff
}

/// Lists the triangles of the cells from `start` on, one cell for each thread, as the cell and three edges; how many they are. All
/// threads of the block call it.
#[inline(always)]
fn list_triangles(
    tile: &Tile,
    words: Words,
    below: View<u32>,
    cells: SharedView<u16>,
    count: u32,
    start: u32,
    list: SharedView<u32>,
) -> u32 {
    let cell = start + thread::thread_idx_x();
    let (mut code, mut signs, mut triangles) = (0, 0, 0);
    if cell < count {
        code = cells.read(cell as usize) as u32;
        signs = signs_by_rows(tile, words, below, code & (TILE - 1), code >> 8);
        triangles = TRIANGLES_BY_ROWS[signs] as u32;
    }
    let sum = block::exclusive_sum(triangles as u64);
    let mut nth = 0;
    while nth < triangles {
        let edges = TRIANGLE_EDGES_BY_ROWS[signs * 8 + (nth & 7) as usize] as u32;
        list.write((sum.before as u32 + nth) as usize, code | edges << 13);
        nth += 1;
    }
    sum.total as u32
}

/// What the threads of a block need to know of a tile to number its vertices.
#[derive(Clone, Copy)]
struct Numbers<'a> {
    edges: View<'a, u32>,
    places: View<'a, u64>,
    per_row: u32,
    /// The tile's first word among those with marks, in its plane and in the one above.
    first: [usize; 2],
    /// The tile's sums: of the vertices in its plane, above it, and in the plane above.
    sums: [usize; 3],
}

impl<'a> Numbers<'a> {
    #[inline(always)]
    fn of(tile: &Tile, words: Words, edges: View<'a, u32>, places: View<'a, u64>) -> Self {
        let first = tile.first_marked(words);
        let sum = tile.sum_in_plane as usize;
        let tiles = words.tiles_per_plane() as usize;
        Self {
            edges,
            places,
            per_row: words.per_row,
            first: [first, first + words.per_plane() as usize],
            sums: [sum, sum + tiles, sum + 2 * tiles],
        }
    }

    /// The number of the vertex on edge `edge` of the cell at a word's bit.
    #[inline(always)]
    fn vertex(&self, word: u32, bit: u32, edge: u32) -> u64 {
        let owner = (OWNERS >> (5 * edge)) as u32 & 31;
        let (axis, dx, dy, dz) = (owner & 3, owner >> 2 & 1, owner >> 3 & 1, owner >> 4);
        let bit = bit + dx;
        // counted from the tile's first word in the edge's plane
        let word = word + bit / 32 + if dy != 0 { self.per_row } else { 0 };
        let first = if dz != 0 {
            self.first[1]
        } else {
            self.first[0]
        };
        let [x, y, z, before] = self.edges.read_vector::<4>((first + word as usize) * 4);
        let lower = (1u32 << (bit % 32)) - 1;
        let tiles_on = (word / TILE) as usize;
        if axis == Z {
            let place = self.places.read(self.sums[1] + tiles_on);
            return place + ((before >> 16) + (z & lower).count_ones()) as u64;
        }
        let sum = if dz != 0 { self.sums[2] } else { self.sums[0] };
        // the vertex on a sample's y edge comes after that on its x edge
        let lower_x = if axis == Y { lower << 1 | 1 } else { lower };
        let rank = (x & lower_x).count_ones() + (y & lower).count_ones();
        self.places.read(sum + tiles_on) + ((before & 0xffff) + rank) as u64
    }
}

const _: () = assert!(X == 0 && Y == 1 && Z == 2, "the axes in a code");

/// Writes the triangles, as indices of vertices.
///
/// A block takes whole tiles. Its threads take single words, read their occupied cells, and list these in shared memory. Then each
/// thread takes single cells from the list, reads the four to eight words with the signs of its corners, and the block lists
/// their triangles in the order of the mesh, in shared memory too. Last, each thread takes single corners of triangles: it reads
/// the active edges of the word whose edge the vertex is on (16 bytes) and the place of that word's tile, and writes one index,
/// neighbouring threads neighbouring ones. `first_vertex` is added to every index; `flip` not 0 reverses every triangle.
///
/// # Safety
/// `below` holds `words.signs()` elements; `edges` and `occupied` are what [`mark_words`](super::mark_words) wrote and `places` the
/// exclusive scan of its sums; `triangles` holds three elements for each triangle.
#[kernel(I = [u32, u64])]
pub unsafe fn emit_word_triangles<I: Count>(
    below: View<u32>,
    words: Words,
    edges: View<u32>,
    occupied: View<u32>,
    places: View<u64>,
    first_vertex: u64,
    flip: u32,
    triangles: ViewMut<I>,
) {
    let cells = shared_view![u16; CELLS as usize];
    let list = shared_view![u32; TRIANGLES as usize];
    let before_all = places.read(words.triangle_sums() as usize);
    words.for_each_tile(|tile| {
        let place = places.read(tile.sum_triangles as usize);
        if places.read(tile.sum_triangles as usize + 1) == place {
            return;
        }
        let numbers = Numbers::of(&tile, words, edges, places);
        let count = list_cells(&tile, words, occupied, cells);
        thread::sync_threads();
        let mut first = (place - before_all) * 3;
        let mut start = 0;
        while start < count {
            let listed = list_triangles(&tile, words, below, cells, count, start, list);
            thread::sync_threads();
            let mut at = thread::thread_idx_x();
            while at < listed * 3 {
                let (triangle, corner) = (at / 3, at % 3);
                let code = list.read(triangle as usize);
                let nth = if flip != 0 && corner != 0 {
                    3 - corner
                } else {
                    corner
                };
                let edge = code >> (13 + 4 * nth) & 15;
                let vertex = numbers.vertex(code & (TILE - 1), code >> 8 & 31, edge);
                let index = I::narrow(first_vertex + vertex);
                triangles.write((first + at as u64) as usize, index);
                at += thread::block_dim_x();
            }
            thread::sync_threads();
            first += listed as u64 * 3;
            start += thread::block_dim_x();
        }
    });
}
