//! The force of a component's surface on a place in it, and how it changes there.
//!
//! The field is that of curve skeletons by potential fields (Cornea et al. 2005): each part of the surface repels with the sixth power of the reciprocal distance. Sources are
//! faces, by their areas, and only those near are looked at: with this power the others hardly count.

use super::known::Known;
use nalgebra::{Matrix3, Vector3};

/// Faces farther than so many radii do not count; nor, where the radius is small, than so many of the smallest spacing beyond it.
const FAR: f64 = 3.0;
const LEAST: f64 = 2.5;

/// A face is as many sources along an axis as its spacing has smallest spacings, up to this.
const MOST_PARTS: f64 = 5.0;

/// The force at a place, in a world whose unit is the smallest spacing, and its Jacobian.
pub fn force_at(known: &Known<'_>, at: [f64; 3], radius: f64) -> (Vector3<f64>, Matrix3<f64>) {
    let mut force = Vector3::zeros();
    let mut jacobian = Matrix3::zeros();
    let parts = [0, 1, 2].map(|axis| {
        let spacing = known.metric.square(axis).sqrt();
        spacing.round().clamp(1.0, MOST_PARTS) as u32
    });
    let areas = [0, 1, 2].map(|axis| {
        let [one, other] = [(axis + 1) % 3, (axis + 2) % 3].map(|other| f64::from(parts[other]));
        known.shell.area(axis) / (one * other)
    });
    let far = (FAR * radius).max(radius + LEAST);
    let (least, most) = (1e-6, far * far);
    known.shell.near(at, far, |face| {
        let [one, other] = [(face.axis + 1) % 3, (face.axis + 2) % 3];
        for a in 0..parts[one] {
            for b in 0..parts[other] {
                let mut way = [0, 1, 2].map(|axis| at[axis] - face.at[axis]);
                way[one] -= (f64::from(a) + 0.5) / f64::from(parts[one]) - 0.5;
                way[other] -= (f64::from(b) + 0.5) / f64::from(parts[other]) - 0.5;
                let way = Vector3::from(known.metric.world(way));
                let square = way.norm_squared();
                if square < least || square > most {
                    continue;
                }
                // d / R^7, and its derivatives
                let inverse = 1.0 / square;
                let strength = areas[face.axis] * inverse * inverse * inverse * inverse.sqrt();
                force += way * strength;
                let along = 7.0 * strength * inverse;
                jacobian -= way * way.transpose() * along;
                for axis in 0..3 {
                    jacobian[(axis, axis)] += strength;
                }
            }
        }
    });
    (force, jacobian)
}

/// The step of Newton's method to where the force vanishes, along the directions among those of a plane or of space in which it pushes back clearly. Directions are the
/// columns of `frame` that are not zero.
pub fn step_to_rest(
    force: &Vector3<f64>,
    jacobian: &Matrix3<f64>,
    frame: &Matrix3<f64>,
) -> Vector3<f64> {
    let inner = frame.transpose() * jacobian * frame;
    let push = frame.transpose() * force;
    let eigen = inner.symmetric_eigen();
    let strongest = eigen.eigenvalues.min();
    let mut step = Vector3::zeros();
    for (value, vector) in eigen
        .eigenvalues
        .iter()
        .zip(eigen.eigenvectors.column_iter())
    {
        // along plates and tubes there is nothing to rest at
        if *value < CLEARLY * strongest && *value < 0.0 {
            step -= vector * (vector.dot(&push) / value);
        }
    }
    frame * step
}

/// A direction counts if the force pushes back with at least this part of the strongest.
const CLEARLY: f64 = 0.2;

/// Two directions across a third, as columns; the last column is zero.
pub fn across(tangent: &Vector3<f64>) -> Matrix3<f64> {
    let least = tangent.iamin();
    let mut axis = Vector3::zeros();
    axis[least] = 1.0;
    let one = tangent.cross(&axis).normalize();
    let other = tangent.cross(&one).normalize();
    Matrix3::from_columns(&[one, other, Vector3::zeros()])
}
