//! Cells whose triangles depend on the values of their samples, not on signs alone.

use super::{
    super::{
        inner::InnerCell,
        interpolate::IndexToWorld,
        padded::Padded,
        topology::{CellCounts, Rule, Shape, cell_values},
        vertices::{NormalRule, write3},
    },
    cells::{CELLS, list_cells, word_and_bit},
    classify::Corners,
    words::{Tile, Words},
};
use crate::{arith::div_rem, block, operator::Sum, sample::Sample};
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// Calls `visit` with the listed cells of a tile, of which there are `count`: each thread of the block with its cell's number among them and
/// its lowest corner, or with nothing, so that all threads of the block visit at the same time.
#[cuda_std::inline_closures]
#[inline(always)]
fn for_each_listed(
    tile: &Tile,
    words: Words,
    below: View<u32>,
    occupied: View<u32>,
    count: u32,
    mut visit: impl FnMut(Option<(u32, [u32; 3])>),
) {
    let cells = shared_view![u16; CELLS as usize];
    let marked = tile.first_marked(words);
    let threads = thread::block_dim_x();
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
            let at = start + thread::thread_idx_x();
            let cell = if at < listed {
                let (word, bit) = word_and_bit(cells.read(at as usize));
                Some((window + at, tile.cell(word, bit)))
            } else {
                None
            };
            visit(cell);
            start += threads;
        }
        thread::sync_threads();
        window += CELLS;
    }
}

/// Corrects the counts of tiles with listed cells: their triangles as the trilinear interpolant has them, and their inner vertices.
///
/// A block takes whole tiles, and leaves those that have no listed cell. Its threads take single words, read the signs around them
/// (eight words) and list the cells in shared memory, up to 2048 at a time. Then each thread takes single listed cells and reads the samples at
/// their eight corners. The block adds up what it found and changes two sums of the tile; cells by sort, and the listed ones, are
/// added to `totals`.
///
/// # Safety
/// `samples` hold `padded.stored.samples()` elements, `padded.grid` is `words.grid`, and `words.shaped` is 1; `below` holds
/// `words.signs()` elements; `occupied` and `sums` are what [`classify_edges`](super::classify_edges) wrote; `totals` has
/// [`CellCounts::TOTALS`] elements, and one more for the listed cells.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn count_shapes<T: Sample>(
    samples: View<T>,
    padded: Padded,
    words: Words,
    iso: f32,
    below: View<u32>,
    occupied: View<u32>,
    sums: ViewMut<u64>,
    totals: ViewMut<u64>,
) {
    words.for_each_tile(div_rem, |tile| {
        let count = sums.read(tile.sum_listed(words) as usize) as u32;
        if count == 0 {
            return;
        }
        let mut counts = CellCounts::default();
        // triangles as they are in the high half, as they were counted in the low half
        let mut triangles = 0u64;
        for_each_listed(&tile, words, below, occupied, count, |listed| {
            if let Some((_, cell)) = listed {
                let values = cell_values(cell, iso, |place| padded.value(samples, place));
                let shape = Shape::of(&values, Rule::Trilinear);
                counts = counts.plus(CellCounts::of(&values, shape));
                let counted = Shape::of(&values, Rule::Separated).triangles().1;
                triangles += (shape.triangles().1 as u64) << 32 | counted as u64;
            }
        });
        let counts = CellCounts::from_packed(block::exclusive_sum(counts.packed()).total);
        let triangles = block::exclusive_sum(triangles).total;
        if thread::thread_idx_x() == 0 {
            let at = tile.sum_triangles as usize;
            let counted = triangles & u32::MAX as u64;
            sums.write(at, sums.read(at) - counted + (triangles >> 32));
            sums.write(tile.sum_inner(words) as usize, counts.inner_vertices());
            counts.add_to(totals);
            totals.atomic_add(CellCounts::TOTALS, count as u64);
        }
    });
}

/// Writes the shapes of the listed cells, in the order of the mesh, and their inner vertices: positions, and normals unless `normals`
/// is empty.
///
/// A block takes whole tiles with listed cells, and its threads cells, as [`count_shapes`] does. A thread reads the samples at its cell's
/// eight corners, for normals up to 32 around them, and writes 16 bits for the cell; for one cell in many one or six vertices of
/// three coordinates each. `plane` is what the first plane of the grid is in the volume.
///
/// # Safety
/// As for [`count_shapes`]; `places` is the exclusive scan of the sums that it left; `shapes` has an element for each listed cell, `positions`
/// three for each vertex, and `normals` as many or none.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn emit_shapes<T: Sample>(
    samples: View<T>,
    padded: Padded,
    words: Words,
    iso: f32,
    to_world: IndexToWorld,
    plane: u32,
    rule: NormalRule,
    below: View<u32>,
    occupied: View<u32>,
    places: View<u64>,
    shapes: ViewMut<u16>,
    positions: ViewMut<f32>,
    normals: ViewMut<f32>,
) {
    let before_all = places.read(words.listed_sums() as usize);
    words.for_each_tile(div_rem, |tile| {
        let at = tile.sum_listed(words) as usize;
        let place = places.read(at);
        let count = (places.read(at + 1) - place) as u32;
        if count == 0 {
            return;
        }
        let first_shape = (place - before_all) as usize;
        let mut first_vertex = places.read(tile.sum_inner(words) as usize);
        for_each_listed(&tile, words, below, occupied, count, |listed| {
            let value = |place| padded.value(samples, place);
            let mut inner = 0;
            let mut found = None;
            if let Some((number, cell)) = listed {
                let values = cell_values(cell, iso, value);
                let shape = Shape::of(&values, Rule::Trilinear);
                shapes.write(first_shape + number as usize, shape.pack());
                inner = shape.inner_vertices();
                found = Some((cell, values, shape));
            }
            let sum = block::exclusive::<u32, Sum>(inner);
            if let Some((low, values, shape)) = &found {
                let cell = InnerCell {
                    low: *low,
                    values,
                    shape: *shape,
                };
                let mut number = 0;
                while number < inner {
                    let at = (first_vertex + (sum.before + number) as u64) as usize;
                    write3(positions, at, cell.position(number, plane, &to_world));
                    if !normals.is_empty() {
                        let normal = cell.normal(number, words.grid, &rule, value);
                        write3(normals, at, normal);
                    }
                    number += 1;
                }
            }
            first_vertex += sum.total as u64;
        });
    });
}
