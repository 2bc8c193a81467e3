//! The walls: two triangles for each pair of neighbouring voxels with two labels.

use super::net::{MARKS, Net};
use crate::{
    grid::{X, Y, Z},
    rows::Items,
    sample::Count,
};
use cuda_std::{View, ViewMut, kernel};

/// Writes two triangles for each quad, and the two labels that it is between.
///
/// A thread takes words of 32 cells, and of each the cells with quads, one after the other, up to
/// three: most words have none. It reads the word of cells with a vertex and, where it has some,
/// the three of quads and the number of quads before them; for a quad the labels of two voxels, for
/// each of its corners a word of bits, a number of vertices and a position; it writes six indices
/// and two labels, the inside first: of two labels the smaller, of a label and none (0) the label.
/// The triangles are counter-clockwise as seen from the outside; clockwise if `flip` is not 0. They
/// meet in the shorter diagonal; where both are as long in the one from the cell with the smallest
/// coordinates. Nothing is shared in the block.
///
/// # Safety
/// `labels` holds `net.grid.samples()` elements, `marks` what
/// [`mark_label_cells`](super::mark_label_cells) made of them, `vertex_offsets` and `quad_offsets`
/// for each word the number of vertices and of quads before it; `items` counts the words of `net`;
/// `positions` is what [`emit_label_vertices`](super::emit_label_vertices) wrote; `triangles` has
/// six elements for each quad, `sides` two; the number of vertices fits `I`.
#[kernel(T = [u8, u16, u32], I = [u32, u64])]
pub unsafe fn emit_label_quads<T: Count, I: Count>(
    labels: View<T>,
    net: Net,
    items: Items,
    marks: View<u32>,
    vertex_offsets: View<u64>,
    quad_offsets: View<u64>,
    positions: View<f32>,
    flip: u32,
    triangles: ViewMut<I>,
    sides: ViewMut<u32>,
) {
    items.for_each(|index| {
        // a cell without a vertex has no quad
        if marks.read(index * MARKS) == 0 {
            return;
        }
        let [of_x, of_y, of_z] = [
            marks.read(index * MARKS + 1),
            marks.read(index * MARKS + 2),
            marks.read(index * MARKS + 3),
        ];
        let mut quad = quad_offsets.read(index);
        let word = net.word(index as u64);
        let mut left = of_x | of_y | of_z;
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            let at = [word.x + lane, word.y, word.z];
            let mut axis = X;
            while axis <= Z {
                let bits = match axis {
                    X => of_x,
                    Y => of_y,
                    _ => of_z,
                };
                if bits >> lane & 1 == 1 {
                    let [inside, outside, turned] = ends(labels, net, at, axis);
                    let corners = corners(net, marks, vertex_offsets, at, axis);
                    let is_first = first_diagonal(positions, corners);
                    let [a, b, c, d] = corners;
                    let [b, d] = if turned ^ flip == 0 { [b, d] } else { [d, b] };
                    let of_quad = if is_first {
                        [a, b, c, a, c, d]
                    } else {
                        [a, b, d, b, c, d]
                    };
                    let first = quad as usize * 6;
                    triangles.write(first, I::narrow(of_quad[0]));
                    triangles.write(first + 1, I::narrow(of_quad[1]));
                    triangles.write(first + 2, I::narrow(of_quad[2]));
                    triangles.write(first + 3, I::narrow(of_quad[3]));
                    triangles.write(first + 4, I::narrow(of_quad[4]));
                    triangles.write(first + 5, I::narrow(of_quad[5]));
                    sides.write(quad as usize * 2, inside);
                    sides.write(quad as usize * 2 + 1, outside);
                    quad += 1;
                }
                axis += 1;
            }
        }
    });
}

/// The label inside and the one outside of the quad across the edge that ends at a voxel, and
/// whether the inside is the upper end.
#[inline(always)]
fn ends<T: Count>(labels: View<T>, net: Net, [x, y, z]: [u32; 3], axis: u32) -> [u32; 3] {
    let grid = net.grid;
    let read = |x: u32, y: u32, z: u32| {
        if x < grid.nx && y < grid.ny && z < grid.nz {
            labels.read(grid.sample(x, y, z)).widen() as u32
        } else {
            0
        }
    };
    let high = read(x, y, z);
    // what is before the first voxel wraps around, and is outside too
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

/// The vertices of the four cells around the edge, counter-clockwise as seen from its upper end.
#[inline(always)]
fn corners(
    net: Net,
    marks: View<u32>,
    offsets: View<u64>,
    [x, y, z]: [u32; 3],
    axis: u32,
) -> [u64; 4] {
    let ([dx, dy, dz], [ex, ey, ez]) = match axis {
        X => ([0, 1, 0], [0, 0, 1]),
        Y => ([0, 0, 1], [1, 0, 0]),
        _ => ([1, 0, 0], [0, 1, 0]),
    };
    let vertex = |at: [u32; 3]| net.vertex(marks, offsets, at);
    [
        vertex([x, y, z]),
        vertex([x + dx, y + dy, z + dz]),
        vertex([x + dx + ex, y + dy + ey, z + dz + ez]),
        vertex([x + ex, y + ey, z + ez]),
    ]
}

/// Whether the diagonal from the first to the third corner is the shorter one, or as long as the
/// other.
#[inline(always)]
fn first_diagonal(positions: View<f32>, [a, b, c, d]: [u64; 4]) -> bool {
    let along = |one: u64, other: u64, k: usize| {
        let (one, other) = (one as usize * 3 + k, other as usize * 3 + k);
        positions.read(one) as f64 - positions.read(other) as f64
    };
    let square = |one: u64, other: u64| {
        let (x, y, z) = (
            along(one, other, 0),
            along(one, other, 1),
            along(one, other, 2),
        );
        x * x + y * y + z * z
    };
    square(a, c) <= square(b, d)
}
