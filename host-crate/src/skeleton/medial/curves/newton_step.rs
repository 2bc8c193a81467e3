//! Newton steps to the zero of a force, in the directions with a restoring force.

use nalgebra::{Matrix3, Vector3};

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
