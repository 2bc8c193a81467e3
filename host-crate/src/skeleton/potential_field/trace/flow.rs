//! Integration steps along the force (exponential integrator).
//!
//! Inside a limb the force is strong across the limb and weak along it, so integrators that use the
//! force alone take short zigzag steps. Each step therefore follows the force linearised with its
//! Jacobian, for which the solution is known: along an eigenvector with eigenvalue λ, a force f
//! moves a point by `f · (exp(λ t) - 1) / λ` in the time t. The step is exact near a critical
//! point; if all eigenvalues are negative, the trajectory ends in that point.

use crate::skeleton::potential_field::field::PointForce;
use nalgebra::{SymmetricEigen, Vector3};

/// Length of a step, in units of the smallest spacing.
pub const STEP: f64 = 0.25;

/// Bisections of the interval that contains the duration of a step, on a logarithmic scale.
const BISECTIONS: usize = 60;

/// Returns the step from a point with the given force: of length [`STEP`], or shorter if the
/// trajectory ends before. Returns `None` if the force vanishes.
pub fn exponential_step(force: &PointForce) -> Option<Vector3<f64>> {
    // scaled so that the largest eigenvalue is about 1
    let eigen = SymmetricEigen::new(force.jacobian / force.scale);
    let eigen_force = eigen.eigenvectors.transpose() * (force.force / force.scale);
    let values = eigen.eigenvalues;
    let displacement_after = |time: f64| {
        Vector3::from_fn(|k, _| {
            let z = values[k] * time;
            // (exp(z) - 1) / z tends to 1 at 0
            let growth = if z.abs() < 1e-12 { 1.0 } else { z.exp_m1() / z };
            eigen_force[k] * time * growth
        })
    };
    let largest = values.amax();
    if largest.is_nan() || largest <= 0.0 || eigen_force.amax() == 0.0 {
        return None;
    }
    // logarithms of the shortest duration, in which nothing moves, and of the longest, by which
    // every bounded trajectory has reached its end
    let (mut low, mut high) = (-40.0f64, 40.0f64);
    let time = |exponent: f64| exponent.exp() / largest;
    let displacement = if length(&displacement_after(time(high))) <= STEP {
        displacement_after(time(high))
    } else {
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            if length(&displacement_after(time(middle))) <= STEP {
                low = middle
            } else {
                high = middle
            }
        }
        displacement_after(time(low))
    };
    let step = eigen.eigenvectors * displacement;
    step.iter().all(|x| x.is_finite()).then_some(step)
}

/// Returns the length, or infinity instead of NaN.
fn length(step: &Vector3<f64>) -> f64 {
    let length = step.norm();
    if length.is_nan() {
        f64::INFINITY
    } else {
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix3;

    fn at(force: [f64; 3], values: [f64; 3]) -> PointForce {
        PointForce {
            force: force.into(),
            jacobian: Matrix3::from_diagonal(&values.into()),
            scale: 1e-3,
        }
    }

    #[test]
    fn step_ends_in_an_attracting_point() {
        let step = exponential_step(&at([1e-4, 0.0, -2e-4], [-1e-3, -1e-3, -2e-3])).unwrap();
        assert!(
            (step - Vector3::new(0.1, 0.0, -0.1)).norm() < 1e-9,
            "{step}"
        );
    }

    #[test]
    fn strong_transverse_forces_do_not_shorten_the_step() {
        let step = exponential_step(&at([1e-9, 1e-4, 0.0], [-1e-10, -1.0, -1.0])).unwrap();
        assert!((step.norm() - STEP).abs() < 1e-6, "{step}");
        assert!(step.x > 0.249 && (step.y - 1e-4).abs() < 1e-9, "{step}");
    }

    #[test]
    fn step_leaves_a_saddle() {
        let step = exponential_step(&at([1e-12, -1e-5, 0.0], [1e-4, -1e-2, -1e-2])).unwrap();
        assert!((step.norm() - STEP).abs() < 1e-6 && step.x > 0.2, "{step}");
    }

    #[test]
    fn zero_force_yields_no_step() {
        assert_eq!(exponential_step(&at([0.0; 3], [-1.0, -1.0, 1.0])), None);
        assert_eq!(exponential_step(&at([0.0; 3], [0.0; 3])), None);
    }
}
