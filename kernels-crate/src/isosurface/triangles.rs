//! The triangles, as indices of vertices.

use super::{
    table::EDGE_OWNERS,
    topology::{INNER, Shape, corners, needs_values, table},
    vertices::inner_before_plane,
};
use crate::{
    grid::{Grid, X},
    rows::Items,
    sample::Count,
};
use cuda_std::{View, ViewMut, kernel, shared_view, thread};

/// The largest block [`emit_triangles`] can be launched with: it has room in shared memory for this
/// many cells at a time.
pub const MAX_BLOCK: usize = 256;

/// Writes the triangles of the occupied cells: stage 7 of the topology page (2011).
///
/// A thread takes single occupied cells. It reads the cell's number and case and the scanned flags
/// of its twelve edges, which it lays out in shared memory (a row of its own per thread, so no
/// thread synchronises with another), and writes three indices per triangle from the cell's
/// triangle offset on. `flip` not 0 reverses every triangle. Unless `shapes` is empty, it reads the
/// shape of a cell whose case leaves its triangles open, and the offsets of inner vertices.
///
/// # Safety
/// `occupied_cells` holds `items.count` numbers of cells of `grid`; `cases` and `triangle_offsets`
/// hold `grid.cells()` elements, `vertex_offsets` `grid.edges()`, and `triangles` three for each
/// triangle of all cells. `shapes` and `inner_offsets` are empty, or what
/// [`decide_shapes`](super::decide_shapes) wrote and the scan of its counts. A block has at most
/// [`MAX_BLOCK`] threads.
#[kernel(I = [u32, u64])]
pub unsafe fn emit_triangles<I: Count>(
    occupied_cells: View<u64>,
    items: Items,
    cases: View<u8>,
    grid: Grid,
    triangle_offsets: View<I>,
    vertex_offsets: View<I>,
    shapes: View<u16>,
    inner_offsets: View<u64>,
    flip: u32,
    triangles: ViewMut<I>,
) {
    let vertices = shared_view![u64; 12 * MAX_BLOCK];
    let mine = thread::thread_idx_x() as usize;
    let threads = thread::block_dim_x() as usize;
    items.for_each(|item| {
        let cell = occupied_cells.read(item);
        let [x, y, z] = grid.cell_corner(cell);
        let case = cases.read(cell as usize) as u32;
        let shape = if !shapes.is_empty() && needs_values(case) {
            Shape::unpack(shapes.read(cell as usize))
        } else {
            Shape::of_case(case)
        };
        let below_inner = inner_before_plane(inner_offsets, grid, z);
        let above_inner = inner_before_plane(inner_offsets, grid, z + 1);
        let mut edge = 0;
        while edge < 12 {
            let (axis, [dx, dy, dz]) = EDGE_OWNERS[edge];
            let slot = grid.edge_slot(axis, x + dx, y + dy, z + dz);
            let inner = if dz == 0 { below_inner } else { above_inner };
            let vertex = vertex_offsets.read(slot).widen() + inner;
            // column by column: the threads of a warp write neighbouring elements
            vertices.write(edge * threads + mine, vertex);
            edge += 1;
        }
        let mut first_inner = 0;
        if shape.inner_vertices() > 0 {
            // after all vertices on edges of planes up to the cell's, and on edges above it
            let on_edges = vertex_offsets.read(grid.edge_slot(X, 0, 0, z + 1)).widen();
            first_inner = on_edges + inner_offsets.read(cell as usize);
        }
        let first = triangle_offsets.read(cell as usize).widen() as usize;
        let (first_row, count) = shape.triangles();
        let mut triangle = 0;
        while triangle < count {
            let [a, b, c] = corners(table::triangle(first_row + triangle));
            let [b, c] = if flip != 0 { [c, b] } else { [b, c] };
            let vertex = |corner: u32| {
                I::narrow(if corner < INNER {
                    vertices.read(corner as usize * threads + mine)
                } else {
                    first_inner + (corner - INNER) as u64
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
