//! Active edges and occupied cells of each word, from the below bits.

use super::{
    active_bits::ActiveBits,
    corner_bits::CornerBits,
    layout::{PART_WORDS, WordLayout},
    sample_filter::SampleFilter,
    tile_counts::TileCounts,
};
use crate::{arith::div_rem_native, block};
use cuda_std::{View, ViewMut, kernel, thread};

/// Value of the argument `masked` of [`classify_edges`] if the corner of a cell with the largest
/// indices decides whether it is masked.
pub const MASKED_BY_LAST_CORNER: u32 = 2;

/// Finds the active edges and occupied cells of every word, and counts the vertices and triangles
/// they emit.
///
/// **Mapping:** one block per tile of [`TILE_WORDS`](super::TILE_WORDS) words, one word (32
/// samples, with the edges and cells whose lowest corner they are) per thread. **Shared memory:** a
/// block scan of the counts.
///
/// **Reads** per word: the below bits of the four rows around it (eight words), and, if cells may
/// be excluded (`masked` is not 0, or `exclusions[0]` is not 0), the `finite` and `unmasked` bits
/// around it. If `masked` is [`MASKED_BY_LAST_CORNER`], a cell is masked if its corner with the
/// largest indices is; otherwise if any corner is.
///
/// **Writes** per word: to `edges`, the active edges along x, y and z and, as the fourth element,
/// the number of vertices of the tile before this word: in the plane (low half) and above it (high
/// half); to `occupied`, the occupied cells. Per tile: its counts, see [`WordLayout::counts_len`].
/// If ambiguous cells are resolved, a tile with such cells is appended to `ambiguous_tiles`. Unless
/// `parts` is empty, the number of the tile's triangles before each of its
/// [`TILE_PARTS`](super::TILE_PARTS) parts. Cells excluded because of a non-finite corner are
/// counted in the second to last element of `counts`.
///
/// # Safety
/// `below` (and `finite` and `unmasked`, unless empty) hold `layout.sample_words()` elements,
/// `exclusions` one; `edges` holds four for each of `layout.edge_words()` words, `occupied` one;
/// `parts` holds `layout.parts()` elements or none, `counts` `layout.counts_len()`,
/// `ambiguous_tiles` `layout.ambiguous_tiles_len()`; all elements of the last two are 0.
#[kernel]
pub unsafe fn classify_edges(
    below: View<u32>,
    finite: View<u32>,
    unmasked: View<u32>,
    layout: WordLayout,
    masked: u32,
    exclusions: View<u64>,
    edges: ViewMut<u32>,
    occupied: ViewMut<u32>,
    parts: ViewMut<u16>,
    counts: ViewMut<u64>,
    ambiguous_tiles: ViewMut<u64>,
) {
    let has_exclusions = masked != 0 || exclusions.read(0) != 0;
    // This kernel is bound by instruction throughput: the set-up of the bit-wise division alone
    // would cost a tenth of its time.
    layout.for_each_tile(div_rem_native, |tile| {
        let first = tile.first_edge_word(layout);
        let mut before = TileCounts(0);
        let mut start = 0;
        while start < tile.words {
            let word = start + thread::thread_idx_x();
            let mut active = ActiveBits::EMPTY;
            let mut word_counts = TileCounts(0);
            if word < tile.words {
                let (y, in_row) = tile.row_and_word(word);
                let corners = CornerBits::read(below, layout, in_row, y, tile.z);
                active = ActiveBits::from_corners(&corners, layout, &tile, in_row, y);
                if has_exclusions {
                    let filter = SampleFilter {
                        finite,
                        unmasked,
                        by_last_corner: masked == MASKED_BY_LAST_CORNER,
                    };
                    let count = filter.exclude(layout, &mut active, in_row, y, tile.z);
                    if count > 0 {
                        counts.atomic_add(layout.counts_len() as usize - 2, count as u64);
                    }
                }
                word_counts = TileCounts::new(&active, &corners, layout.trilinear != 0);
            }
            let sum = block::exclusive_sum(word_counts.0);
            if word < tile.words {
                let offset = TileCounts(before.0 + sum.before);
                let [x, y, z] = active.edges;
                let at = first + word as usize;
                edges.write_vector(at * 4, [x, y, z, offset.vertices_in_halves()]);
                occupied.write(at, active.occupied);
                if word.is_multiple_of(PART_WORDS) && !parts.is_empty() {
                    let part = tile.part(layout, word / PART_WORDS);
                    parts.write(part, offset.triangles() as u16);
                }
            }
            before = TileCounts(before.0 + sum.total);
            start += thread::block_dim_x();
        }
        if thread::thread_idx_x() == 0 {
            counts.write(tile.in_plane_index as usize, before.in_plane());
            counts.write(tile.above_index as usize, before.above());
            counts.write(tile.triangles_index as usize, before.triangles());
            if layout.trilinear != 0 && before.ambiguous() > 0 {
                counts.write(tile.ambiguous_index(layout) as usize, before.ambiguous());
                let at = ambiguous_tiles.atomic_add(0, 1);
                ambiguous_tiles.write(1 + at as usize, tile.index(layout));
            }
        }
    });
}
