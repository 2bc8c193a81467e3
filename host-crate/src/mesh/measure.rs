//! Surface area and enclosed volume, computed in `f64`.

use nalgebra::Vector3;

use super::adjacency::{has_repeated_index, is_valid};
use super::{TriangleMesh, VertexIndex};
use crate::parallel;

/// Number of triangles per chunk. The chunks, and therefore the rounding of the sums, do not depend
/// on the number of threads.
const CHUNK: usize = 1 << 14;

#[derive(Clone, Copy, Default)]
pub(super) struct Measure {
    pub area: f64,
    /// Signed volume times six.
    pub volume6: f64,
    pub degenerate: usize,
    pub invalid: usize,
}

/// Computes sums over all triangles, with the same bits for any number of threads.
pub(super) fn measure<I: VertexIndex>(mesh: &TriangleMesh, triangles: &[[I; 3]]) -> Measure {
    // Relative to a distant origin, the volume would be a small difference of large terms.
    let centre = mesh.bounds().map_or(Vector3::zeros(), |(low, high)| {
        (low.coords.cast::<f64>() + high.coords.cast::<f64>()) * 0.5
    });
    let parts = parallel::map_ranges(triangles.len(), CHUNK, |range| {
        let chunk = triangles[range].iter();
        chunk.fold(Measure::default(), |sum, triangle| {
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
    if has_repeated_index(triangle) {
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
