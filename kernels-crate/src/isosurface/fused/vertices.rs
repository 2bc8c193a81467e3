//! The vertices of a tile, from its active edges.

use super::{
    super::{
        interpolate::IndexToWorld,
        padded::Padded,
        vertices::{Ends, NormalRule, write3},
    },
    words::{TILE, Tile, Words},
};
use crate::{
    arith::div_rem,
    grid::{X, Y, Z},
    sample::Sample,
};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Vertices that a block has listed at a time.
const LIST: u32 = 4096;

/// An active edge of a tile in 15 bits: its word, its bit in the word, its axis.
#[inline(always)]
const fn code(word: u32, bit: u32, axis: u32) -> u16 {
    (word | bit << 8 | axis << 13) as u16
}

const _: () = assert!(TILE == 1 << 8, "the bits of a code");

/// Where the vertices of a tile go: those in its plane, then those above it.
struct Places {
    in_plane: u64,
    above: u64,
    in_plane_count: u32,
    count: u32,
}

impl Places {
    #[inline(always)]
    fn of(tile: &Tile, words: Words, places: View<u64>, last_plane_too: bool) -> Self {
        let range = |at: u64| {
            let start = places.read(at as usize);
            (start, (places.read(at as usize + 1) - start) as u32)
        };
        let (in_plane, in_plane_count) = range(tile.sum_in_plane);
        let (above, above_count) = range(tile.sum_above);
        let left_to_others = tile.z == words.last && !last_plane_too;
        Self {
            in_plane,
            above,
            in_plane_count,
            count: if left_to_others {
                0
            } else {
                in_plane_count + above_count
            },
        }
    }

    #[inline(always)]
    fn of_vertex(&self, vertex: u32) -> usize {
        let place = if vertex < self.in_plane_count {
            self.in_plane + vertex as u64
        } else {
            self.above + (vertex - self.in_plane_count) as u64
        };
        place as usize
    }
}

/// Lists the edges whose vertices are number `start` and following of the tile, at most [`LIST`].
#[inline(always)]
fn list_edges(
    tile: &Tile,
    words: Words,
    edges: View<u32>,
    in_plane_count: u32,
    start: u32,
    list: SharedView<u16>,
) {
    let first = tile.first_marked(words);
    let put = |vertex: u32, code: u16| {
        // before the window the difference wraps around to something large
        let at = vertex.wrapping_sub(start);
        if at < LIST {
            list.write(at as usize, code);
        }
    };
    let mut word = thread::thread_idx_x();
    while word < tile.words {
        let [x, y, z, before] = edges.read_vector::<4>((first + word as usize) * 4);
        let mut vertex = before & 0xffff;
        let mut left = x | y;
        while left != 0 {
            let bit = left.trailing_zeros();
            if x >> bit & 1 != 0 {
                put(vertex, code(word, bit, X));
                vertex += 1;
            }
            if y >> bit & 1 != 0 {
                put(vertex, code(word, bit, Y));
                vertex += 1;
            }
            left &= left - 1;
        }
        let mut vertex = in_plane_count + (before >> 16);
        let mut left = z;
        while left != 0 {
            put(vertex, code(word, left.trailing_zeros(), Z));
            vertex += 1;
            left &= left - 1;
        }
        word += thread::block_dim_x();
    }
}

/// Calls `emit` with the axis and the lower end of each of the calling thread's vertices, and with
/// its place in the mesh.
#[cuda_std::inline_closures]
#[inline(always)]
fn for_each_vertex(
    words: Words,
    edges: View<u32>,
    places: View<u64>,
    last_plane_too: u32,
    mut emit: impl FnMut(u32, [u32; 3], usize),
) {
    let list = shared_view![u16; LIST as usize];
    words.for_each_tile(div_rem, |tile| {
        let places = Places::of(&tile, words, places, last_plane_too != 0);
        let mut start = 0;
        while start < places.count {
            list_edges(&tile, words, edges, places.in_plane_count, start, list);
            thread::sync_threads();
            let rest = places.count - start;
            let listed = if rest < LIST { rest } else { LIST };
            let mut at = thread::thread_idx_x();
            while at < listed {
                let code = list.read(at as usize) as u32;
                let (y, word) = tile.row_of(code & (TILE - 1));
                let x = word * 32 + (code >> 8 & 31);
                emit(code >> 13, [x, y, tile.z], places.of_vertex(start + at));
                at += thread::block_dim_x();
            }
            thread::sync_threads();
            start += LIST;
        }
    });
}

/// Writes the positions of the vertices.
///
/// A block takes whole tiles. Its threads take single words, read their active edges (16 bytes),
/// and list the edges in shared memory in the order of the mesh, up to 4096 at a time. Then each
/// thread takes single vertices from the list: it reads the samples at both ends of the edge and
/// writes three coordinates. `plane` is what the first plane of the grid is in the volume. The
/// vertices in the plane `words.last` are left out unless `last_plane_too` is not 0.
///
/// # Safety
/// `samples` hold `padded.stored.samples()` elements, `padded.grid` is `words.grid`; `edges` is
/// what [`classify_edges`](super::classify_edges) wrote and `places` the exclusive scan of its
/// sums; `positions` holds three elements for each vertex.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn emit_word_vertices<T: Sample>(
    samples: View<T>,
    padded: Padded,
    words: Words,
    iso: f32,
    to_world: IndexToWorld,
    plane: u32,
    edges: View<u32>,
    places: View<u64>,
    last_plane_too: u32,
    positions: ViewMut<f32>,
) {
    for_each_vertex(words, edges, places, last_plane_too, |axis, low, at| {
        let ends = Ends::new(axis, low, |place| padded.value(samples, place));
        write3(
            positions,
            at,
            ends.position(ends.linear_crossing(iso), plane, &to_world),
        );
    });
}

/// Writes the positions and the unit normals of the vertices: [`emit_word_vertices`], and for each
/// vertex up to fourteen samples read and three components written more.
///
/// # Safety
/// As [`emit_word_vertices`]; `normals` holds three elements for each vertex.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn emit_word_vertices_and_normals<T: Sample>(
    samples: View<T>,
    padded: Padded,
    words: Words,
    iso: f32,
    to_world: IndexToWorld,
    plane: u32,
    edges: View<u32>,
    places: View<u64>,
    last_plane_too: u32,
    positions: ViewMut<f32>,
    rule: NormalRule,
    normals: ViewMut<f32>,
) {
    for_each_vertex(words, edges, places, last_plane_too, |axis, low, at| {
        let value = |place| padded.value(samples, place);
        let ends = Ends::new(axis, low, value);
        let crossing = ends.linear_crossing(iso);
        write3(positions, at, ends.position(crossing, plane, &to_world));
        write3(normals, at, ends.normal(crossing, words.grid, &rule, value));
    });
}

/// Writes the positions of the vertices where the cubic through four samples of a line takes the
/// isovalue, and unless `normals` is empty their unit normals: [`emit_word_vertices_and_normals`],
/// and up to two samples more for each vertex.
///
/// # Safety
/// As [`emit_word_vertices`]; `normals` holds three elements for each vertex, or none.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn emit_cubic_word_vertices<T: Sample>(
    samples: View<T>,
    padded: Padded,
    words: Words,
    iso: f32,
    to_world: IndexToWorld,
    plane: u32,
    edges: View<u32>,
    places: View<u64>,
    last_plane_too: u32,
    positions: ViewMut<f32>,
    rule: NormalRule,
    normals: ViewMut<f32>,
) {
    for_each_vertex(words, edges, places, last_plane_too, |axis, low, at| {
        let value = |place| padded.value(samples, place);
        let ends = Ends::new(axis, low, value);
        let crossing = ends.crossing(words.grid, iso, true, value);
        write3(positions, at, ends.position(crossing, plane, &to_world));
        if !normals.is_empty() {
            write3(normals, at, ends.normal(crossing, words.grid, &rule, value));
        }
    });
}
