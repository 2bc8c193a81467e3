//! Which cells have a vertex, and which of their edges a quad.

use super::net::{MARKS, Net};
use crate::{rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Marks the cells with more than one label, and the edges between two labels.
///
/// A thread takes words of 32 cells along x. For each cell it reads four labels, since those of the
/// other four corners are the cell's before; for each word it writes four words of bits (see
/// [`MARKS`]), and how many vertices and quads these are. Nothing is shared in the block.
///
/// # Safety
/// `labels` holds `net.grid.samples()` elements; `items` counts the words of `net`; `marks` has
/// [`MARKS`] elements for each, `vertices` and `quads` one.
#[kernel(T = [u8, u16, u32])]
pub unsafe fn mark_label_cells<T: Count>(
    labels: View<T>,
    net: Net,
    items: Items,
    marks: ViewMut<u32>,
    vertices: ViewMut<u8>,
    quads: ViewMut<u8>,
) {
    items.for_each(|index| {
        let word = net.word(index as u64);
        let columns = net.columns(word.y, word.z);
        let mut before = columns.before(labels, word.x);
        let (mut vertex, mut x, mut y, mut z) = (0, 0, 0, 0);
        let mut lane = 0;
        // cells of the volume end with cell nx
        while lane < 32 && word.x + lane <= net.grid.nx {
            let [a, b, c, d] = columns.before(labels, word.x + lane + 1);
            let [e, f, g, h] = before;
            let one = a == b && a == c && a == d && a == e && a == f && a == g && a == h;
            vertex |= (!one as u32) << lane;
            x |= ((h != d) as u32) << lane;
            y |= ((c != d) as u32) << lane;
            z |= ((b != d) as u32) << lane;
            before = [a, b, c, d];
            lane += 1;
        }
        marks.write(index * MARKS, vertex);
        marks.write(index * MARKS + 1, x);
        marks.write(index * MARKS + 2, y);
        marks.write(index * MARKS + 3, z);
        vertices.write(index, vertex.count_ones() as u8);
        quads.write(
            index,
            (x.count_ones() + y.count_ones() + z.count_ones()) as u8,
        );
    });
}
