//! Vertex positions of the surface net.

use super::net::{MASKS_PER_WORD, Net};
use crate::{isosurface::interpolate::IndexToWorld, rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Writes the vertex of each cell that has one: the mean of the midpoints of the cell's edges whose
/// ends have different labels.
///
/// Midpoints are summed exactly, as integers in units of half an edge; there is one division per
/// axis, in `f64`.
///
/// **Mapping:** one word of 32 cells per thread, whose cells with a vertex are processed
/// sequentially, as most words have none; no shared memory. **Traffic** per word: its mask read
/// and, if it is not empty, its vertex offset; per vertex: eight labels read, three coordinates
/// written.
///
/// # Safety
/// `labels` holds `net.grid.samples()` elements, `masks` the output of
/// [`classify_label_cells`](super::classify_label_cells) for them, `offsets` the exclusive scan of
/// its vertex counts; `items` counts the words of `net`; `positions` has three elements per vertex.
#[kernel(T = [u8, u16, u32])]
pub unsafe fn emit_label_vertices<T: Count>(
    labels: View<T>,
    net: Net,
    items: Items,
    masks: View<u32>,
    offsets: View<u64>,
    to_world: IndexToWorld,
    positions: ViewMut<f32>,
) {
    items.for_each(|index| {
        let mut pending = masks.read(index * MASKS_PER_WORD);
        if pending == 0 {
            return;
        }
        let mut at = offsets.read(index) as usize * 3;
        let word = net.word(index as u64);
        let rows = net.voxel_rows(word.y, word.z);
        while pending != 0 {
            let x = word.x + pending.trailing_zeros();
            pending &= pending - 1;
            // corners at lower and upper x, for each row
            let [a, c, e, g] = rows.labels_before(labels, x);
            let [b, d, f, h] = rows.labels_before(labels, x + 1);
            let differ = |one: u32, other: u32| (one != other) as u32;
            let along_x = [differ(a, b), differ(c, d), differ(e, f), differ(g, h)];
            let along_y = [differ(a, c), differ(b, d), differ(e, g), differ(f, h)];
            let along_z = [differ(a, e), differ(b, f), differ(c, g), differ(d, h)];
            let sum = |edges: [u32; 4]| edges[0] + edges[1] + edges[2] + edges[3];
            let (count_x, count_y, count_z) = (sum(along_x), sum(along_y), sum(along_z));
            // midpoints in half edges: 1 along the edge itself, 2 at the upper end of another axis
            let sum_x = count_x + 2 * (along_y[1] + along_y[3] + along_z[1] + along_z[3]);
            let sum_y = count_y + 2 * (along_x[1] + along_x[3] + along_z[2] + along_z[3]);
            let sum_z = count_z + 2 * (along_x[2] + along_x[3] + along_y[2] + along_y[3]);
            let halves = (2 * (count_x + count_y + count_z)) as f64;
            let coordinate = |cell: u32, sum: u32| cell as f64 - 1.0 + sum as f64 / halves;
            let [px, py, pz] = to_world.position([
                coordinate(x, sum_x),
                coordinate(word.y, sum_y),
                coordinate(word.z, sum_z),
            ]);
            positions.write(at, px);
            positions.write(at + 1, py);
            positions.write(at + 2, pz);
            at += 3;
        }
    });
}
