//! Vertex normals from the incident triangles.

use super::{incidence::valid_corners, lists, smooth::read3};
use crate::{rows::Items, sample::Count};
use cuda_std::{GpuFloat, View, ViewMut, kernel};

/// Writes the area-weighted unit normal of each vertex: the direction of the sum of its triangles'
/// normals, each with a length of twice the triangle's area. If the sum is 0 or not finite, the
/// normal is (0, 0, 1).
///
/// **Mapping:** one vertex per thread, which sorts the list of its triangles in place; no shared
/// memory. **Traffic:** per incident triangle, three corners and nine coordinates read; per vertex,
/// three components written.
///
/// # Safety
/// `positions` and `normals` hold three elements per item; `starts`, `lengths` and `lists` are the
/// output of [`list_incident_triangles`](super::incidence::list_incident_triangles) for `corners`.
#[kernel(I = [u32, u64], baseline)]
pub unsafe fn vertex_normals<I: Count>(
    items: Items,
    positions: View<f32>,
    corners: View<I>,
    starts: View<u64>,
    lengths: View<u64>,
    lists: ViewMut<I>,
    normals: ViewMut<f32>,
) {
    items.for_each(|vertex| {
        let start = starts.read(vertex) as usize;
        let len = lengths.read(vertex) as usize;
        lists::sort(lists, start, len);
        let mut sum = [0.0f64; 3];
        let mut at = 0;
        while at < len {
            let triangle = lists.read(start + at).widen() as usize;
            if let Some(corner_vertices) = valid_corners(corners, triangle, items.count) {
                let [a, b, c] =
                    corner_vertices.map(|corner| read3(positions, corner).map(|x| x as f64));
                let u = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
                let v = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
                sum[0] += u[1] * v[2] - u[2] * v[1];
                sum[1] += u[2] * v[0] - u[0] * v[2];
                sum[2] += u[0] * v[1] - u[1] * v[0];
            }
            at += 1;
        }
        // components are sums of products of two `f32` differences, whose squares do not overflow
        // `f64`
        let length = GpuFloat::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        let has_direction = length > 0.0 && length.is_finite();
        let mut axis = 0;
        while axis < 3 {
            let along_z = (axis == 2) as u32 as f32;
            let normal = if has_direction {
                (sum[axis] / length) as f32
            } else {
                along_z
            };
            normals.write(vertex * 3 + axis, normal);
            axis += 1;
        }
    });
}
