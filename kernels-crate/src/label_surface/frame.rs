//! Shape of a quad: its corners relative to the edge that it crosses, its triangles, and the volume
//! below them.

use super::{cell::next_axis, net::corner_offset, quads::QuadKey};
use crate::sample::Count;
use cuda_std::View;

/// Division of a quad into two triangles along the diagonal between its corners 0 and 2.
pub const FIRST_DIAGONAL: u32 = 0;
/// Division of a quad into two triangles along the diagonal between its corners 1 and 3.
pub const SECOND_DIAGONAL: u32 = 1;
/// Division of a quad into triangles around a point on the edge that it crosses.
pub const FAN: u32 = 2;

/// Distance by which a diagonal must clear the boundary of the tetrahedra around an edge, as a
/// fraction of the edge length.
const CLEARANCE: f64 = 1.0 / 1024.0;

/// The corners of a quad relative to the lower end of the edge that it crosses: coordinates along
/// the edge, and along the two axes after it, in voxels. Corner k is in quadrant k of the latter
/// two, counter-clockwise from the negative one.
#[derive(Clone, Copy)]
pub(super) struct QuadFrame {
    pub corners: [[f64; 3]; 4],
}

impl QuadFrame {
    /// Reads the corners of quad `quad` from the positions of vertices within their cells.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn read<I: Count>(quads: View<I>, positions: View<f32>, quad: usize, axis: u32) -> Self {
        let first = next_axis(axis);
        let second = next_axis(first);
        let corner = |corner: u32| {
            let at = quads.read(quad * 4 + corner as usize).widen() as usize * 3;
            let [i, j] = corner_offset(corner);
            [
                positions.read(at + axis as usize) as f64,
                positions.read(at + first as usize) as f64 - (1 - i) as f64,
                positions.read(at + second as usize) as f64 - (1 - j) as f64,
            ]
        };
        Self {
            corners: [corner(0), corner(1), corner(2), corner(3)],
        }
    }

    /// Returns the height along the edge of the point around which the quad is divided by [`FAN`].
    #[inline(always)]
    pub fn centre_height(&self) -> f64 {
        let [a, b, c, d] = self.corners;
        (a[0] + b[0] + c[0] + d[0]) * 0.25
    }

    /// Chooses the division of the quad: the shorter diagonal in the metric of `matrix` whose
    /// triangles stay within the tetrahedra between the edge and each side of the quad (Ju and
    /// Udeshi 2006); if neither does, or the quad has points on its sides, [`FAN`].
    ///
    /// Tetrahedra of different edges do not overlap, so triangles within them do not intersect.
    #[inline(always)]
    pub fn choose_division(&self, key: QuadKey, matrix: &[f64; 9]) -> u32 {
        let [a, b, c, d] = self.corners;
        if key.face_points() != 0 {
            return FAN;
        }
        let axis = key.axis();
        let first = squared_length(difference(a, c), axis, matrix);
        let second = squared_length(difference(b, d), axis, matrix);
        let first_is_inside = is_inside([a, b, c, d]);
        let second_is_inside = is_inside([b, c, d, a]);
        if first_is_inside && (first <= second || !second_is_inside) {
            FIRST_DIAGONAL
        } else if second_is_inside {
            SECOND_DIAGONAL
        } else {
            FAN
        }
    }

    /// Calls `visit` with the corners of each triangle, counter-clockwise as seen from the upper
    /// end of the edge.
    #[inline(always)]
    pub fn for_each_triangle(
        &self,
        key: QuadKey,
        division: u32,
        mut visit: impl FnMut([[f64; 3]; 3]),
    ) {
        let [a, b, c, d] = self.corners;
        match division {
            FIRST_DIAGONAL => {
                visit([a, b, c]);
                visit([a, c, d]);
            }
            SECOND_DIAGONAL => {
                visit([a, b, d]);
                visit([b, c, d]);
            }
            _ => {
                let centre = [self.centre_height(), 0.0, 0.0];
                let mut from = [a, b, c, d];
                let mut side = 0;
                while side < 4 {
                    let [one, two, three, four] = from;
                    if key.face_points() >> side & 1 == 1 {
                        let point = face_point(key, side);
                        visit([centre, one, point]);
                        visit([centre, point, two]);
                    } else {
                        visit([centre, one, two]);
                    }
                    from = [two, three, four, one];
                    side += 1;
                }
            }
        }
    }
}

/// Returns the position of the point on the face of a quad's side, relative to the lower end of the
/// edge: between the midpoints of the edge and of the edge that its arc continues to.
#[inline(always)]
fn face_point(key: QuadKey, side: u32) -> [f64; 3] {
    let height = if key.surrounds_upper(side) {
        0.75
    } else {
        0.25
    };
    match side {
        0 => [height, 0.0, -0.25],
        1 => [height, 0.25, 0.0],
        2 => [height, 0.0, 0.25],
        _ => [height, -0.25, 0.0],
    }
}

/// Returns `true` if the two triangles on both sides of the diagonal between the first and the
/// third corner stay within the tetrahedra around the edge.
///
/// The edge passes through one of them, as each corner is in its own quadrant. The diagonal then
/// must pass through the triangle of the edge and the other corner, the apex.
#[cuda_std::inline_closures]
#[inline(always)]
fn is_inside([one, two, three, four]: [[f64; 3]; 4]) -> bool {
    let apex = if cross(one, three) >= 0.0 { two } else { four };
    let (before, after) = (cross(apex, one), cross(apex, three));
    let along = before / (before - after);
    let at = |axis: usize| one[axis] + along * (three[axis] - one[axis]);
    // position of the diagonal between the edge (0) and the apex (1)
    let squared = apex[1] * apex[1] + apex[2] * apex[2];
    let outward = (at(1) * apex[1] + at(2) * apex[2]) / squared;
    let height = at(0);
    let lowest = outward * apex[0];
    let highest = 1.0 - outward + lowest;
    outward < 1.0 - CLEARANCE && height > lowest + CLEARANCE && height < highest - CLEARANCE
}

/// Returns the cross product of two positions in the plane perpendicular to the edge.
#[inline(always)]
fn cross(one: [f64; 3], other: [f64; 3]) -> f64 {
    one[1] * other[2] - one[2] * other[1]
}

#[inline(always)]
fn difference(one: [f64; 3], other: [f64; 3]) -> [f64; 3] {
    [one[0] - other[0], one[1] - other[1], one[2] - other[2]]
}

/// Returns the squared world length of a vector in a frame along `axis`.
#[cuda_std::inline_closures]
#[inline(always)]
fn squared_length(vector: [f64; 3], axis: u32, matrix: &[f64; 9]) -> f64 {
    let [x, y, z] = unrotated(vector, axis);
    let row = |first: usize| matrix[first] * x + matrix[first + 1] * y + matrix[first + 2] * z;
    let (x, y, z) = (row(0), row(3), row(6));
    x * x + y * y + z * z
}

/// Converts a vector in a frame along `axis` to the order x, y, z.
#[inline(always)]
pub(super) fn unrotated([a, b, c]: [f64; 3], axis: u32) -> [f64; 3] {
    match axis {
        0 => [a, b, c],
        1 => [c, a, b],
        _ => [b, c, a],
    }
}

/// Returns the cross product of two sides of a triangle: twice its area vector.
#[inline(always)]
pub(super) fn doubled_area([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let (one, other) = (difference(b, a), difference(c, a));
    [
        one[1] * other[2] - one[2] * other[1],
        one[2] * other[0] - one[0] * other[2],
        one[0] * other[1] - one[1] * other[0],
    ]
}
