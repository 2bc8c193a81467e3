//! Detection of the cells and edges at label boundaries.

use super::{
    net::{AMBIGUOUS, MASKS_PER_WORD, Net},
    simple::is_simple_cell,
};
use crate::{rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Finds the cells with more than one label, those whose boundaries are ambiguous, and the edges
/// whose ends have different labels.
///
/// **Mapping:** one word of 32 cells along x per thread; no shared memory. **Traffic** per cell:
/// four labels read (the other four corners are those of the previous cell); per word: five bit
/// masks (see [`MASKS_PER_WORD`]) and the numbers of cells with a vertex and of ambiguous cells
/// written.
///
/// # Safety
/// `labels` holds `net.grid.samples()` elements; `items` counts the words of `net`; `masks` has
/// [`MASKS_PER_WORD`] elements per word, `cells` and `ambiguous` one.
#[kernel(T = [u8, u16, u32], baseline)]
pub unsafe fn classify_label_cells<T: Count>(
    labels: View<T>,
    net: Net,
    items: Items,
    masks: ViewMut<u32>,
    cells: ViewMut<u8>,
    ambiguous: ViewMut<u8>,
) {
    items.for_each(|index| {
        let word = net.word(index as u64);
        let rows = net.voxel_rows(word.y, word.z);
        let mut previous = rows.labels_before(labels, word.x);
        let (mut vertex, mut x, mut y, mut z, mut unclear) = (0, 0, 0, 0, 0_u32);
        let mut lane = 0;
        // the last cell of a row is cell nx
        while lane < 32 && word.x + lane <= net.grid.nx {
            let [b, d, f, h] = rows.labels_before(labels, word.x + lane + 1);
            let [a, c, e, g] = previous;
            let uniform = a == b && a == c && a == d && a == e && a == f && a == g && a == h;
            if !uniform {
                vertex |= 1 << lane;
                x |= ((g != h) as u32) << lane;
                y |= ((f != h) as u32) << lane;
                z |= ((d != h) as u32) << lane;
                let is_simple = is_simple_cell(&[a, b, c, d, e, f, g, h]);
                unclear |= (!is_simple as u32) << lane;
            }
            previous = [b, d, f, h];
            lane += 1;
        }
        masks.write(index * MASKS_PER_WORD, vertex);
        masks.write(index * MASKS_PER_WORD + 1, x);
        masks.write(index * MASKS_PER_WORD + 2, y);
        masks.write(index * MASKS_PER_WORD + 3, z);
        masks.write(index * MASKS_PER_WORD + AMBIGUOUS, unclear);
        cells.write(index, vertex.count_ones() as u8);
        ambiguous.write(index, unclear.count_ones() as u8);
    });
}
