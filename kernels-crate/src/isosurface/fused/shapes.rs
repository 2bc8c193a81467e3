//! Cells whose triangles depend on the values of their samples, not on signs alone.

use super::{
    super::{
        inner::InnerCell,
        interpolate::IndexToWorld,
        padded::Padded,
        topology::{CellCounts, HEXAGON, Rule, Shape, case, cell_values},
        vertices::NormalRule,
    },
    cells::{CELLS, list_cells, word_and_bit},
    classify::Corners,
    words::{Tile, Words},
};
use crate::{block, operator::Sum, sample::Sample};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Listed cells of a tile that are in shared memory.
#[derive(Clone, Copy)]
struct Window<'a> {
    tile: &'a Tile,
    /// As words and bits.
    cells: SharedView<u16>,
    count: u32,
    /// The first of them among the tile's.
    start: u32,
}

impl Window<'_> {
    /// The lowest corner of a cell of the window.
    #[inline(always)]
    fn cell(&self, at: u32) -> [u32; 3] {
        let (word, bit) = word_and_bit(self.cells.read(at as usize));
        self.tile.cell(word, bit)
    }

    /// Calls `visit` for every cell of the calling thread: with its number among the tile's listed
    /// ones, and with its lowest corner.
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

/// Calls `visit` with the listed cells of a tile, of which there are `count`, up to [`CELLS`] at a
/// time. All threads of the block visit a window together.
#[cuda_std::inline_closures]
#[inline(always)]
fn for_each_window(
    tile: &Tile,
    words: Words,
    below: View<u32>,
    occupied: View<u32>,
    count: u32,
    mut visit: impl FnMut(Window<'_>),
) {
    let cells = shared_view![u16; CELLS as usize];
    let marked = tile.first_marked(words);
    let mut start = 0;
    while start < count {
        list_cells([0, tile.words], start, cells, |word| {
            let occupied = occupied.read(marked + word as usize);
            if occupied == 0 {
                return 0;
            }
            let (y, in_row) = tile.row_of(word);
            Corners::read(below, words, in_row, y, tile.z).listed(occupied)
        });
        thread::sync_threads();
        let rest = count - start;
        visit(Window {
            tile,
            cells,
            count: if rest < CELLS { rest } else { CELLS },
            start,
        });
        thread::sync_threads();
        start += CELLS;
    }
}

/// Counts the triangles and the inner vertices of the listed cells, as the trilinear interpolant
/// has them.
///
/// A block takes whole tiles that have listed cells. Its threads take single words, read the signs
/// around them (eight words) and list the cells in shared memory, up to 2048 at a time. Then each
/// thread takes single listed cells and reads the samples at their eight corners. The block adds up
/// what it found and changes two sums of the tile; cells by sort, and the listed ones, are added to
/// `totals`.
///
/// # Safety
/// `samples` hold `padded.stored.samples()` elements, `padded.grid` is `words.grid`, and
/// `words.shaped` is 1; `below` holds `words.signs()` elements; `occupied`, `sums` and
/// `listed_tiles` are what [`classify_edges`](super::classify_edges) wrote; `totals` has
/// [`CellCounts::TOTALS`] elements, and one more for the listed cells.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn count_shapes<T: Sample>(
    samples: View<T>,
    padded: Padded,
    words: Words,
    iso: f32,
    below: View<u32>,
    occupied: View<u32>,
    listed_tiles: View<u64>,
    sums: ViewMut<u64>,
    totals: ViewMut<u64>,
) {
    words.for_each_listed_tile(listed_tiles, |tile| {
        let count = sums.read(tile.sum_listed(words) as usize) as u32;
        let mut counts = CellCounts::default();
        let mut triangles = 0;
        for_each_window(&tile, words, below, occupied, count, |window| {
            window.for_each(|_, cell| {
                let values = cell_values(cell, iso, |place| padded.value(samples, place));
                let case = case(&values);
                let (shape, is_asked) = Shape::trilinear(&values, case);
                counts = counts.plus(CellCounts::of(case, shape, is_asked));
                triangles += shape.triangles().1;
            });
        });
        let counts = CellCounts::from_packed(block::exclusive_sum(counts.packed()).total);
        let triangles = block::exclusive_sum(triangles as u64).total;
        if thread::thread_idx_x() == 0 {
            let at = tile.sum_triangles as usize;
            sums.write(at, sums.read(at) + triangles);
            sums.write(tile.sum_inner(words) as usize, counts.inner_vertices());
            counts.add_to(totals);
            totals.atomic_add(CellCounts::TOTALS, count as u64);
        }
    });
}

/// Writes the shapes of the listed cells, in the order of the mesh.
///
/// A block takes whole tiles with listed cells, and its threads cells, as [`count_shapes`] does. A
/// thread reads the samples at its cell's eight corners and writes 16 bits.
///
/// # Safety
/// As for [`count_shapes`]; `places` is the exclusive scan of the sums that it left; `shapes` has
/// an element for each listed cell.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn emit_shapes<T: Sample>(
    samples: View<T>,
    padded: Padded,
    words: Words,
    iso: f32,
    below: View<u32>,
    occupied: View<u32>,
    listed_tiles: View<u64>,
    places: View<u64>,
    shapes: ViewMut<u16>,
) {
    let before_all = places.read(words.listed_sums() as usize);
    words.for_each_listed_tile(listed_tiles, |tile| {
        let at = tile.sum_listed(words) as usize;
        let place = places.read(at);
        let count = (places.read(at + 1) - place) as u32;
        let first = (place - before_all) as usize;
        for_each_window(&tile, words, below, occupied, count, |window| {
            window.for_each(|nth, cell| {
                let values = cell_values(cell, iso, |place| padded.value(samples, place));
                let shape = Shape::of(&values, Rule::Trilinear);
                shapes.write(first + nth as usize, shape.pack());
            });
        });
    });
}

/// A cell with inner vertices in shared memory: its place in the window, and from bit [`CELL_BITS`]
/// on how many inner vertices of the window come before its own.
const CELL_BITS: u32 = CELLS.trailing_zeros();

const _: () = assert!(CELLS.is_power_of_two() && CELLS * HEXAGON <= 1 << (32 - CELL_BITS));

/// Writes the inner vertices: positions, and normals unless `normals` is empty.
///
/// A block takes whole tiles with inner vertices, and its threads listed cells: a thread reads its
/// cell's shape. Up to 2048 at a time, those with inner vertices are listed in shared memory. Then
/// each thread takes single ones, reads the samples at their eight corners, for normals up to 32
/// around them, and writes three coordinates for each vertex. `plane` is what the first plane of
/// the grid is in the volume.
///
/// # Safety
/// As for [`emit_shapes`], which wrote `shapes`; `positions` has three elements for each vertex,
/// and `normals` as many or none.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn emit_inner_word_vertices<T: Sample>(
    samples: View<T>,
    padded: Padded,
    words: Words,
    iso: f32,
    to_world: IndexToWorld,
    plane: u32,
    rule: NormalRule,
    below: View<u32>,
    occupied: View<u32>,
    listed_tiles: View<u64>,
    places: View<u64>,
    shapes: View<u16>,
    positions: ViewMut<f32>,
    normals: ViewMut<f32>,
) {
    let with_inner = shared_view![u32; CELLS as usize];
    let (thread, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let before_all = places.read(words.listed_sums() as usize);
    let value = |place| padded.value(samples, place);
    words.for_each_listed_tile(listed_tiles, |tile| {
        let at = tile.sum_inner(words) as usize;
        let mut first_vertex = places.read(at);
        if places.read(at + 1) == first_vertex {
            return;
        }
        let at = tile.sum_listed(words) as usize;
        let place = places.read(at);
        let count = (places.read(at + 1) - place) as u32;
        let first = (place - before_all) as usize;
        for_each_window(&tile, words, below, occupied, count, |window| {
            let shape_at =
                |at: u32| Shape::unpack(shapes.read(first + (window.start + at) as usize));
            // cells in the low half, vertices in the high half
            let mut before = 0u32;
            let mut start = 0;
            while start < window.count {
                let at = start + thread;
                let mut inner = 0;
                if at < window.count {
                    inner = shape_at(at).inner_vertices();
                }
                let sum = block::exclusive::<u32, Sum>((inner > 0) as u32 | inner << 16);
                let sums = before + sum.before;
                if inner > 0 {
                    let code = at | (sums >> 16) << CELL_BITS;
                    with_inner.write((sums & 0xffff) as usize, code);
                }
                before += sum.total;
                start += threads;
            }
            thread::sync_threads();
            let mut nth = thread;
            while nth < before & 0xffff {
                let code = with_inner.read(nth as usize);
                let at = code & (CELLS - 1);
                let low = window.cell(at);
                let values = cell_values(low, iso, value);
                let cell = InnerCell::new(low, &values, shape_at(at));
                let vertex = (first_vertex + (code >> CELL_BITS) as u64) as usize;
                cell.write(
                    vertex,
                    (plane, &to_world, positions),
                    (words.grid, &rule, normals),
                    value,
                );
                nth += threads;
            }
            first_vertex += (before >> 16) as u64;
        });
    });
}
