//! Area and volume, in f64 whatever the mesh's size.

use nalgebra::Vector3;

use super::adjacency::{is_valid, repeats};
use super::{TriangleMesh, VertexIndex};
use crate::parallel;

/// Triangles per chunk. The chunks, and so the rounding of the sums, do not depend on the number of
/// threads.
const CHUNK: usize = 1 << 14;

#[derive(Clone, Copy, Default)]
pub(super) struct Measure {
    pub area: f64,
    /// Six times the signed volume.
    pub volume6: f64,
    pub degenerate: usize,
    pub invalid: usize,
}

/// Sums over all triangles; the same bits on any number of threads.
pub(super) fn measure<I: VertexIndex>(mesh: &TriangleMesh, triangles: &[[I; 3]]) -> Measure {
    // Far from the world's origin the volume would be a small difference of large terms.
    let centre = mesh.bounds().map_or(Vector3::zeros(), |(low, high)| {
        (low.coords.cast::<f64>() + high.coords.cast::<f64>()) * 0.5
    });
    let parts = parallel::map_ranges(triangles.len(), CHUNK, |range| {
        let there = triangles[range].iter();
        there.fold(Measure::default(), |sum, triangle| {
            sum.join(measure_triangle(&mesh.vertices, triangle, &centre))
        })
    });
    parts.into_iter().fold(Measure::default(), Measure::join)
}

fn measure_triangle<I: VertexIndex>(
    vertices: &[[f32; 3]],
    triangle: &[I; 3],
    centre: &Vector3<f64>,
) -> Measure {
    if !is_valid(triangle, vertices.len()) {
        return Measure {
            invalid: 1,
            ..Measure::default()
        };
    }
    if repeats(triangle) {
        return Measure {
            degenerate: 1,
            ..Measure::default()
        };
    }
    let [a, b, c] = triangle.map(|corner| Vector3::from(vertices[corner.position()]).cast::<f64>());
    let cross = (b - a).cross(&(c - a));
    let area = 0.5 * cross.norm();
    if !area.is_finite() {
        return Measure::default();
    }
    Measure {
        area,
        volume6: (a - centre).dot(&cross),
        degenerate: usize::from(area == 0.0),
        invalid: 0,
    }
}

impl Measure {
    fn join(self, other: Self) -> Self {
        Self {
            area: self.area + other.area,
            volume6: self.volume6 + other.volume6,
            degenerate: self.degenerate + other.degenerate,
            invalid: self.invalid + other.invalid,
        }
    }
}
