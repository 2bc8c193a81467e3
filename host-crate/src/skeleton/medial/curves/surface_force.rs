//! Repulsive force of a component's surface on a position inside, and its Jacobian.
//!
//! The field is the potential field of Cornea et al. (2005) with exponent 6. Sources are boundary
//! faces, weighted by area; only faces near the position are summed, because the contribution of
//! distant ones is negligible with this exponent.

use crate::{memory::CollectOrUnwind, skeleton::medial::context::ComponentContext};
use nalgebra::{Matrix3, Vector3};

/// Cutoff distance of faces, as a multiple of the inscribed radius.
const CUTOFF_RADII: f64 = 2.2;
/// Minimum cutoff distance beyond the inscribed radius, in units of the smallest spacing.
const CUTOFF_MARGIN: f64 = 2.0;

/// Maximum number of point sources of a face along each of its axes. Below this maximum, a face has
/// one point source per unit of the smallest spacing.
const MAX_PARTS: f64 = 5.0;

/// Point sources of the faces perpendicular to each axis, in world coordinates whose unit is the
/// smallest spacing.
pub struct FaceSources {
    /// Offsets from the centre of a face to its sources.
    offsets: [Vec<[f64; 3]>; 3],
    /// Area of each source.
    areas: [f64; 3],
}

impl FaceSources {
    /// Computes the point sources of the faces of a component.
    pub fn new(context: &ComponentContext<'_>) -> Self {
        let parts = [0, 1, 2].map(|axis| {
            let spacing = context.metric.squared_spacing(axis).sqrt();
            spacing.round().clamp(1.0, MAX_PARTS) as u32
        });
        let offsets = [0, 1, 2].map(|axis| {
            let [first_axis, second_axis] = [(axis + 1) % 3, (axis + 2) % 3];
            let middle = |number: u32, of: u32| (f64::from(number) + 0.5) / f64::from(of) - 0.5;
            let grid =
                (0..parts[first_axis]).flat_map(|a| (0..parts[second_axis]).map(move |b| [a, b]));
            grid.map(|[a, b]| {
                let mut offset = [0.0; 3];
                offset[first_axis] = middle(a, parts[first_axis]);
                offset[second_axis] = middle(b, parts[second_axis]);
                context.metric.to_world(offset)
            })
            .collect_or_unwind()
        });
        let areas = [0, 1, 2].map(|axis| context.boundary.area(axis) / offsets[axis].len() as f64);
        Self { offsets, areas }
    }

    /// Returns the force at a position, and its Jacobian.
    pub fn force_at(
        &self,
        context: &ComponentContext<'_>,
        at: [f64; 3],
        radius: f64,
    ) -> (Vector3<f64>, Matrix3<f64>) {
        let cutoff = (CUTOFF_RADII * radius).max(radius + CUTOFF_MARGIN);
        let (min_square, max_square) = (1e-6, cutoff * cutoff);
        let position = context.metric.to_world(at);
        let mut force = [0.0; 3];
        // the components xx, yy, zz, xy, xz, yz
        let mut second = [0.0; 6];
        let mut strengths = 0.0;
        context.boundary.visit_near(at, cutoff, |faces| {
            for face in faces {
                let axis = face.axis();
                for offset in &self.offsets[axis] {
                    let [x, y, z] = [0, 1, 2].map(|k| position[k] - face.at[k] - offset[k]);
                    let square = x * x + y * y + z * z;
                    if square < min_square || square > max_square {
                        continue;
                    }
                    // d / R^7 and its derivatives
                    let inverse = 1.0 / square;
                    let strength = self.areas[axis] * inverse * inverse * inverse * inverse.sqrt();
                    let along = 7.0 * strength * inverse;
                    force[0] += x * strength;
                    force[1] += y * strength;
                    force[2] += z * strength;
                    second[0] += x * x * along;
                    second[1] += y * y * along;
                    second[2] += z * z * along;
                    second[3] += x * y * along;
                    second[4] += x * z * along;
                    second[5] += y * z * along;
                    strengths += strength;
                }
            }
        });
        let [xx, yy, zz, xy, xz, yz] = second;
        let jacobian = Matrix3::new(
            strengths - xx,
            -xy,
            -xz, //
            -xy,
            strengths - yy,
            -yz, //
            -xz,
            -yz,
            strengths - zz,
        );
        (force.into(), jacobian)
    }
}

/// Minimum stiffness of a direction, as a fraction of the largest stiffness, for a Newton step
/// along it: along plates and tubes there is no equilibrium.
const MIN_STIFFNESS: f64 = 0.2;

/// Returns the Newton step to the zero of the force, restricted to the directions with sufficient
/// restoring force.
pub fn newton_step(force: &Vector3<f64>, jacobian: &Matrix3<f64>) -> Vector3<f64> {
    let eigen = jacobian.symmetric_eigen();
    let strongest = eigen.eigenvalues.min();
    let mut step = Vector3::zeros();
    for (value, vector) in eigen
        .eigenvalues
        .iter()
        .zip(eigen.eigenvectors.column_iter())
    {
        if *value < MIN_STIFFNESS * strongest && *value < 0.0 {
            step -= vector * (vector.dot(force) / value);
        }
    }
    step
}

/// Returns the Newton step across a tangent direction.
pub fn newton_step_across(
    force: &Vector3<f64>,
    jacobian: &Matrix3<f64>,
    tangent: &Vector3<f64>,
) -> Vector3<f64> {
    let mut axis = Vector3::zeros();
    axis[tangent.iamin()] = 1.0;
    let u = tangent.cross(&axis).normalize();
    let v = tangent.cross(&u).normalize();
    // eigenvectors of the Jacobian restricted to the plane across the tangent
    let (ju, jv) = (jacobian * u, jacobian * v);
    let (a, b, c) = (u.dot(&ju), u.dot(&jv), v.dot(&jv));
    let [sine, cosine] = half_angle(a - c, 2.0 * b);
    let vectors = [u * cosine + v * sine, v * cosine - u * sine];
    let values = [
        a * cosine * cosine + 2.0 * b * sine * cosine + c * sine * sine,
        a * sine * sine - 2.0 * b * sine * cosine + c * cosine * cosine,
    ];
    let strongest = values[0].min(values[1]);
    let mut step = Vector3::zeros();
    for (value, vector) in values.into_iter().zip(&vectors) {
        if value < MIN_STIFFNESS * strongest && value < 0.0 {
            step -= vector * (vector.dot(force) / value);
        }
    }
    step
}

/// Returns the sine and the cosine of half the angle of a vector; the half angle is at most a right
/// angle.
fn half_angle(x: f64, y: f64) -> [f64; 2] {
    let length = (x * x + y * y).sqrt();
    if length == 0.0 {
        return [0.0, 1.0];
    }
    let larger = (0.5 * (1.0 + x.abs() / length)).sqrt();
    let smaller = 0.5 * y.abs() / (length * larger);
    let [sine, cosine] = if x >= 0.0 {
        [smaller, larger]
    } else {
        [larger, smaller]
    };
    [if y < 0.0 { -sine } else { sine }, cosine]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_angles_match_trigonometric_functions() {
        for number in -180..=180 {
            let angle = f64::from(number).to_radians();
            let [sine, cosine] = half_angle(3.0 * angle.cos(), 3.0 * angle.sin());
            assert!(
                (sine.abs() - (0.5 * angle).sin().abs()).abs() < 1e-12,
                "{number}"
            );
            assert!((cosine - (0.5 * angle).cos()).abs() < 1e-12, "{number}");
        }
    }
}
