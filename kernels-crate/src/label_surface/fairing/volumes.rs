//! Volume pressure on finished walls.

use super::{
    super::pressure::{PRESSURE_FACTOR, to_fixed},
    vertices::{limit, read3, triangle_area},
};
use crate::rows::Items;
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Number of neighbouring triangles that a thread measures before it adds to the sums of a label.
pub const TRIANGLES_PER_RUN: u64 = 16;

/// Measures the area vector of each triangle, and adds up the volume and the area of each label, in
/// voxels.
///
/// The volume is the sum over the triangles of a label's surface of the volumes of their tetrahedra
/// with the first voxel.
///
/// **Mapping:** runs of [`TRIANGLES_PER_RUN`] triangles per thread; no shared memory. **Traffic**
/// per triangle: three indices, nine coordinates and two labels read, three numbers written; per
/// sequence of triangles of a run with the same two labels: four atomic additions.
///
/// # Safety
/// `corners` holds three elements per triangle, `sides` two, for `count` triangles; `items` counts
/// the runs; `positions` holds three elements per vertex; `areas` three per triangle, `sums` two
/// per label and two for the background.
#[kernel(baseline)]
pub unsafe fn measure_wall_triangles(
    items: Items,
    count: u64,
    corners: View<u32>,
    sides: View<u32>,
    orientation: f64,
    positions: View<f64>,
    areas: ViewMut<f64>,
    sums: ViewMut<u64>,
) {
    items.for_each(|run| {
        let first = run as u64 * TRIANGLES_PER_RUN;
        let end = if count - first < TRIANGLES_PER_RUN {
            count
        } else {
            first + TRIANGLES_PER_RUN
        };
        let (mut inside, mut outside) = (0, 0);
        let (mut volume, mut area) = (0_u64, 0_u64);
        let add = |label: u32, volume: u64, area: u64| {
            if label != 0 {
                sums.atomic_add(label as usize * 2, volume);
                sums.atomic_add(label as usize * 2 + 1, area);
            }
        };
        let mut index = first;
        while index < end {
            let triangle = index as usize;
            let next = (sides.read(triangle * 2), sides.read(triangle * 2 + 1));
            if next != (inside, outside) {
                add(inside, volume, area);
                add(outside, volume.wrapping_neg(), area);
                (inside, outside) = next;
                (volume, area) = (0, 0);
            }
            let (a, doubled) = triangle_area(corners, positions, triangle);
            let doubled = doubled.map(|x| orientation * x);
            let squared =
                doubled[0] * doubled[0] + doubled[1] * doubled[1] + doubled[2] * doubled[2];
            let height = a[0] * doubled[0] + a[1] * doubled[1] + a[2] * doubled[2];
            volume = volume.wrapping_add(to_fixed(height / 6.0));
            area = area.wrapping_add(to_fixed(0.5 * GpuFloat::sqrt(squared)));
            areas.write(triangle * 3, doubled[0]);
            areas.write(triangle * 3 + 1, doubled[1]);
            areas.write(triangle * 3 + 2, doubled[2]);
            index += 1;
        }
        add(inside, volume, area);
        add(outside, volume.wrapping_neg(), area);
    });
}

/// Moves each vertex along the normals of its triangles, weighted by their areas, by 0.8 times
/// their pressure, within its limits: the difference of the pressures of two labels, or the
/// pressure of one label next to background.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per vertex: ten numbers of its
/// own and, per incident triangle, an index, two labels and pressures, and three numbers read;
/// three coordinates written.
///
/// # Safety
/// `starts`, `lengths` and `lists` are those of
/// [`list_fairing_neighbours`](super::list_fairing_neighbours); `sides` has two elements per
/// triangle, `areas` is the output of [`measure_wall_triangles`], `pressures` that of
/// [`compute_label_pressures`](crate::label_surface::compute_label_pressures); `thin`, `origins`
/// and `positions` are as for [`fair_vertices`](super::fair_vertices).
#[kernel(baseline)]
pub unsafe fn apply_wall_pressures(
    items: Items,
    starts: View<u64>,
    lengths: View<u64>,
    lists: View<u32>,
    sides: View<u32>,
    areas: View<f64>,
    pressures: View<f32>,
    thin: View<u8>,
    origins: View<f64>,
    positions: ViewMut<f64>,
) {
    items.for_each(|vertex| {
        let start = starts.read(vertex) as usize;
        let end = start + lengths.read(vertex) as usize;
        let (mut shift, mut total) = ([0.0; 3], 0.0);
        let mut at = start;
        while at < end {
            let triangle = lists.read(at) as usize;
            // the background has no pressure
            let inside = pressures.read(sides.read(triangle * 2) as usize);
            let pressure = (inside - pressures.read(sides.read(triangle * 2 + 1) as usize)) as f64;
            let area = read3(areas, triangle);
            let squared = area[0] * area[0] + area[1] * area[1] + area[2] * area[2];
            total += GpuFloat::sqrt(squared);
            shift = [
                shift[0] + pressure * area[0],
                shift[1] + pressure * area[1],
                shift[2] + pressure * area[2],
            ];
            at += 1;
        }
        if total > 0.0 {
            let scale = PRESSURE_FACTOR as f64 / total;
            let at = vertex * 3;
            let moved = [
                positions.read(at) + scale * shift[0],
                positions.read(at + 1) + scale * shift[1],
                positions.read(at + 2) + scale * shift[2],
            ];
            let moved = limit(moved, read3(origins, vertex), thin.read(vertex) != 0);
            positions.write(at, moved[0]);
            positions.write(at + 1, moved[1]);
            positions.write(at + 2, moved[2]);
        }
    });
}
