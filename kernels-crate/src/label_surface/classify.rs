//! Detection of the cells and edges at label boundaries.

use super::net::{MASKS_PER_WORD, Net};
use crate::{rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Finds the cells with more than one label, and the edges whose ends have different labels.
///
/// **Mapping:** one word of 32 cells along x per thread; no shared memory. **Traffic** per cell:
/// four labels read (the other four corners are those of the previous cell); per word: four bit
/// masks (see [`MASKS_PER_WORD`]) and the numbers of vertices and quads written.
///
/// # Safety
/// `labels` holds `net.grid.samples()` elements; `items` counts the words of `net`; `masks` has
/// [`MASKS_PER_WORD`] elements per word, `vertices` and `quads` one.
#[kernel(T = [u8, u16, u32])]
pub unsafe fn classify_label_cells<T: Count>(
    labels: View<T>,
    net: Net,
    items: Items,
    masks: ViewMut<u32>,
    vertices: ViewMut<u8>,
    quads: ViewMut<u8>,
) {
    items.for_each(|index| {
        let word = net.word(index as u64);
        let rows = net.voxel_rows(word.y, word.z);
        let mut previous = rows.labels_before(labels, word.x);
        let (mut vertex, mut x, mut y, mut z) = (0, 0, 0, 0);
        let mut lane = 0;
        // the last cell of a row is cell nx
        while lane < 32 && word.x + lane <= net.grid.nx {
            let [a, b, c, d] = rows.labels_before(labels, word.x + lane + 1);
            let [e, f, g, h] = previous;
            let uniform = a == b && a == c && a == d && a == e && a == f && a == g && a == h;
            vertex |= (!uniform as u32) << lane;
            x |= ((h != d) as u32) << lane;
            y |= ((c != d) as u32) << lane;
            z |= ((b != d) as u32) << lane;
            previous = [a, b, c, d];
            lane += 1;
        }
        masks.write(index * MASKS_PER_WORD, vertex);
        masks.write(index * MASKS_PER_WORD + 1, x);
        masks.write(index * MASKS_PER_WORD + 2, y);
        masks.write(index * MASKS_PER_WORD + 3, z);
        vertices.write(index, vertex.count_ones() as u8);
        quads.write(
            index,
            (x.count_ones() + y.count_ones() + z.count_ones()) as u8,
        );
    });
}
