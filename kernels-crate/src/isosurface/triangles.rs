//! The triangles, as indices of vertices.

use super::table::{CASES, EDGE_OWNERS};
use crate::{grid::Grid, rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// The largest block [`emit_triangles`] can be launched with: it has room in shared memory for this many cells at a time.
pub const MAX_BLOCK: usize = 256;

/// Writes the triangles of the occupied cells: stage 7 of the topology page (2011).
///
/// A thread takes single occupied cells. It reads the cell's number and case and the scanned flags of its twelve edges,
/// which it lays out in shared memory (a row of its own per thread, so no thread waits for another), and writes three
/// indices per triangle from the cell's triangle offset on. `flip` not 0 reverses every triangle.
///
/// # Safety
/// `occupied_cells` holds `items.count` numbers of cells of `grid`; `cases` and `triangle_offsets` hold `grid.cells()`
/// elements, `vertex_offsets` `grid.edges()`, and `triangles` three for each triangle of all cells. A block has at most
/// [`MAX_BLOCK`] threads.
#[kernel(I = [u32, u64])]
pub unsafe fn emit_triangles<I: Count>(
    occupied_cells: View<u64>,
    items: Items,
    cases: View<u8>,
    grid: Grid,
    triangle_offsets: View<I>,
    vertex_offsets: View<I>,
    flip: u32,
    triangles: ViewMut<I>,
) {
    let vertices = shared_view![u64; 12 * MAX_BLOCK];
    let mine = thread::thread_idx_x() as usize;
    let threads = thread::block_dim_x() as usize;
    items.for_each(|item| {
        let cell = occupied_cells.read(item);
        let [x, y, z] = grid.cell_corner(cell);
        let case = &CASES[cases.read(cell as usize) as usize];
        let mut edge = 0;
        while edge < 12 {
            let (axis, [dx, dy, dz]) = EDGE_OWNERS[edge];
            let slot = grid.edge_slot(axis, x + dx, y + dy, z + dz);
            // column by column: the threads of a warp write neighbouring elements
            vertices.write(edge * threads + mine, vertex_offsets.read(slot).widen());
            edge += 1;
        }
        let first = triangle_offsets.read(cell as usize).widen() as usize;
        for (triangle, edges) in case.edges.iter().enumerate().take(case.triangles as usize) {
            let vertex =
                |corner: usize| I::narrow(vertices.read(edges[corner] as usize * threads + mine));
            let [second, third] = if flip != 0 { [2, 1] } else { [1, 2] };
            let at = (first + triangle) * 3;
            triangles.write(at, vertex(0));
            triangles.write(at + 1, vertex(second));
            triangles.write(at + 2, vertex(third));
        }
    });
}
