//! The triangles of a tile, from its occupied cells.

use super::{
    super::table::{EDGE_OWNERS, TRIANGLE_EDGES_BY_ROWS, TRIANGLES_BY_ROWS},
    mark::{Corners, count_triangles},
    words::{TILE, Tile, Words},
};
use crate::{
    block,
    grid::{X, Y, Z},
    sample::Count,
};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Triangles that a block has listed at a time.
const LIST: u32 = 2048;

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

/// A triangle of a tile in 25 bits: its cell's word and bit, and its three edges in the order of the mesh.
#[inline(always)]
const fn code(word: u32, bit: u32, edges: u16) -> u32 {
    word | bit << 8 | (edges as u32) << 13
}

const _: () = assert!(TILE == 1 << 8, "the bits of a code");

/// Lists the triangles number `start` and following of the tile, at most [`LIST`]. All threads of the block call it.
#[inline(always)]
fn list_triangles(
    tile: &Tile,
    words: Words,
    below: View<u32>,
    occupied: View<u32>,
    start: u32,
    list: SharedView<u32>,
) {
    let first = tile.first_marked(words);
    let mut before = 0;
    let mut round = 0;
    while round < tile.words {
        let word = round + thread::thread_idx_x();
        let mut cells = 0;
        let mut corners = Corners { rows: [[0; 2]; 4] };
        if word < tile.words {
            cells = occupied.read(first + word as usize);
            if cells != 0 {
                let (y, in_row) = tile.row_of(word);
                corners = Corners::read(below, words, in_row, y, tile.z);
            }
        }
        let sum = block::exclusive_sum(count_triangles(&corners, cells) as u64);
        let mut triangle = before + sum.before as u32;
        while cells != 0 {
            let bit = cells.trailing_zeros();
            let case = corners.by_rows(bit);
            let count = TRIANGLES_BY_ROWS[case] as u32;
            let mut nth = 0;
            while nth < count {
                // before the window the difference wraps around to something large
                let at = triangle.wrapping_sub(start);
                if at < LIST {
                    let edges = TRIANGLE_EDGES_BY_ROWS[case * 8 + (nth & 7) as usize];
                    list.write(at as usize, code(word, bit, edges));
                }
                triangle += 1;
                nth += 1;
            }
            cells &= cells - 1;
        }
        before += sum.total as u32;
        round += thread::block_dim_x();
    }
}

/// The number of the vertex on edge `edge` of the cell at bit `bit` of a tile's word.
#[inline(always)]
fn vertex_of(
    tile: &Tile,
    words: Words,
    edges: View<u32>,
    places: View<u64>,
    word: u32,
    bit: u32,
    edge: u32,
) -> u64 {
    let owner = (OWNERS >> (5 * edge)) as u32 & 31;
    let (axis, dx, dy, dz) = (owner & 3, owner >> 2 & 1, owner >> 3 & 1, owner >> 4);
    let bit = bit + dx;
    let mut in_plane = tile.first_word + (word + bit / 32) as u64;
    if dy != 0 {
        in_plane += words.per_row as u64;
    }
    let plane = (tile.z - words.first + dz) as u64;
    let at = plane * words.per_plane() + in_plane;
    let [x, y, z, before] = edges.read_vector::<4>(at as usize * 4);
    let bit = bit % 32;
    let lower = (1u32 << bit) - 1;
    let sum = 2 * plane * words.tiles_per_plane() + in_plane / TILE as u64;
    if axis == Z {
        let place = places.read((sum + words.tiles_per_plane()) as usize);
        return place + ((before >> 16) + (z & lower).count_ones()) as u64;
    }
    let place = places.read(sum as usize);
    let after_x = (axis == Y) as u32 & x >> bit;
    let rank = (x & lower).count_ones() + (y & lower).count_ones() + after_x;
    place + ((before & 0xffff) + rank) as u64
}

const _: () = assert!(X == 0 && Y == 1 && Z == 2, "the axes in a code");

/// Writes the triangles, as indices of vertices.
///
/// A block takes whole tiles. Its threads take single words, read their occupied cells and, where there are any, the signs around
/// them, and list the triangles in shared memory in the order of the mesh, up to 2048 at a time. Then each thread takes single
/// corners of triangles: it reads the active edges of the word whose edge the vertex is on (16 bytes) and the tile's
/// place, and writes one index, the calling threads neighbouring ones. `first_vertex` is added to every index; `flip` not 0
/// reverses every triangle.
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
    let list = shared_view![u32; LIST as usize];
    let before_all = places.read(words.triangle_sums() as usize);
    words.for_each_tile(|tile| {
        let place = places.read(tile.sum_triangles as usize);
        let count = (places.read(tile.sum_triangles as usize + 1) - place) as u32;
        let mut start = 0;
        while start < count {
            list_triangles(&tile, words, below, occupied, start, list);
            thread::sync_threads();
            let rest = count - start;
            let listed = if rest < LIST { rest } else { LIST };
            let first = (place - before_all + start as u64) * 3;
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
                let word = code & (TILE - 1);
                let bit = code >> 8 & 31;
                let vertex = vertex_of(&tile, words, edges, places, word, bit, edge);
                triangles.write(
                    (first + at as u64) as usize,
                    I::narrow(first_vertex + vertex),
                );
                at += thread::block_dim_x();
            }
            thread::sync_threads();
            start += LIST;
        }
    });
}
