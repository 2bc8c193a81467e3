//! Vertices on a tile's active edges.

use super::{
    super::{
        interpolate::IndexToWorld,
        padded::PaddedGrid,
        vertices::{ActiveEdge, NormalRule, write3},
    },
    layout::{TILE_WORDS, Tile, WordLayout},
};
use crate::{
    arith::div_rem,
    grid::{X, Y, Z},
    sample::Sample,
};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Maximum number of vertices listed in shared memory at a time.
const MAX_LISTED_EDGES: u32 = 4096;

/// Packs an active edge of a tile into 15 bits: word, bit within the word, and axis.
#[inline(always)]
const fn code(word: u32, bit: u32, axis: u32) -> u16 {
    (word | bit << 8 | axis << 13) as u16
}

const _: () = assert!(TILE_WORDS == 1 << 8, "the bits of a code");

/// Mesh positions of a tile's vertices: those in its plane, then those above it.
struct VertexRanges {
    in_plane: u64,
    above: u64,
    in_plane_count: u32,
    count: u32,
}

impl VertexRanges {
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn new(tile: &Tile, layout: WordLayout, offsets: View<u64>, owns_end_plane: bool) -> Self {
        let range = |at: u64| {
            let start = offsets.read(at as usize);
            (start, (offsets.read(at as usize + 1) - start) as u32)
        };
        let (in_plane, in_plane_count) = range(tile.in_plane_index);
        let (above, above_count) = range(tile.above_index);
        let is_next_slabs_plane = tile.z == layout.end && !owns_end_plane;
        Self {
            in_plane,
            above,
            in_plane_count,
            count: if is_next_slabs_plane {
                0
            } else {
                in_plane_count + above_count
            },
        }
    }

    #[inline(always)]
    fn vertex_index(&self, vertex: u32) -> usize {
        let index = if vertex < self.in_plane_count {
            self.in_plane + vertex as u64
        } else {
            self.above + (vertex - self.in_plane_count) as u64
        };
        index as usize
    }
}

/// Lists the edges of vertices `start` and following of the tile, at most [`MAX_LISTED_EDGES`].
#[cuda_std::inline_closures]
#[inline(always)]
fn list_edges(
    tile: &Tile,
    layout: WordLayout,
    edges: View<u32>,
    in_plane_count: u32,
    start: u32,
    list: SharedView<u16>,
) {
    let first = tile.first_edge_word(layout);
    let push = |vertex: u32, code: u16| {
        // before the window the difference wraps around to a large number
        let at = vertex.wrapping_sub(start);
        if at < MAX_LISTED_EDGES {
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
                push(vertex, code(word, bit, X));
                vertex += 1;
            }
            if y >> bit & 1 != 0 {
                push(vertex, code(word, bit, Y));
                vertex += 1;
            }
            left &= left - 1;
        }
        let mut vertex = in_plane_count + (before >> 16);
        let mut left = z;
        while left != 0 {
            push(vertex, code(word, left.trailing_zeros(), Z));
            vertex += 1;
            left &= left - 1;
        }
        word += thread::block_dim_x();
    }
}

/// Calls `emit` with the axis, the lower end, and the vertex index of each of the calling thread's
/// vertices.
#[cuda_std::inline_closures]
#[inline(always)]
fn for_each_vertex(
    layout: WordLayout,
    edges: View<u32>,
    offsets: View<u64>,
    owns_end_plane: u32,
    mut emit: impl FnMut(u32, [u32; 3], usize),
) {
    let list = shared_view![u16; MAX_LISTED_EDGES as usize];
    layout.for_each_tile(div_rem, |tile| {
        let ranges = VertexRanges::new(&tile, layout, offsets, owns_end_plane != 0);
        let mut start = 0;
        while start < ranges.count {
            list_edges(&tile, layout, edges, ranges.in_plane_count, start, list);
            thread::sync_threads();
            let remaining = ranges.count - start;
            let listed = if remaining < MAX_LISTED_EDGES {
                remaining
            } else {
                MAX_LISTED_EDGES
            };
            let mut at = thread::thread_idx_x();
            while at < listed {
                let code = list.read(at as usize) as u32;
                let (y, word) = tile.row_and_word(code & (TILE_WORDS - 1));
                let x = word * 32 + (code >> 8 & 31);
                emit(code >> 13, [x, y, tile.z], ranges.vertex_index(start + at));
                at += thread::block_dim_x();
            }
            thread::sync_threads();
            start += MAX_LISTED_EDGES;
        }
    });
}

/// Writes the positions of the vertices on edges.
///
/// `plane` is the plane of the volume at plane 0 of the grid. Vertices in the plane `layout.end`
/// are written only if `owns_end_plane` is not 0.
///
/// **Mapping:** one block per tile. **Phases**, separated by barriers: (1) one word per thread:
/// read its active edges (16 bytes) and list them in shared memory in mesh order, at most 4096 at a
/// time; (2) one vertex per thread: read the samples at both ends of the edge and write three
/// coordinates.
///
/// # Safety
/// `samples` hold `padded.stored.samples()` elements, `padded.grid` is `layout.grid`; `edges` is
/// the output of [`classify_edges`](super::classify_edges), and `offsets` the exclusive scan of its
/// counts; `positions` holds three elements per vertex.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn emit_word_vertices<T: Sample>(
    samples: View<T>,
    padded: PaddedGrid,
    layout: WordLayout,
    iso: f32,
    to_world: IndexToWorld,
    plane: u32,
    edges: View<u32>,
    offsets: View<u64>,
    owns_end_plane: u32,
    positions: ViewMut<f32>,
) {
    for_each_vertex(layout, edges, offsets, owns_end_plane, |axis, low, at| {
        let edge = ActiveEdge::new(axis, low, |index| padded.value(samples, index));
        write3(
            positions,
            at,
            edge.position(edge.linear_crossing(iso), plane, &to_world),
        );
    });
}

/// Writes the positions and unit normals of the vertices on edges.
///
/// Works like [`emit_word_vertices`], but reads up to fourteen samples and writes three components
/// per vertex in addition.
///
/// # Safety
/// As for [`emit_word_vertices`]; `normals` holds three elements per vertex.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn emit_word_vertices_and_normals<T: Sample>(
    samples: View<T>,
    padded: PaddedGrid,
    layout: WordLayout,
    iso: f32,
    to_world: IndexToWorld,
    plane: u32,
    edges: View<u32>,
    offsets: View<u64>,
    owns_end_plane: u32,
    positions: ViewMut<f32>,
    rule: NormalRule,
    normals: ViewMut<f32>,
) {
    for_each_vertex(layout, edges, offsets, owns_end_plane, |axis, low, at| {
        let value = |index| padded.value(samples, index);
        let edge = ActiveEdge::new(axis, low, value);
        let crossing = edge.linear_crossing(iso);
        write3(positions, at, edge.position(crossing, plane, &to_world));
        write3(
            normals,
            at,
            edge.normal(crossing, layout.grid, &rule, value),
        );
    });
}

/// Writes the positions of the vertices at which the cubic through four samples of a grid line
/// equals the isovalue, and, unless `normals` is empty, their unit normals.
///
/// Works like [`emit_word_vertices_and_normals`], but reads up to two more samples per vertex.
///
/// # Safety
/// As for [`emit_word_vertices`]; `normals` holds three elements per vertex, or none.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn emit_cubic_word_vertices<T: Sample>(
    samples: View<T>,
    padded: PaddedGrid,
    layout: WordLayout,
    iso: f32,
    to_world: IndexToWorld,
    plane: u32,
    edges: View<u32>,
    offsets: View<u64>,
    owns_end_plane: u32,
    positions: ViewMut<f32>,
    rule: NormalRule,
    normals: ViewMut<f32>,
) {
    for_each_vertex(layout, edges, offsets, owns_end_plane, |axis, low, at| {
        let value = |index| padded.value(samples, index);
        let edge = ActiveEdge::new(axis, low, value);
        let crossing = edge.crossing(layout.grid, iso, true, value);
        write3(positions, at, edge.position(crossing, plane, &to_world));
        if !normals.is_empty() {
            write3(
                normals,
                at,
                edge.normal(crossing, layout.grid, &rule, value),
            );
        }
    });
}
