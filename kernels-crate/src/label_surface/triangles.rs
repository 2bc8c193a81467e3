//! Triangles of the walls.

use super::{
    frame::{FAN, FIRST_DIAGONAL, QuadFrame, unrotated},
    net::{AmbiguousCells, Net},
    quads::{QuadKey, face_point_number},
};
use crate::{isosurface::interpolate::IndexToWorld, rows::Items, sample::Count};
use cuda_std::{View, ViewMut, kernel};

/// Chooses the division of each quad into triangles, and counts them and the additional vertices:
/// [`FIRST_DIAGONAL`], [`SECOND_DIAGONAL`](super::frame::SECOND_DIAGONAL) or [`FAN`].
///
/// **Mapping:** one quad per thread; no shared memory. **Traffic** per quad: four indices, twelve
/// coordinates and a key read, three bytes written.
///
/// # Safety
/// `quads` and `keys` are the output of [`emit_label_quads`](super::emit_label_quads); `positions`
/// holds three coordinates per vertex, within its cell; `divisions`, `triangles` and `centres` have
/// one element per item.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn divide_label_quads<I: Count>(
    items: Items,
    quads: View<I>,
    keys: View<u64>,
    positions: View<f32>,
    matrix: [f64; 9],
    divisions: ViewMut<u8>,
    triangles: ViewMut<u8>,
    centres: ViewMut<u8>,
) {
    items.for_each(|quad| {
        let key = QuadKey(keys.read(quad));
        let frame = QuadFrame::read(quads, positions, quad, key.axis());
        let division = frame.choose_division(key, &matrix);
        let is_fan = division == FAN;
        let count = if is_fan {
            4 + key.face_points().count_ones()
        } else {
            2
        };
        divisions.write(quad, division as u8);
        triangles.write(quad, count as u8);
        centres.write(quad, is_fan as u8);
    });
}

/// Writes the triangles of each quad with their two labels, and the centres of fans.
///
/// Triangles are counter-clockwise as seen from outside, clockwise if `flip` is not 0.
///
/// **Mapping:** one quad per thread; no shared memory. **Traffic** per quad: a key, four indices,
/// two labels, a division and an offset read; for a fan also twelve coordinates, three coordinates
/// of its centre written, and for each point on a face the numbers of its cell read; per triangle:
/// three indices and two labels written.
///
/// # Safety
/// `quads`, `sides` and `keys` are the output of [`emit_label_quads`](super::emit_label_quads),
/// `divisions` that of [`divide_label_quads`], and `triangle_offsets` and `centre_offsets` are the
/// exclusive scans of its counts; `masks`, `ambiguous_offsets`, `nodes`, `faces` and
/// `point_offsets` are those of [`emit_face_points`](super::emit_face_points); `within` holds
/// positions within cells; `first_vertices` are the indices of the first point on a face and of
/// the first centre; `positions` has three elements per vertex, `triangles` three per triangle and
/// `labels` two; the number of vertices fits `I`.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn emit_label_triangles<I: Count>(
    net: Net,
    items: Items,
    masks: View<u32>,
    ambiguous_offsets: View<u64>,
    nodes: View<u32>,
    faces: View<u8>,
    point_offsets: View<u64>,
    quads: View<I>,
    sides: View<u32>,
    keys: View<u64>,
    divisions: View<u8>,
    triangle_offsets: View<u64>,
    centre_offsets: View<u64>,
    within: View<f32>,
    first_vertices: [u64; 2],
    to_world: IndexToWorld,
    flip: u32,
    positions: ViewMut<f32>,
    triangles: ViewMut<I>,
    labels: ViewMut<u32>,
) {
    let ambiguous = AmbiguousCells {
        net,
        masks,
        offsets: ambiguous_offsets,
        nodes,
    };
    items.for_each(|quad| {
        let key = QuadKey(keys.read(quad));
        let division = divisions.read(quad) as u32;
        let is_reversed = key.inside_is_upper() ^ flip == 1;
        let (inside, outside) = (sides.read(quad * 2), sides.read(quad * 2 + 1));
        let mut at = triangle_offsets.read(quad) as usize;
        let mut emit = |a: u64, b: u64, c: u64| {
            let [b, c] = if is_reversed { [c, b] } else { [b, c] };
            triangles.write(at * 3, I::narrow(a));
            triangles.write(at * 3 + 1, I::narrow(b));
            triangles.write(at * 3 + 2, I::narrow(c));
            labels.write(at * 2, inside);
            labels.write(at * 2 + 1, outside);
            at += 1;
        };
        let corner = |corner: usize| quads.read(quad * 4 + corner).widen();
        let [a, b, c, d] = [corner(0), corner(1), corner(2), corner(3)];
        if division == FIRST_DIAGONAL {
            emit(a, b, c);
            emit(a, c, d);
        } else if division != FAN {
            emit(a, b, d);
            emit(b, c, d);
        } else {
            let axis = key.axis();
            let centre = first_vertices[1] + centre_offsets.read(quad);
            let height = QuadFrame::read(quads, within, quad, axis).centre_height();
            let offset = unrotated([height, 0.0, 0.0], axis);
            // the lower end of the edge is one voxel from the highest corner of the cell
            let step = |along: u32| if along == axis { 0.0 } else { 1.0 };
            let within = [
                step(0) + offset[0],
                step(1) + offset[1],
                step(2) + offset[2],
            ];
            let position = net.world_position(net.cell(key.cell()), within, to_world);
            positions.write(centre as usize * 3, position[0]);
            positions.write(centre as usize * 3 + 1, position[1]);
            positions.write(centre as usize * 3 + 2, position[2]);
            let mut corners = [a, b, c, d];
            let mut side = 0;
            while side < 4 {
                let [one, two, three, four] = corners;
                if key.face_points() >> side & 1 == 1 {
                    let number = face_point_number(ambiguous, faces, point_offsets, key, side);
                    let point = first_vertices[0] + number;
                    emit(centre, one, point);
                    emit(centre, point, two);
                } else {
                    emit(centre, one, two);
                }
                corners = [two, three, four, one];
                side += 1;
            }
        }
    });
}
