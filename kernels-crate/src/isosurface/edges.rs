//! Flags of the grid edges that carry a vertex.

use crate::{
    grid::{Grid, X, Y, Z},
    rows::Rows,
    sample::Sample,
};
use cuda_std::{View, ViewMut, kernel};

/// Returns the distance in memory, in samples, between the two ends of an edge along `axis`.
#[inline(always)]
pub(super) fn end_stride(grid: Grid, axis: u32) -> usize {
    match axis {
        X => 1,
        Y => grid.nx as usize,
        _ => grid.nx as usize * grid.ny as usize,
    }
}

/// Returns `true` if any of the up to four cells around an edge emits triangles.
#[inline(always)]
fn touches_occupied_cell(cases: View<u8>, grid: Grid, axis: u32, edge: [u32; 3]) -> bool {
    let [cx, cy, cz] = grid.cell_dims();
    let [x, y, z] = edge;
    let mut occupied = false;
    let mut around = 0;
    while around < 4 {
        // step back by 0 or 1 along each of the two axes across the edge
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
                occupied |= case != 0 && case != u8::MAX;
            }
        }
        around += 1;
    }
    occupied
}

/// Flags the active edges: first half of stage 5 of the staged method. Positions are computed after
/// the flags have been scanned, so that inactive edges take no memory for positions.
///
/// **Mapping:** runs of neighbouring samples per thread, for each the edges that leave it along x,
/// y and z; no shared memory. **Traffic** per sample: up to four samples read and, for an active
/// edge of a volume with excluded cells (`masked` is not 0, or `non_finite_cells[0]` is not 0), the
/// cases of the adjacent cells; one flag written to the slot of each edge.
///
/// # Safety
/// `samples` holds `grid.samples()` elements, `cases` `grid.cells()`, `flags` `grid.edges()`;
/// `rows` is the extent of the samples; `non_finite_cells` is the count of
/// [`classify_cells`](super::classify_cells).
#[kernel(T = crate::sample::sample_types!)]
pub unsafe fn flag_edges<T: Sample>(
    samples: View<T>,
    cases: View<u8>,
    grid: Grid,
    rows: Rows,
    iso: f32,
    masked: u32,
    non_finite_cells: View<u64>,
    flags: ViewMut<u8>,
) {
    let exclusions = masked != 0 || non_finite_cells.read(0) != 0;
    let below = |at: usize| samples.read(at).value() < iso;
    rows.for_each_run(|run| {
        let (y, z) = (run.y, run.z);
        let active = |axis: u32, x: u32, differ: bool| {
            let used = !exclusions || touches_occupied_cell(cases, grid, axis, [x, y, z]);
            (differ && used) as u8
        };
        let slots = [X, Y, Z].map(|axis| grid.edge_row(axis, y, z));
        let first = grid.sample(run.start, y, z);
        let mut own = below(first);
        for x in run.start..run.end {
            let at = first + (x - run.start) as usize;
            let mut right = own;
            if x + 1 < grid.nx {
                right = below(at + end_stride(grid, X));
                flags.write(slots[0].slot(x), active(X, x, own != right));
            }
            if y + 1 < grid.ny {
                let differ = own != below(at + end_stride(grid, Y));
                flags.write(slots[1].slot(x), active(Y, x, differ));
            }
            if z + 1 < grid.nz {
                let differ = own != below(at + end_stride(grid, Z));
                flags.write(slots[2].slot(x), active(Z, x, differ));
            }
            own = right;
        }
    });
}
