//! Triangles of the occupied cells, as vertex indices.

use super::{
    table::EDGE_OWNERS,
    topology::{FIRST_INNER, Subcase, is_ambiguous_case, table, unpack_triangle},
    vertices::inner_vertices_before,
};
use crate::{
    grid::{Grid, X},
    rows::Items,
    sample::Count,
};
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// Maximum number of threads of a block of [`emit_triangles`], which has shared memory for this
/// many cells.
pub const MAX_BLOCK: usize = 256;

/// Writes the triangles of the occupied cells: stage 7 of the staged method.
///
/// `flip` not 0 reverses the orientation of every triangle. Ambiguous cells take their triangles
/// from `subcases`, unless that is empty.
///
/// **Mapping:** one occupied cell per thread. **Shared memory:** twelve vertex indices per thread,
/// each used by its own thread only, so that no barrier is needed. **Traffic** per cell: its index,
/// case and triangle offset and the scanned flags of its twelve edges read, for an ambiguous cell
/// its subcase and inner vertex offset; three indices per triangle written.
///
/// # Safety
/// `occupied_cells` holds `items.count` cell indices of `grid`; `cases` and `triangle_offsets` hold
/// `grid.cells()` elements, `vertex_offsets` `grid.edges()`, and `triangles` three per triangle of
/// all cells. `subcases` and `inner_offsets` are empty, or the output of
/// [`resolve_subcases`](super::resolve_subcases) and the exclusive scan of its counts. A block has
/// at most [`MAX_BLOCK`] threads.
#[kernel(I = [u32, u64])]
pub unsafe fn emit_triangles<I: Count>(
    occupied_cells: View<u64>,
    items: Items,
    cases: View<u8>,
    grid: Grid,
    triangle_offsets: View<I>,
    vertex_offsets: View<I>,
    subcases: View<u16>,
    inner_offsets: View<u64>,
    flip: u32,
    triangles: ViewMut<I>,
) {
    let vertices = shared_view![u64; 12 * MAX_BLOCK];
    let rank = thread::thread_idx_x() as usize;
    let threads = thread::block_dim_x() as usize;
    items.for_each(|item| {
        let cell = occupied_cells.read(item);
        let [x, y, z] = grid.cell_corner(cell);
        let case = cases.read(cell as usize) as u32;
        let subcase = if !subcases.is_empty() && is_ambiguous_case(case) {
            Subcase::unpack(subcases.read(cell as usize))
        } else {
            Subcase::from_case(case)
        };
        let below_inner = inner_vertices_before(inner_offsets, grid, z);
        let above_inner = inner_vertices_before(inner_offsets, grid, z + 1);
        let mut edge = 0;
        while edge < 12 {
            let (axis, [dx, dy, dz]) = EDGE_OWNERS[edge];
            let slot = grid.edge_slot(axis, x + dx, y + dy, z + dz);
            let inner = if dz == 0 { below_inner } else { above_inner };
            let vertex = vertex_offsets.read(slot).widen() + inner;
            // one column per edge: neighbouring threads access neighbouring elements
            vertices.write(edge * threads + rank, vertex);
            edge += 1;
        }
        let mut first_inner = 0;
        if subcase.inner_vertices() > 0 {
            // inner vertices follow all vertices on edges up to the cell's plane and on the edges
            // above it
            let on_edges = vertex_offsets.read(grid.edge_slot(X, 0, 0, z + 1)).widen();
            first_inner = on_edges + inner_offsets.read(cell as usize);
        }
        let first = triangle_offsets.read(cell as usize).widen() as usize;
        let (first_row, count) = subcase.triangles();
        let mut triangle = 0;
        while triangle < count {
            let [a, b, c] = unpack_triangle(table::triangle(first_row + triangle));
            let [b, c] = if flip != 0 { [c, b] } else { [b, c] };
            let vertex = |corner: u32| {
                I::narrow(if corner < FIRST_INNER {
                    vertices.read(corner as usize * threads + rank)
                } else {
                    first_inner + (corner - FIRST_INNER) as u64
                })
            };
            let at = (first + triangle as usize) * 3;
            triangles.write(at, vertex(a));
            triangles.write(at + 1, vertex(b));
            triangles.write(at + 2, vertex(c));
            triangle += 1;
        }
    });
}
