//! Subcases and inner vertices of ambiguous cells.

use super::{
    super::{
        inner::InnerCell,
        interpolate::IndexToWorld,
        padded::PaddedGrid,
        topology::{
            CellCounts, Disambiguation, HEXAGON_VERTICES, Subcase, case_index, cell_values,
        },
        vertices::NormalRule,
    },
    cells::{MAX_LISTED_CELLS, list_cells, word_and_bit},
    corner_bits::CornerBits,
    layout::{Tile, WordLayout},
};
use crate::{block, operator::Sum, sample::Sample};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Ambiguous cells of a tile that are listed in shared memory.
#[derive(Clone, Copy)]
struct CellWindow<'a> {
    tile: &'a Tile,
    /// Cells as packed words and bits.
    cells: SharedView<u16>,
    count: u32,
    /// Index of the first of them among the tile's ambiguous cells.
    start: u32,
}

impl CellWindow<'_> {
    /// Returns the lowest corner of a cell of the window.
    #[inline(always)]
    fn cell(&self, at: u32) -> [u32; 3] {
        let (word, bit) = word_and_bit(self.cells.read(at as usize));
        self.tile.cell(word, bit)
    }

    /// Calls `visit(index, corner)` for every cell of the calling thread, with its index among the
    /// tile's ambiguous cells and its lowest corner.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(u32, [u32; 3])) {
        let mut at = thread::thread_idx_x();
        while at < self.count {
            visit(self.start + at, self.cell(at));
            at += thread::block_dim_x();
        }
    }
}

/// Calls `visit` with the `count` ambiguous cells of a tile, up to [`MAX_LISTED_CELLS`] at a time.
/// All threads of the block visit each window together.
#[cuda_std::inline_closures]
#[inline(always)]
fn for_each_window(
    tile: &Tile,
    layout: WordLayout,
    below: View<u32>,
    occupied: View<u32>,
    count: u32,
    mut visit: impl FnMut(CellWindow<'_>),
) {
    let cells = shared_view![u16; MAX_LISTED_CELLS as usize];
    let first_edge_word = tile.first_edge_word(layout);
    let mut start = 0;
    while start < count {
        list_cells([0, tile.words], start, cells, |word| {
            let occupied = occupied.read(first_edge_word + word as usize);
            if occupied == 0 {
                return 0;
            }
            let (y, in_row) = tile.row_and_word(word);
            CornerBits::read(below, layout, in_row, y, tile.z).ambiguous(occupied)
        });
        thread::sync_threads();
        let remaining = count - start;
        visit(CellWindow {
            tile,
            cells,
            count: if remaining < MAX_LISTED_CELLS {
                remaining
            } else {
                MAX_LISTED_CELLS
            },
            start,
        });
        thread::sync_threads();
        start += MAX_LISTED_CELLS;
    }
}

/// Counts the triangles and inner vertices of the ambiguous cells, according to the trilinear
/// interpolant.
///
/// **Mapping:** one block per tile with ambiguous cells. **Phases**, separated by barriers: (1) one
/// word per thread: read the below bits around it (eight words) and append its ambiguous cells to a
/// list in shared memory, at most 2048 at a time; (2) one ambiguous cell per thread: read the
/// samples at its eight corners and resolve it. The block then adds the triangles to the tile's
/// triangle count and writes its inner vertex count. Cell counts by kind, and the number of
/// ambiguous cells, are added to `totals`.
///
/// # Safety
/// `samples` hold `padded.stored.samples()` elements, `padded.grid` is `layout.grid`, and
/// `layout.trilinear` is 1; `below` holds `layout.sample_words()` elements; `occupied`, `counts`
/// and `ambiguous_tiles` are the output of [`classify_edges`](super::classify_edges); `totals` has
/// [`CellCounts::TOTALS`] elements, and one more for the ambiguous cells.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn count_subcases<T: Sample>(
    samples: View<T>,
    padded: PaddedGrid,
    layout: WordLayout,
    iso: f32,
    below: View<u32>,
    occupied: View<u32>,
    ambiguous_tiles: View<u64>,
    counts: ViewMut<u64>,
    totals: ViewMut<u64>,
) {
    layout.for_each_ambiguous_tile(ambiguous_tiles, |tile| {
        let count = counts.read(tile.ambiguous_index(layout) as usize) as u32;
        let mut statistics = CellCounts::default();
        let mut triangles = 0;
        for_each_window(&tile, layout, below, occupied, count, |window| {
            window.for_each(|_, cell| {
                let values = cell_values(cell, iso, |index| padded.value(samples, index));
                let case = case_index(&values);
                let (subcase, tunnel_tested) = Subcase::resolve(&values, case);
                statistics = statistics.plus(CellCounts::from_cell(case, subcase, tunnel_tested));
                triangles += subcase.triangles().1;
            });
        });
        let statistics = CellCounts::from_packed(block::exclusive_sum(statistics.packed()).total);
        let triangles = block::exclusive_sum(triangles as u64).total;
        if thread::thread_idx_x() == 0 {
            let at = tile.triangles_index as usize;
            counts.write(at, counts.read(at) + triangles);
            counts.write(
                tile.inner_index(layout) as usize,
                statistics.inner_vertices(),
            );
            statistics.add_to(totals);
            totals.atomic_add(CellCounts::TOTALS, count as u64);
        }
    });
}

/// Writes the subcases of the ambiguous cells, in mesh order.
///
/// **Mapping** and phases as for [`count_subcases`]. **Traffic** per ambiguous cell: the samples at
/// its eight corners read, 16 bits written.
///
/// # Safety
/// As for [`count_subcases`]; `offsets` is the exclusive scan of the counts that it left;
/// `subcases` has one element per ambiguous cell.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn emit_subcases<T: Sample>(
    samples: View<T>,
    padded: PaddedGrid,
    layout: WordLayout,
    iso: f32,
    below: View<u32>,
    occupied: View<u32>,
    ambiguous_tiles: View<u64>,
    offsets: View<u64>,
    subcases: ViewMut<u16>,
) {
    let ambiguous_before = offsets.read(layout.ambiguous_counts_start() as usize);
    layout.for_each_ambiguous_tile(ambiguous_tiles, |tile| {
        let at = tile.ambiguous_index(layout) as usize;
        let first_offset = offsets.read(at);
        let count = (offsets.read(at + 1) - first_offset) as u32;
        let first = (first_offset - ambiguous_before) as usize;
        for_each_window(&tile, layout, below, occupied, count, |window| {
            window.for_each(|index, cell| {
                let values = cell_values(cell, iso, |index| padded.value(samples, index));
                let subcase = Subcase::from_values(&values, Disambiguation::Trilinear);
                subcases.write(first + index as usize, subcase.pack());
            });
        });
    });
}

/// Position of the inner vertex count in a packed cell with inner vertices: the low bits hold the
/// index of the cell in the window, the high bits the number of inner vertices of the window before
/// it.
const CELL_BITS: u32 = MAX_LISTED_CELLS.trailing_zeros();

const _: () = assert!(
    MAX_LISTED_CELLS.is_power_of_two()
        && MAX_LISTED_CELLS * HEXAGON_VERTICES <= 1 << (32 - CELL_BITS)
);

/// Writes the positions of the inner vertices and, unless `normals` is empty, their normals.
///
/// `plane` is the plane of the volume at plane 0 of the grid.
///
/// **Mapping:** one block per tile with inner vertices. **Phases**, separated by barriers: (1) as
/// phase 1 of [`count_subcases`]; (2) one ambiguous cell per thread: read its subcase and append it
/// to a second list in shared memory if it has inner vertices; (3) one listed cell per thread: read
/// the samples at its eight corners (for normals up to 32 samples more), and write three components
/// per vertex and attribute.
///
/// # Safety
/// As for [`emit_subcases`], which wrote `subcases`; `positions` has three elements per vertex, and
/// `normals` as many or none.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn emit_inner_word_vertices<T: Sample>(
    samples: View<T>,
    padded: PaddedGrid,
    layout: WordLayout,
    iso: f32,
    to_world: IndexToWorld,
    plane: u32,
    rule: NormalRule,
    below: View<u32>,
    occupied: View<u32>,
    ambiguous_tiles: View<u64>,
    offsets: View<u64>,
    subcases: View<u16>,
    positions: ViewMut<f32>,
    normals: ViewMut<f32>,
) {
    let with_inner = shared_view![u32; MAX_LISTED_CELLS as usize];
    let (thread, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let ambiguous_before = offsets.read(layout.ambiguous_counts_start() as usize);
    let value = |index| padded.value(samples, index);
    layout.for_each_ambiguous_tile(ambiguous_tiles, |tile| {
        let at = tile.inner_index(layout) as usize;
        let mut first_vertex = offsets.read(at);
        if offsets.read(at + 1) == first_vertex {
            return;
        }
        let at = tile.ambiguous_index(layout) as usize;
        let first_offset = offsets.read(at);
        let count = (offsets.read(at + 1) - first_offset) as u32;
        let first = (first_offset - ambiguous_before) as usize;
        for_each_window(&tile, layout, below, occupied, count, |window| {
            let read_subcase =
                |at: u32| Subcase::unpack(subcases.read(first + (window.start + at) as usize));
            // cells in the low half, inner vertices in the high half
            let mut before = 0u32;
            let mut start = 0;
            while start < window.count {
                let at = start + thread;
                let mut inner = 0;
                if at < window.count {
                    inner = read_subcase(at).inner_vertices();
                }
                let sum = block::exclusive::<u32, Sum>((inner > 0) as u32 | inner << 16);
                let counts = before + sum.before;
                if inner > 0 {
                    let code = at | (counts >> 16) << CELL_BITS;
                    with_inner.write((counts & 0xffff) as usize, code);
                }
                before += sum.total;
                start += threads;
            }
            thread::sync_threads();
            let mut index = thread;
            while index < before & 0xffff {
                let code = with_inner.read(index as usize);
                let at = code & (MAX_LISTED_CELLS - 1);
                let low = window.cell(at);
                let values = cell_values(low, iso, value);
                let cell = InnerCell::new(low, &values, read_subcase(at));
                let vertex = (first_vertex + (code >> CELL_BITS) as u64) as usize;
                cell.write(
                    vertex,
                    (plane, &to_world, positions),
                    (layout.grid, &rule, normals),
                    value,
                );
                index += threads;
            }
            first_vertex += (before >> 16) as u64;
        });
    });
}
