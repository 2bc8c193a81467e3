//! Resolution of ambiguous cells, as separate stages.

use super::{
    inner::InnerCell,
    interpolate::IndexToWorld,
    topology::{CellCounts, Subcase, cell_values, is_ambiguous_case},
    vertices::{NormalRule, inner_vertices_before},
};
use crate::{
    grid::{Grid, X},
    rows::{Items, Rows},
    sample::{Count, Sample},
};
use cuda_std::{View, ViewMut, kernel};

/// Resolves the ambiguous cells by the trilinear interpolant.
///
/// **Mapping:** runs of neighbouring cells per thread; no shared memory. **Traffic** per cell: its
/// case read; for an ambiguous cell the samples at its eight corners read, and its subcase,
/// triangle count and inner vertex count written. Cell counts are added to `totals`, see
/// [`CellCounts::add_to`].
///
/// # Safety
/// `samples` holds `grid.samples()` elements; `cases`, `triangle_counts` and `subcases` hold
/// `grid.cells()`; `inner_counts` holds one more, all 0; `rows` is the extent of the cells;
/// `totals` has [`CellCounts::TOTALS`] elements.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn resolve_subcases<T: Sample>(
    samples: View<T>,
    cases: View<u8>,
    grid: Grid,
    rows: Rows,
    iso: f32,
    subcases: ViewMut<u16>,
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
            if !is_ambiguous_case(case) {
                continue;
            }
            let values = cell_values([x, run.y, run.z], iso, |[x, y, z]| {
                samples.read(grid.sample(x, y, z)).value()
            });
            let (subcase, tunnel_tested) = Subcase::resolve(&values, case);
            counts = counts.plus(CellCounts::from_cell(case, subcase, tunnel_tested));
            subcases.write(cell, subcase.pack());
            triangle_counts.write(cell, subcase.triangles().1 as u8);
            inner_counts.write(cell, subcase.inner_vertices() as u8);
            // before a count can overflow its 16 bits
            if (x - run.start) & 0xfff == 0xfff {
                counts.add_to(totals);
                counts = CellCounts::default();
            }
        }
        counts.add_to(totals);
    });
}

/// Writes, for each plane of samples, the number of vertices before those on its edges.
///
/// **Mapping:** one plane per thread; no shared memory. **Traffic** per plane: two offsets read,
/// one number written.
///
/// # Safety
/// `vertex_offsets` holds `grid.edges()` elements, `inner_offsets` `grid.cells() + 1`,
/// `plane_offsets` `grid.nz`, which is `planes.count`; the grid has at least one cell.
#[kernel(I = [u32, u64])]
pub unsafe fn compute_plane_offsets<I: Count>(
    vertex_offsets: View<I>,
    inner_offsets: View<u64>,
    grid: Grid,
    planes: Items,
    plane_offsets: ViewMut<u64>,
) {
    planes.for_each(|plane| {
        let z = plane as u32;
        let on_edges = vertex_offsets.read(grid.edge_slot(X, 0, 0, z)).widen();
        let inner = inner_vertices_before(inner_offsets, grid, z);
        plane_offsets.write(plane, on_edges + inner);
    });
}

/// Writes the positions of the inner vertices and, unless `normals` is empty, their normals.
///
/// **Mapping:** runs of neighbouring cells per thread; no shared memory. **Traffic** per cell: two
/// neighbouring offsets read; for a cell with inner vertices its subcase and the samples at its
/// corners read (for normals up to 32 samples more), and three components per vertex and attribute
/// written.
///
/// # Safety
/// `samples` holds `grid.samples()` elements; `subcases` is the output of [`resolve_subcases`],
/// `inner_offsets` the exclusive scan of its counts, `plane_offsets` the output of
/// [`compute_plane_offsets`]; `rows` is the extent of the cells; `positions` has three elements per
/// vertex, `normals` as many or none.
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn emit_inner_vertices<T: Sample>(
    samples: View<T>,
    grid: Grid,
    rows: Rows,
    iso: f32,
    to_world: IndexToWorld,
    rule: NormalRule,
    subcases: View<u16>,
    inner_offsets: View<u64>,
    plane_offsets: View<u64>,
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
            let cell = InnerCell::new(low, &values, Subcase::unpack(subcases.read(at)));
            // the inner vertices of a plane of cells precede the vertices on the next plane's edges
            let next = grid.cell(0, 0, run.z + 1) as usize;
            let after = inner_offsets.read(next) - before;
            let vertex = plane_offsets.read(run.z as usize + 1) - after;
            cell.write(
                vertex as usize,
                (0, &to_world, positions),
                (grid, &rule, normals),
                value,
            );
        }
    });
}
