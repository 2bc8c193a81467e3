//! Quads of the walls: two triangles per pair of neighbouring voxels with different labels.

use super::net::{MASKS_PER_WORD, Net};
use crate::{
    grid::{X, Y, Z},
    rows::Items,
    sample::Count,
};
use cuda_std::{View, ViewMut, kernel};

/// Writes two triangles and the two adjacent labels of each quad.
///
/// Of the two labels of a quad, the inside label is written first: the smaller label or, next to
/// background (0), the label that is not 0. Triangles are counter-clockwise as seen from outside,
/// clockwise if `flip` is not 0. A quad is split along its shorter diagonal; if both have equal
/// length, along the one from the cell with the smallest coordinates.
///
/// **Mapping:** one word of 32 cells per thread, whose cells with quads are processed sequentially,
/// as most words have none; no shared memory. **Traffic** per word: the mask of cells with a vertex
/// read and, if it is not empty, the three masks of quads and the quad offset; per quad: the labels
/// of two voxels, and for each corner a mask, a vertex offset and a position read, six indices and
/// two labels written.
///
/// # Safety
/// `labels` holds `net.grid.samples()` elements, `masks` the output of
/// [`classify_label_cells`](super::classify_label_cells) for them; `vertex_offsets` and
/// `quad_offsets` are the exclusive scans of its counts; `items` counts the words of `net`;
/// `positions` is the output of [`emit_label_vertices`](super::emit_label_vertices); `triangles`
/// has six elements per quad, `sides` two; the number of vertices fits `I`.
#[kernel(T = [u8, u16, u32], I = [u32, u64])]
pub unsafe fn emit_label_quads<T: Count, I: Count>(
    labels: View<T>,
    net: Net,
    items: Items,
    masks: View<u32>,
    vertex_offsets: View<u64>,
    quad_offsets: View<u64>,
    positions: View<f32>,
    flip: u32,
    triangles: ViewMut<I>,
    sides: ViewMut<u32>,
) {
    items.for_each(|index| {
        // a cell without a vertex has no quad
        if masks.read(index * MASKS_PER_WORD) == 0 {
            return;
        }
        let [quads_x, quads_y, quads_z] = [
            masks.read(index * MASKS_PER_WORD + 1),
            masks.read(index * MASKS_PER_WORD + 2),
            masks.read(index * MASKS_PER_WORD + 3),
        ];
        let mut quad = quad_offsets.read(index);
        let word = net.word(index as u64);
        let mut pending = quads_x | quads_y | quads_z;
        while pending != 0 {
            let lane = pending.trailing_zeros();
            pending &= pending - 1;
            let cell = [word.x + lane, word.y, word.z];
            let mut axis = X;
            while axis <= Z {
                let bits = match axis {
                    X => quads_x,
                    Y => quads_y,
                    _ => quads_z,
                };
                if bits >> lane & 1 == 1 {
                    let [inside, outside, inside_is_upper] = quad_sides(labels, net, cell, axis);
                    let corners = quad_corners(net, masks, vertex_offsets, cell, axis);
                    let first_diagonal = prefers_first_diagonal(positions, corners);
                    let [a, b, c, d] = corners;
                    let [b, d] = if inside_is_upper ^ flip == 0 {
                        [b, d]
                    } else {
                        [d, b]
                    };
                    let indices = if first_diagonal {
                        [a, b, c, a, c, d]
                    } else {
                        [a, b, d, b, c, d]
                    };
                    let first = quad as usize * 6;
                    triangles.write(first, I::narrow(indices[0]));
                    triangles.write(first + 1, I::narrow(indices[1]));
                    triangles.write(first + 2, I::narrow(indices[2]));
                    triangles.write(first + 3, I::narrow(indices[3]));
                    triangles.write(first + 4, I::narrow(indices[4]));
                    triangles.write(first + 5, I::narrow(indices[5]));
                    sides.write(quad as usize * 2, inside);
                    sides.write(quad as usize * 2 + 1, outside);
                    quad += 1;
                }
                axis += 1;
            }
        }
    });
}

/// Returns the inside and the outside label of the quad across the edge that ends at voxel `[x, y,
/// z]`, and 1 if the inside is at the upper end, else 0.
#[inline(always)]
fn quad_sides<T: Count>(labels: View<T>, net: Net, [x, y, z]: [u32; 3], axis: u32) -> [u32; 3] {
    let grid = net.grid;
    let read = |x: u32, y: u32, z: u32| {
        if x < grid.nx && y < grid.ny && z < grid.nz {
            labels.read(grid.sample(x, y, z)).widen() as u32
        } else {
            0
        }
    };
    let high = read(x, y, z);
    // indices below 0 wrap around to large numbers, which are outside too
    let low = match axis {
        X => read(x.wrapping_sub(1), y, z),
        Y => read(x, y.wrapping_sub(1), z),
        _ => read(x, y, z.wrapping_sub(1)),
    };
    if low != 0 && (high == 0 || low < high) {
        [low, high, 0]
    } else {
        [high, low, 1]
    }
}

/// Returns the vertices of the four cells around the edge, counter-clockwise as seen from its upper
/// end.
#[inline(always)]
fn quad_corners(
    net: Net,
    masks: View<u32>,
    offsets: View<u64>,
    [x, y, z]: [u32; 3],
    axis: u32,
) -> [u64; 4] {
    let ([dx, dy, dz], [ex, ey, ez]) = match axis {
        X => ([0, 1, 0], [0, 0, 1]),
        Y => ([0, 0, 1], [1, 0, 0]),
        _ => ([1, 0, 0], [0, 1, 0]),
    };
    let vertex = |cell: [u32; 3]| net.vertex(masks, offsets, cell);
    [
        vertex([x, y, z]),
        vertex([x + dx, y + dy, z + dz]),
        vertex([x + dx + ex, y + dy + ey, z + dz + ez]),
        vertex([x + ex, y + ey, z + ez]),
    ]
}

/// Returns `true` if the diagonal from the first to the third corner is at most as long as the
/// other.
#[inline(always)]
fn prefers_first_diagonal(positions: View<f32>, [a, b, c, d]: [u64; 4]) -> bool {
    let along = |one: u64, other: u64, k: usize| {
        let (one, other) = (one as usize * 3 + k, other as usize * 3 + k);
        positions.read(one) as f64 - positions.read(other) as f64
    };
    let squared_distance = |one: u64, other: u64| {
        let (x, y, z) = (
            along(one, other, 0),
            along(one, other, 1),
            along(one, other, 2),
        );
        x * x + y * y + z * z
    };
    squared_distance(a, c) <= squared_distance(b, d)
}
