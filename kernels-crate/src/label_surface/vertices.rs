//! Vertices of the surface net: their starts within the cells, and their world positions.

use super::{
    net::{AMBIGUOUS, MASKS_PER_WORD, Net, lower_bits},
    sheets::{CellNodes, NODE_WORDS, crossed_edges, mean_midpoint},
};
use crate::{isosurface::interpolate::IndexToWorld, rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Writes the start of each vertex within its cell: the mean of the midpoints of the edges that it
/// represents, in coordinates from 0 to 1.
///
/// **Mapping:** one word of 32 cells per thread, whose cells with a vertex are processed
/// sequentially, as most words have none; no shared memory. **Traffic** per word: two masks read
/// and, if the first is not empty, two or three offsets; per cell with a vertex: eight labels or,
/// if it is ambiguous, its vertex numbers read; per vertex: three coordinates, and 1 if there are
/// several vertices in the cell, else 0, written.
///
/// # Safety
/// `labels` holds `net.grid.samples()` elements, `masks` the output of
/// [`classify_label_cells`](super::classify_label_cells) for them; `cell_offsets`,
/// `ambiguous_offsets` and `extra_offsets` are the exclusive scans of the numbers of cells with a
/// vertex, of ambiguous cells, and of their further vertices (with one more element); `nodes` is
/// the output of [`assign_label_vertices`](super::assign_label_vertices); `items` counts the words
/// of `net`; `positions` has three elements per vertex, `bound` one.
#[kernel(T = [u8, u16, u32], baseline)]
pub unsafe fn place_label_vertices<T: Count>(
    labels: View<T>,
    net: Net,
    items: Items,
    masks: View<u32>,
    cell_offsets: View<u64>,
    ambiguous_offsets: View<u64>,
    extra_offsets: View<u64>,
    nodes: View<u32>,
    positions: ViewMut<f32>,
    bound: ViewMut<u8>,
) {
    items.for_each(|index| {
        let mut pending = masks.read(index * MASKS_PER_WORD);
        if pending == 0 {
            return;
        }
        let ambiguous = masks.read(index * MASKS_PER_WORD + AMBIGUOUS);
        let mut rank = ambiguous_offsets.read(index) as usize;
        let mut at = (cell_offsets.read(index) + extra_offsets.read(rank)) as usize;
        let word = net.word(index as u64);
        while pending != 0 {
            let lane = pending.trailing_zeros();
            pending &= pending - 1;
            let mut write = |edges: u32, is_bound: bool| {
                let [x, y, z] = mean_midpoint(edges);
                positions.write(at * 3, x);
                positions.write(at * 3 + 1, y);
                positions.write(at * 3 + 2, z);
                bound.write(at, is_bound as u8);
                at += 1;
            };
            if ambiguous >> lane & 1 == 0 {
                let cell = [word.x + lane, word.y, word.z];
                write(crossed_edges(&net.corner_labels(labels, cell)), false);
            } else {
                let assigned = CellNodes {
                    words: [
                        nodes.read(rank * NODE_WORDS),
                        nodes.read(rank * NODE_WORDS + 1),
                        nodes.read(rank * NODE_WORDS + 2),
                    ],
                    vertices: 1 + (extra_offsets.read(rank + 1) - extra_offsets.read(rank)) as u32,
                };
                let mut vertex = 0;
                while vertex < assigned.vertices {
                    write(assigned.vertex_edges(vertex), assigned.vertices > 1);
                    vertex += 1;
                }
                rank += 1;
            }
        }
    });
}

/// Writes the world position of each vertex.
///
/// **Mapping:** one word of 32 cells per thread, whose cells with a vertex are processed
/// sequentially, as most words have none; no shared memory. **Traffic** per word: two masks read
/// and, if the first is not empty, two or three offsets; per vertex: three coordinates read and
/// written.
///
/// # Safety
/// As for [`place_label_vertices`]; `within` and `positions` have three elements per vertex.
#[kernel(baseline)]
pub unsafe fn emit_label_vertices(
    net: Net,
    items: Items,
    masks: View<u32>,
    cell_offsets: View<u64>,
    ambiguous_offsets: View<u64>,
    extra_offsets: View<u64>,
    within: View<f32>,
    to_world: IndexToWorld,
    positions: ViewMut<f32>,
) {
    items.for_each(|index| {
        let mut pending = masks.read(index * MASKS_PER_WORD);
        if pending == 0 {
            return;
        }
        let ambiguous = masks.read(index * MASKS_PER_WORD + AMBIGUOUS);
        let first_rank = ambiguous_offsets.read(index) as usize;
        let first_extra = extra_offsets.read(first_rank);
        let mut at = (cell_offsets.read(index) + first_extra) as usize;
        let word = net.word(index as u64);
        while pending != 0 {
            let lane = pending.trailing_zeros();
            pending &= pending - 1;
            let cell = [word.x + lane, word.y, word.z];
            let mut vertices = 1;
            if ambiguous >> lane & 1 == 1 {
                let rank = first_rank + (ambiguous & lower_bits(lane)).count_ones() as usize;
                vertices += extra_offsets.read(rank + 1) - extra_offsets.read(rank);
            }
            while vertices > 0 {
                let local = [
                    within.read(at * 3) as f64,
                    within.read(at * 3 + 1) as f64,
                    within.read(at * 3 + 2) as f64,
                ];
                let [x, y, z] = net.world_position(cell, local, to_world);
                positions.write(at * 3, x);
                positions.write(at * 3 + 1, y);
                positions.write(at * 3 + 2, z);
                at += 1;
                vertices -= 1;
            }
        }
    });
}
