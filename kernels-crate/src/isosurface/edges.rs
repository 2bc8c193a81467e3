//! Which grid edges carry a vertex.

use crate::{
    grid::{Grid, X, Y},
    rows::Rows,
    sample::Sample,
};
use cuda_std::{View, ViewMut, kernel};

/// Where the other end of an edge along `axis` is stored, counted from the lower end.
#[inline(always)]
pub(super) fn stride(grid: Grid, axis: u32) -> usize {
    match axis {
        X => 1,
        Y => grid.nx as usize,
        _ => grid.nx as usize * grid.ny as usize,
    }
}

/// Whether any of the up to four cells around an edge emits triangles.
#[inline(always)]
fn a_cell_around_is_occupied(cases: View<u8>, grid: Grid, axis: u32, edge: [u32; 3]) -> bool {
    let [cx, cy, cz] = grid.cell_dims();
    let [x, y, z] = edge;
    let mut found = false;
    let mut around = 0;
    while around < 4 {
        // the two axes across the edge, each one step back or not
        let (back_1, back_2) = (around & 1, around >> 1);
        let (dx, dy, dz) = match axis {
            X => (0, back_1, back_2),
            Y => (back_1, 0, back_2),
            _ => (back_1, back_2, 0),
        };
        if x >= dx && y >= dy && z >= dz {
            let (x, y, z) = (x - dx, y - dy, z - dz);
            if x < cx && y < cy && z < cz {
                let case = cases.read(grid.cell(x, y, z) as usize);
                found |= case != 0 && case != u8::MAX;
            }
        }
        around += 1;
    }
    found
}

/// Flags the active edges along `axis`: the first half of stage 5 of the document (positions follow once their places
/// are known, so that no position is stored for an edge without a vertex).
///
/// A thread takes runs of neighbouring edges. Per edge it reads its two samples and, for an active edge in a volume that
/// has excluded cells (`masked` not 0, or `non_finite_cells[0]`), the cases of the cells around it; it writes the edge's
/// flag to its slot. Nothing is shared in the block.
///
/// # Safety
/// `samples` holds `grid.samples()` elements, `cases` `grid.cells()`, `flags` `grid.edges()`; `rows` is the extent of the
/// edges along `axis`; `non_finite_cells` is what
/// [`classify_cells`](super::classify_cells) counted.
#[kernel(T = [u8, i8, u16, i16, f32])]
pub unsafe fn flag_edges<T: Sample>(
    samples: View<T>,
    cases: View<u8>,
    grid: Grid,
    rows: Rows,
    axis: u32,
    iso: f32,
    masked: u32,
    non_finite_cells: View<u64>,
    flags: ViewMut<u8>,
) {
    let other_end = stride(grid, axis);
    let exclusions = masked != 0 || non_finite_cells.read(0) != 0;
    rows.for_each_run(|run| {
        let first = grid.sample(run.start, run.y, run.z);
        let slots = grid.edge_row(axis, run.y, run.z);
        for x in run.start..run.end {
            let at = first + (x - run.start) as usize;
            let here = samples.read(at).value();
            let there = samples.read(at + other_end).value();
            let mut active = (here < iso) != (there < iso);
            if exclusions && active {
                active = a_cell_around_is_occupied(cases, grid, axis, [x, run.y, run.z]);
            }
            flags.write(slots.slot(x), active as u8);
        }
    });
}
