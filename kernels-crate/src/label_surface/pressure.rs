//! Volume pressure: moves walls such that each label encloses the volume of its voxels.

use super::{
    frame::{QuadFrame, doubled_area, unrotated},
    net::{Net, moved},
    quads::QuadKey,
    relax::limit,
};
use crate::{rows::Items, sample::Count};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Number of neighbouring quads that a thread measures before it adds to the sums of a label.
pub const QUADS_PER_RUN: u64 = 16;

/// Number of fractional bits of sums of volumes and areas, which are integers so that they do not
/// depend on the order of addition.
const FRACTION_BITS: u32 = 24;

/// Units of a fixed-point sum per voxel.
const UNITS: f64 = (1_u64 << FRACTION_BITS) as f64;

/// Returns a volume or an area as a fixed-point number.
#[inline(always)]
pub(super) fn to_fixed(value: f64) -> u64 {
    (value * UNITS) as i64 as u64
}

#[inline(always)]
fn from_fixed(sum: u64) -> f64 {
    sum as i64 as f64 / UNITS
}

/// Measures the area vector of each quad, directed from its inside to its outside label, and adds
/// up the volume and the area of each label, in voxels.
///
/// The volume is the sum over the triangles of a label's surface of the volumes of their tetrahedra
/// with the first voxel.
///
/// **Mapping:** runs of [`QUADS_PER_RUN`] quads per thread; no shared memory. **Traffic** per quad:
/// four indices, twelve coordinates, a key and two labels read, three numbers written; per sequence
/// of quads of a run with the same two labels: four atomic additions.
///
/// # Safety
/// `quads`, `sides` and `keys` are the output of [`emit_label_quads`](super::emit_label_quads) for
/// `count` quads; `items` counts the runs; `positions` holds three coordinates per vertex, within
/// its cell; `areas` has three elements per quad, `sums` two per label and two for the background.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn measure_label_quads<I: Count>(
    net: Net,
    items: Items,
    count: u64,
    quads: View<I>,
    sides: View<u32>,
    keys: View<u64>,
    positions: View<f32>,
    matrix: [f64; 9],
    areas: ViewMut<f32>,
    sums: ViewMut<u64>,
) {
    items.for_each(|run| {
        let first = run as u64 * QUADS_PER_RUN;
        let end = if count - first < QUADS_PER_RUN {
            count
        } else {
            first + QUADS_PER_RUN
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
            let quad = index as usize;
            let next = (sides.read(quad * 2), sides.read(quad * 2 + 1));
            if next != (inside, outside) {
                add(inside, volume, area);
                add(outside, volume.wrapping_neg(), area);
                (inside, outside) = next;
                (volume, area) = (0, 0);
            }
            let key = QuadKey(keys.read(quad));
            let axis = key.axis();
            let frame = QuadFrame::read(quads, positions, quad, axis);
            let division = frame.choose_division(key, &matrix);
            // twice the area vector, and six times the volume relative to the edge's lower end
            let (mut vector, mut local) = ([0.0; 3], 0.0);
            frame.for_each_triangle(key, division, |corners| {
                let doubled = doubled_area(corners);
                let [a, ..] = corners;
                vector = [
                    vector[0] + doubled[0],
                    vector[1] + doubled[1],
                    vector[2] + doubled[2],
                ];
                local += a[0] * doubled[0] + a[1] * doubled[1] + a[2] * doubled[2];
            });
            let sign = if key.inside_is_upper() == 1 {
                -1.0
            } else {
                1.0
            };
            let vector = unrotated(vector, axis);
            let lower = moved(net.cell(key.cell()), axis, u32::MAX);
            // a voxel before the first has index -1
            let coordinate = |index: u32| index as i32 as f64;
            let from_lower = coordinate(lower[0]) * vector[0]
                + coordinate(lower[1]) * vector[1]
                + coordinate(lower[2]) * vector[2];
            volume = volume.wrapping_add(to_fixed(sign * (from_lower + local) / 6.0));
            let squared = vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2];
            area = area.wrapping_add(to_fixed(0.5 * GpuFloat::sqrt(squared)));
            areas.write(quad * 3, (0.5 * sign * vector[0]) as f32);
            areas.write(quad * 3 + 1, (0.5 * sign * vector[1]) as f32);
            areas.write(quad * 3 + 2, (0.5 * sign * vector[2]) as f32);
            index += 1;
        }
        add(inside, volume, area);
        add(outside, volume.wrapping_neg(), area);
    });
}

/// Fraction of the previous pressure of a label that is added to the new one. Without it, volumes
/// of labels that are surrounded by others converge slowly, since each step moves volume only
/// between neighbours.
const MOMENTUM: f32 = 0.5;

/// Fraction of the pressure that is applied per step. Less than 1, because both labels of a wall
/// move it.
pub(super) const PRESSURE_FACTOR: f32 = 0.8;

/// Computes the pressure of each label from the distance by which its surface must move outward to
/// enclose the volume of its voxels, in voxels, and from its previous pressure; counts the labels
/// whose volume differs by more than the fraction `tolerance`; and clears the sums.
///
/// **Mapping:** one label per thread; no shared memory. **Traffic** per label: four numbers read,
/// three written, and for a label with a different volume an atomic addition.
///
/// # Safety
/// `voxels` holds the number of voxels per label, `pressures` has as many elements, and `sums` are
/// those of [`measure_label_quads`], or of
/// [`measure_wall_triangles`](super::fairing::measure_wall_triangles); the first label is the
/// background, without pressure; `unequal` has one element.
#[kernel(baseline)]
pub unsafe fn compute_label_pressures(
    items: Items,
    voxels: View<u64>,
    tolerance: f64,
    sums: ViewMut<u64>,
    pressures: ViewMut<f32>,
    unequal: ViewMut<u64>,
) {
    items.for_each(|label| {
        let volume = from_fixed(sums.read(label * 2));
        let area = from_fixed(sums.read(label * 2 + 1));
        let voxels = voxels.read(label) as f64;
        let missing = voxels - volume;
        let has_surface = label != 0 && area > 0.0;
        let pressure = if has_surface {
            (missing / area) as f32 + MOMENTUM * pressures.read(label)
        } else {
            0.0
        };
        if has_surface && missing.abs() > tolerance * voxels {
            unequal.atomic_add(0, 1);
        }
        pressures.write(label, pressure);
        sums.write(label * 2, 0);
        sums.write(label * 2 + 1, 0);
    });
}

/// Moves each vertex along the normals of its quads, weighted by their areas, by 0.8 times their
/// pressure, within its limits: the difference of the pressures of two labels, or the pressure of
/// one label next to background.
///
/// **Mapping:** one vertex per thread; no shared memory. **Traffic** per vertex: eight numbers of
/// its own and, per incident quad, an index, two labels and pressures, and three numbers read;
/// three coordinates written.
///
/// # Safety
/// `starts`, `lengths` and `lists` are those of
/// [`list_relaxation_neighbours`](super::list_relaxation_neighbours) after sorting; `sides` are
/// those of [`emit_label_quads`](super::emit_label_quads), `areas` is the output of
/// [`measure_label_quads`], `pressures` that of [`compute_label_pressures`]; `bound`, `origins` and
/// `positions` are as for [`relax_label_vertices`](super::relax_label_vertices).
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn apply_label_pressures<I: Count>(
    items: Items,
    starts: View<u64>,
    lengths: View<u32>,
    lists: View<I>,
    sides: View<u32>,
    areas: View<f32>,
    pressures: View<f32>,
    bound: View<u8>,
    origins: View<f32>,
    positions: ViewMut<f32>,
) {
    items.for_each(|vertex| {
        let first = starts.read(vertex) as usize;
        let count = lengths.read(vertex) as usize;
        let (mut shift, mut total) = ([0.0_f32; 3], 0.0_f32);
        let mut at = 0;
        while at < count {
            let quad = (lists.read(first + at).widen() / 4) as usize;
            // the background has no pressure
            let inside = pressures.read(sides.read(quad * 2) as usize);
            let pressure = inside - pressures.read(sides.read(quad * 2 + 1) as usize);
            let area = [
                areas.read(quad * 3),
                areas.read(quad * 3 + 1),
                areas.read(quad * 3 + 2),
            ];
            let squared = area[0] * area[0] + area[1] * area[1] + area[2] * area[2];
            total += GpuFloat::sqrt(squared);
            shift = [
                shift[0] + pressure * area[0],
                shift[1] + pressure * area[1],
                shift[2] + pressure * area[2],
            ];
            at += 1;
        }
        let scale = if total > 0.0 {
            PRESSURE_FACTOR / total
        } else {
            0.0
        };
        let is_bound = bound.read(vertex) != 0;
        let mut axis = 0;
        while axis < 3 {
            let at = vertex * 3 + axis;
            let moved = positions.read(at) + scale * shift[axis];
            positions.write(at, limit(moved, origins.read(at), is_bound));
            axis += 1;
        }
    });
}
