//! Cells whose triangles depend on the values of their samples, not on signs alone.

use super::{
    super::{
        inner::InnerCell,
        interpolate::IndexToWorld,
        padded::Padded,
        topology::{CellCounts, HEXAGON, Rule, Shape, cell_values},
        vertices::{NormalRule, write3},
    },
    cells::{CELLS, list_cells, word_and_bit},
    classify::Corners,
    words::{TILE, Tile, Words},
};
use crate::{block, operator::Sum, sample::Sample};
use cuda_std::{SharedView, View, ViewMut, kernel, shared_view, thread};

/// Listed cells that the threads of a block take at a time.
#[derive(Clone, Copy)]
struct Batch<'a> {
    tile: &'a Tile,
    /// The cells that are in shared memory, as words and bits.
    cells: SharedView<u16>,
    /// The first of the batch among these, and their number.
    start: u32,
    listed: u32,
    /// The first of these among the tile's.
    window: u32,
}

impl Batch<'_> {
    /// The cell of thread `thread`, if there is one for it: its number among the tile's, and its lowest corner.
    #[inline(always)]
    fn cell(&self, thread: u32) -> Option<(u32, [u32; 3])> {
        let at = self.start + thread;
        if at >= self.listed {
            return None;
        }
        let (word, bit) = word_and_bit(self.cells.read(at as usize));
        Some((self.window + at, self.tile.cell(word, bit)))
    }
}

/// Calls `visit` with the listed cells of a tile, of which there are `count`, one for each thread of the block at a time. All threads of the
/// block visit a batch together.
#[cuda_std::inline_closures]
#[inline(always)]
fn for_each_batch(
    tile: &Tile,
    words: Words,
    below: View<u32>,
    occupied: View<u32>,
    count: u32,
    mut visit: impl FnMut(Batch<'_>),
) {
    let cells = shared_view![u16; CELLS as usize];
    let marked = tile.first_marked(words);
    let mut window = 0;
    while window < count {
        list_cells(tile, window, cells, |word| {
            let occupied = occupied.read(marked + word as usize);
            if occupied == 0 {
                return 0;
            }
            let (y, in_row) = tile.row_of(word);
            Corners::read(below, words, in_row, y, tile.z).listed(occupied)
        });
        thread::sync_threads();
        let rest = count - window;
        let listed = if rest < CELLS { rest } else { CELLS };
        let mut start = 0;
        while start < listed {
            visit(Batch {
                tile,
                cells,
                start,
                listed,
                window,
            });
            start += thread::block_dim_x();
        }
        thread::sync_threads();
        window += CELLS;
    }
}

/// Counts the triangles and the inner vertices of the listed cells, as the trilinear interpolant has them.
///
/// A block takes whole tiles that have listed cells. Its threads take single words, read the signs
/// around them (eight words) and list the cells in shared memory, up to 2048 at a time. Then each thread takes single listed cells and reads
/// the samples at their eight corners. The block adds up what it found and changes two sums of the tile; cells by sort, and the listed ones,
/// are added to `totals`.
///
/// # Safety
/// `samples` hold `padded.stored.samples()` elements, `padded.grid` is `words.grid`, and `words.shaped` is 1; `below` holds
/// `words.signs()` elements; `occupied`, `sums` and `listed_tiles` are what
/// [`classify_edges`](super::classify_edges) wrote; `totals` has
/// [`CellCounts::TOTALS`] elements, and one more for the listed cells. A block has at most [`TILE`](super::TILE) threads.
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
        for_each_batch(&tile, words, below, occupied, count, |batch| {
            if let Some((_, cell)) = batch.cell(thread::thread_idx_x()) {
                let values = cell_values(cell, iso, |place| padded.value(samples, place));
                let shape = Shape::of(&values, Rule::Trilinear);
                counts = counts.plus(CellCounts::of(&values, shape));
                triangles += shape.triangles().1;
            }
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
/// A block takes whole tiles with listed cells, and its threads cells, as [`count_shapes`] does. A thread reads the samples at its cell's
/// eight corners and writes 16 bits.
///
/// # Safety
/// As for [`count_shapes`]; `places` is the exclusive scan of the sums that it left; `shapes` has an element for each listed cell.
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
        for_each_batch(&tile, words, below, occupied, count, |batch| {
            if let Some((number, cell)) = batch.cell(thread::thread_idx_x()) {
                let values = cell_values(cell, iso, |place| padded.value(samples, place));
                let shape = Shape::of(&values, Rule::Trilinear);
                shapes.write(first + number as usize, shape.pack());
            }
        });
    });
}

/// Inner vertices that the listed cells of a batch have at most.
const INNER_OF_BATCH: u32 = TILE * HEXAGON;

/// Writes the inner vertices: positions, and normals unless `normals` is empty.
///
/// A block takes whole tiles with inner vertices, and its threads listed cells: a thread reads its cell's shape. The block lists the inner vertices of
/// these cells in shared memory. Then each thread takes single ones, reads the samples at their cells' eight corners, for normals up
/// to 32 around them, and writes three coordinates. `plane` is what the first plane of the grid is in the volume.
///
/// # Safety
/// As for [`emit_shapes`], which wrote `shapes`; `positions` has three elements for each vertex, and `normals` as many or none.
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
    // of the batch: for each inner vertex the thread of its cell and its number there
    let inner_vertices = shared_view![u16; INNER_OF_BATCH as usize];
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
        for_each_batch(&tile, words, below, occupied, count, |batch| {
            let shape_of = |number: u32| Shape::unpack(shapes.read(first + number as usize));
            let inner = match batch.cell(thread) {
                Some((number, _)) => shape_of(number).inner_vertices(),
                None => 0,
            };
            let sum = block::exclusive::<u32, Sum>(inner);
            let mut number = 0;
            while number < inner {
                inner_vertices.write(
                    (sum.before + number) as usize,
                    (thread | number << 8) as u16,
                );
                number += 1;
            }
            thread::sync_threads();
            let mut at = thread;
            while at < sum.total {
                let code = inner_vertices.read(at as usize) as u32;
                let (of, number) = (code & (TILE - 1), code >> 8);
                if let Some((of_tile, low)) = batch.cell(of) {
                    let cell = InnerCell {
                        low,
                        values: &cell_values(low, iso, value),
                        shape: shape_of(of_tile),
                    };
                    let vertex = (first_vertex + at as u64) as usize;
                    write3(positions, vertex, cell.position(number, plane, &to_world));
                    if !normals.is_empty() {
                        let normal = cell.normal(number, words.grid, &rule, value);
                        write3(normals, vertex, normal);
                    }
                }
                at += threads;
            }
            first_vertex += sum.total as u64;
        });
    });
}
