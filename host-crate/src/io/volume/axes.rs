//! Axes of grids with fewer than three dimensions.

use nalgebra::{Matrix3, Vector3};

/// Returns a matrix whose first columns are `steps` (at most three), and whose other columns are
/// unit vectors orthogonal to them: the axes of an image or a line as a volume one sample thick.
pub(crate) fn complete_axes(steps: &[Vector3<f64>]) -> Matrix3<f64> {
    let mut columns: Vec<Vector3<f64>> = steps.iter().take(3).copied().collect();
    if columns.is_empty() {
        columns.push(Vector3::x());
    }
    if columns.len() == 1 {
        // Start from y, unless the step is nearly parallel to it.
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
    fn missing_axes_are_orthogonal_unit_vectors() {
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
        // A zero step is kept; `Geometry::new` rejects it.
        let determinant = complete_axes(&[Vector3::zeros()]).determinant();
        assert!(determinant == 0.0 || determinant.is_nan());
    }
}
