//! The shapes of cells whose triangles depend on the values of their samples, as stages of their
//! own.

use super::{
    inner::InnerCell,
    interpolate::IndexToWorld,
    topology::{CellCounts, Shape, cell_values, needs_values},
    vertices::{NormalRule, inner_before_plane},
};
use crate::{
    grid::{Grid, X},
    rows::{Items, Rows},
    sample::{Count, Sample},
};
use cuda_std::{View, ViewMut, kernel};

/// Decides how the trilinear interpolant's surface goes through the cells whose case leaves that
/// open.
///
/// A thread takes runs of neighbouring cells. It reads each cell's case, and for those that need
/// values the samples at the eight corners; for these it writes the shape, the number of triangles
/// and that of inner vertices. Cells by sort are added to `totals`. Nothing is shared in the block.
///
/// # Safety
/// `samples` holds `grid.samples()` elements; `cases`, `triangle_counts` and `shapes` hold
/// `grid.cells()`, `inner_counts` one more, all 0; `rows` is the extent of the cells; `totals` has
/// [`CellCounts::TOTALS`] elements.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn decide_shapes<T: Sample>(
    samples: View<T>,
    cases: View<u8>,
    grid: Grid,
    rows: Rows,
    iso: f32,
    shapes: ViewMut<u16>,
    triangle_counts: ViewMut<u8>,
    inner_counts: ViewMut<u8>,
    totals: ViewMut<u64>,
) {
    rows.for_each_run(|run| {
        let mut counts = CellCounts::default();
        let first = grid.cell(run.start, run.y, run.z) as usize;
        for x in run.start..run.end {
            let cell = first + (x - run.start) as usize;
            let case = cases.read(cell) as u32;
            if !needs_values(case) {
                continue;
            }
            let values = cell_values([x, run.y, run.z], iso, |[x, y, z]| {
                samples.read(grid.sample(x, y, z)).value()
            });
            let (shape, is_asked) = Shape::trilinear(&values, case);
            counts = counts.plus(CellCounts::of(case, shape, is_asked));
            shapes.write(cell, shape.pack());
            triangle_counts.write(cell, shape.triangles().1 as u8);
            inner_counts.write(cell, shape.inner_vertices() as u8);
            // before a count can overflow
            if (x - run.start) & 0xfff == 0xfff {
                counts.add_to(totals);
                counts = CellCounts::default();
            }
        }
        counts.add_to(totals);
    });
}

/// Writes for each plane of samples how many vertices come before those on its edges.
///
/// A thread takes single planes: it reads two offsets and writes one number. Nothing is shared in
/// the block.
///
/// # Safety
/// `vertex_offsets` holds `grid.edges()` elements, `inner_offsets` `grid.cells() + 1`, `starts`
/// `grid.nz`, which is `planes.count`; the grid has cells.
#[kernel(I = [u32, u64])]
pub unsafe fn number_planes<I: Count>(
    vertex_offsets: View<I>,
    inner_offsets: View<u64>,
    grid: Grid,
    planes: Items,
    starts: ViewMut<u64>,
) {
    planes.for_each(|plane| {
        let z = plane as u32;
        let on_edges = vertex_offsets.read(grid.edge_slot(X, 0, 0, z)).widen();
        let inner = inner_before_plane(inner_offsets, grid, z);
        starts.write(plane, on_edges + inner);
    });
}

/// Writes the positions of the inner vertices, and their normals unless `normals` is empty.
///
/// A thread takes runs of neighbouring cells. It reads two neighbouring offsets of each; for a cell
/// with inner vertices its shape and the samples at its corners, for normals up to 32 around them;
/// and writes three coordinates for each vertex. Nothing is shared in the block.
///
/// # Safety
/// `samples` holds `grid.samples()` elements; `shapes` is what [`decide_shapes`] wrote,
/// `inner_offsets` the scan of its counts, `starts` what [`number_planes`] wrote; `rows` is the
/// extent of the cells; `positions` has three elements for each vertex, `normals` as many or none.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn emit_inner_vertices<T: Sample>(
    samples: View<T>,
    grid: Grid,
    rows: Rows,
    iso: f32,
    to_world: IndexToWorld,
    rule: NormalRule,
    shapes: View<u16>,
    inner_offsets: View<u64>,
    starts: View<u64>,
    positions: ViewMut<f32>,
    normals: ViewMut<f32>,
) {
    let value = |[x, y, z]: [u32; 3]| samples.read(grid.sample(x, y, z)).value();
    rows.for_each_run(|run| {
        let first = grid.cell(run.start, run.y, run.z) as usize;
        for x in run.start..run.end {
            let at = first + (x - run.start) as usize;
            let before = inner_offsets.read(at);
            if inner_offsets.read(at + 1) == before {
                continue;
            }
            let low = [x, run.y, run.z];
            let values = cell_values(low, iso, value);
            let cell = InnerCell::new(low, &values, Shape::unpack(shapes.read(at)));
            // the inner vertices of a plane of cells are those before the next plane's edges
            let next = grid.cell(0, 0, run.z + 1) as usize;
            let after = inner_offsets.read(next) - before;
            let vertex = starts.read(run.z as usize + 1) - after;
            cell.write(
                vertex as usize,
                (0, &to_world, positions),
                (grid, &rule, normals),
                value,
            );
        }
    });
}
