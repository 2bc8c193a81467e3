//! Steps along the force.
//!
//! Inside a limb the force is strong across and weak along it: methods that look at the force alone
//! take short steps from side to side. So a step takes the derivatives too, and follows the force
//! that they make linear, for which the way is known: along an eigenvector with the eigenvalue λ, a
//! force f moves a point in the time t by `f · (exp(λ t) - 1) / λ`. Near a critical point that is
//! exact, and where all eigenvalues are negative the way ends, in the point itself.

use crate::skeleton::potential_field::field::PointForce;
use nalgebra::{SymmetricEigen, Vector3};

/// The length of a step, in the smallest spacing.
pub const STEP: f64 = 0.25;

/// Halvings of the interval in which the time of a step is sought, on a logarithmic scale.
const HALVINGS: usize = 60;

/// The step from a point where the force is known: of length [`STEP`], or shorter where the way
/// ends before. None where there is no force.
pub fn step(force: &PointForce) -> Option<Vector3<f64>> {
    // in units in which the largest eigenvalue is about 1
    let eigen = SymmetricEigen::new(force.jacobian / force.scale);
    let along = eigen.eigenvectors.transpose() * (force.force / force.scale);
    let values = eigen.eigenvalues;
    let move_in = |time: f64| {
        Vector3::from_fn(|k, _| {
            let z = values[k] * time;
            // (exp(z) - 1) / z is 1 at 0
            let grown = if z.abs() < 1e-12 { 1.0 } else { z.exp_m1() / z };
            along[k] * time * grown
        })
    };
    let largest = values.amax();
    if largest.is_nan() || largest <= 0.0 || along.amax() == 0.0 {
        return None;
    }
    // from so short that nothing moves to so long that all that can has come to rest, or moved far
    let (mut low, mut high) = (-40.0f64, 40.0f64);
    let time = |exponent: f64| exponent.exp() / largest;
    let moved = if length(&move_in(time(high))) <= STEP {
        move_in(time(high))
    } else {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if length(&move_in(time(middle))) <= STEP {
                low = middle
            } else {
                high = middle
            }
        }
        move_in(time(low))
    };
    let step = eigen.eigenvectors * moved;
    step.iter().all(|x| x.is_finite()).then_some(step)
}

/// The length; infinite where it is not a number.
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
    fn a_step_ends_in_an_attracting_point() {
        let step = step(&at([1e-4, 0.0, -2e-4], [-1e-3, -1e-3, -2e-3])).unwrap();
        assert!(
            (step - Vector3::new(0.1, 0.0, -0.1)).norm() < 1e-9,
            "{step}"
        );
    }

    #[test]
    fn strong_forces_across_do_not_shorten_the_step_along() {
        let step = step(&at([1e-9, 1e-4, 0.0], [-1e-10, -1.0, -1.0])).unwrap();
        assert!((step.norm() - STEP).abs() < 1e-6, "{step}");
        assert!(step.x > 0.249 && (step.y - 1e-4).abs() < 1e-9, "{step}");
    }

    #[test]
    fn a_step_leaves_a_saddle() {
        let step = step(&at([1e-12, -1e-5, 0.0], [1e-4, -1e-2, -1e-2])).unwrap();
        assert!((step.norm() - STEP).abs() < 1e-6 && step.x > 0.2, "{step}");
    }

    #[test]
    fn without_a_force_there_is_no_step() {
        assert_eq!(step(&at([0.0; 3], [-1.0, -1.0, 1.0])), None);
        assert_eq!(step(&at([0.0; 3], [0.0; 3])), None);
    }
}
