//! Axes of grids with fewer than three dimensions.

use nalgebra::{Matrix3, Vector3};

/// A matrix with the given steps (at most three) as its first columns, and unit vectors that are
/// orthogonal to them as the others: the map of an image or a line seen as a volume one sample
/// thick.
pub(crate) fn complete_axes(steps: &[Vector3<f64>]) -> Matrix3<f64> {
    let mut columns: Vec<Vector3<f64>> = steps.iter().take(3).copied().collect();
    if columns.is_empty() {
        columns.push(Vector3::x());
    }
    if columns.len() == 1 {
        // y unless the step lies (nearly) along it
        let along = columns[0].normalize();
        let seed = if along.y.abs() < 0.9 {
            Vector3::y()
        } else {
            Vector3::z()
        };
        columns.push((seed - along * along.dot(&seed)).normalize());
    }
    if columns.len() == 2 {
        columns.push(columns[0].cross(&columns[1]).normalize());
    }
    Matrix3::from_columns(&columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_axes_are_orthogonal_units() {
        let x = Vector3::new(2.0, 0.0, 0.0);
        assert_eq!(
            complete_axes(&[x]),
            Matrix3::from_diagonal(&Vector3::new(2.0, 1.0, 1.0))
        );
        let slice = complete_axes(&[Vector3::new(0.0, 3.0, 0.0), Vector3::new(0.0, 0.0, 5.0)]);
        assert_eq!(slice.column(2), Vector3::x());
        let line = complete_axes(&[Vector3::new(0.0, 7.0, 0.0)]);
        assert!((line.determinant().abs() - 7.0).abs() < 1e-12);
        assert_eq!(complete_axes(&[]), Matrix3::identity());
        // a step of zero stays what it is, for the geometry's own check to find
        let determinant = complete_axes(&[Vector3::zeros()]).determinant();
        assert!(determinant == 0.0 || determinant.is_nan());
    }
}
