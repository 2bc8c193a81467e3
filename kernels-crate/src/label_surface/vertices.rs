//! Where the vertices are.

use super::net::{MARKS, Net};
use crate::{isosurface::interpolate::IndexToWorld, rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Writes the vertex of each marked cell: the mean of the midpoints of the cell's edges whose ends
/// have two labels.
///
/// A thread takes words of 32 cells, and of each the cells with a vertex, one after the other: most
/// words have none. It reads the word of bits and, where it has some, the number of vertices before
/// it; for each vertex the labels of the eight corners, and it writes three coordinates. Sums are
/// of integers: of halves of an edge, at most 12 of them; one division for each axis in `f64`.
/// Nothing is shared in the block.
///
/// # Safety
/// `labels` holds `net.grid.samples()` elements, `marks` what
/// [`mark_label_cells`](super::mark_label_cells) made of them, `offsets` for each word the number
/// of vertices before it; `items` counts the words of `net`; `positions` has three elements for
/// each vertex.
#[kernel(T = [u8, u16, u32])]
pub unsafe fn emit_label_vertices<T: Count>(
    labels: View<T>,
    net: Net,
    items: Items,
    marks: View<u32>,
    offsets: View<u64>,
    to_world: IndexToWorld,
    positions: ViewMut<f32>,
) {
    items.for_each(|index| {
        let mut left = marks.read(index * MARKS);
        if left == 0 {
            return;
        }
        let mut at = offsets.read(index) as usize * 3;
        let word = net.word(index as u64);
        let columns = net.columns(word.y, word.z);
        while left != 0 {
            let x = word.x + left.trailing_zeros();
            left &= left - 1;
            // lower and upper along x; then lower and upper along y, and so along z
            let [a, c, e, g] = columns.before(labels, x);
            let [b, d, f, h] = columns.before(labels, x + 1);
            let differ = |one: u32, other: u32| (one != other) as u32;
            let along_x = [differ(a, b), differ(c, d), differ(e, f), differ(g, h)];
            let along_y = [differ(a, c), differ(b, d), differ(e, g), differ(f, h)];
            let along_z = [differ(a, e), differ(b, f), differ(c, g), differ(d, h)];
            let sum = |edges: [u32; 4]| edges[0] + edges[1] + edges[2] + edges[3];
            let (of_x, of_y, of_z) = (sum(along_x), sum(along_y), sum(along_z));
            // midpoints in halves of an edge: 1 along the edge itself, 2 where it is at the upper
            // end of another axis
            let sum_x = of_x + 2 * (along_y[1] + along_y[3] + along_z[1] + along_z[3]);
            let sum_y = of_y + 2 * (along_x[1] + along_x[3] + along_z[2] + along_z[3]);
            let sum_z = of_z + 2 * (along_x[2] + along_x[3] + along_y[2] + along_y[3]);
            let halves = (2 * (of_x + of_y + of_z)) as f64;
            let place = |cell: u32, sum: u32| cell as f64 - 1.0 + sum as f64 / halves;
            let [px, py, pz] =
                to_world.position([place(x, sum_x), place(word.y, sum_y), place(word.z, sum_z)]);
            positions.write(at, px);
            positions.write(at + 1, py);
            positions.write(at + 2, pz);
            at += 3;
        }
    });
}
