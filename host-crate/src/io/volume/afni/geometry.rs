//! Position of the samples.

use nalgebra::{Matrix3, Vector3};

use super::{attributes::Attributes, damaged};
use crate::grid::Geometry;
use crate::io::FileProblem;

/// Returns the affine in RAS: the one of the header, or that of the directions, the origin and the
/// steps along the axes.
pub(super) fn read(attributes: &Attributes) -> Result<Geometry, FileProblem> {
    let (axes, origin) = match attributes.numbers("IJK_TO_DICOM_REAL")? {
        Some(numbers) if numbers.len() >= 12 => {
            let rows = Matrix3::from_fn(|row, column| numbers[4 * row + column]);
            (rows, Vector3::from_fn(|row, _| numbers[4 * row + 3]))
        }
        Some(numbers) => {
            return Err(damaged(format!(
                "IJK_TO_DICOM_REAL has {} numbers; it needs 12",
                numbers.len()
            )));
        }
        None => from_directions(attributes)?,
    };
    // x and y of DICOM point to the left and to the back
    let to_ras = Matrix3::from_diagonal(&Vector3::new(-1.0, -1.0, 1.0));
    Ok(Geometry::new(to_ras * axes, to_ras * origin)?)
}

/// Returns the affine of axes that are parallel to those of the world.
fn from_directions(attributes: &Attributes) -> Result<(Matrix3<f64>, Vector3<f64>), FileProblem> {
    let three = |name: &str| -> Result<[f64; 3], FileProblem> {
        let numbers = attributes.numbers(name)?.unwrap_or_default();
        let first = numbers.get(..3).and_then(|it| it.try_into().ok());
        first.ok_or_else(|| damaged(format!("{name} has {} numbers; it needs 3", numbers.len())))
    };
    let (starts, steps) = (three("ORIGIN")?, three("DELTA")?);
    let directions = attributes.integers("ORIENT_SPECIFIC", 3)?;
    let mut axes = Matrix3::zeros();
    let mut origin = Vector3::zeros();
    for axis in 0..3 {
        // 0 and 1 are along x, 2 and 3 along y, 4 and 5 along z; steps have a sign
        let world = match directions[axis] {
            code @ 0..=5 => (code / 2) as usize,
            code => return Err(damaged(format!("ORIENT_SPECIFIC has {code}; use 0 to 5"))),
        };
        axes[(world, axis)] = steps[axis];
        origin[world] = starts[axis];
    }
    Ok((axes, origin))
}
