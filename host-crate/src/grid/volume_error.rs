//! Errors of volumes.

use crate::error::ErrorKind;
use crate::memory::OutOfMemory;

/// An error of the construction of a volume or of its geometry.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VolumeError {
    /// The memory for the samples is insufficient.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The product of the dims does not fit in memory's index type.
    #[error(
        "dims {} x {} x {} are more samples than {} bits can count; check the dims",
        dims[0], dims[1], dims[2], usize::BITS
    )]
    TooManySamples {
        /// The dims as given, x first.
        dims: [usize; 3],
    },
    /// The number of samples is not the product of the dims.
    #[error(
        "dims {} x {} x {} need {expected} samples, but there are {found}; give dims whose product is {found}",
        dims[0], dims[1], dims[2]
    )]
    LengthMismatch {
        /// The dims as given, x first.
        dims: [usize; 3],
        /// The product of the dims.
        expected: usize,
        /// Number of samples.
        found: usize,
    },
    /// A spacing is zero, negative or not finite.
    #[error("the spacing along {axis} is {value}; it must be a positive finite number")]
    Spacing {
        /// `x`, `y` or `z`.
        axis: char,
        /// The spacing as given.
        value: f64,
    },
    /// A spacing is too small or too large for world positions of `f32`.
    #[error(
        "the spacing along {axis} is {value:e}; the range is 1e-27 to 1e27: correct the spacing, or use another unit of length"
    )]
    SpacingRange {
        /// `x`, `y` or `z`.
        axis: char,
        /// Largest component of the step along the axis.
        value: f64,
    },
    /// The origin is too far away for world positions of `f32`.
    #[error(
        "the origin has the {axis} coordinate {value:e}; the range is ±1e27: correct the origin, or use a larger unit of length"
    )]
    OriginRange {
        /// `x`, `y` or `z`.
        axis: char,
        /// The coordinate.
        value: f64,
    },
    /// A coefficient of the index-to-world map is NaN or infinite.
    #[error(
        "the index-to-world map has the coefficient {value} in row {row}, column {column}; every coefficient must be finite"
    )]
    NonFiniteGeometry {
        /// Row, 0 to 2.
        row: usize,
        /// Column, 0 to 3; column 3 is the origin.
        column: usize,
        /// The coefficient as given.
        value: f64,
    },
    /// The index-to-world map flattens the grid.
    #[error(
        "the index-to-world map has determinant {determinant:e}, so the grid's axes do not span space; give three independent axes"
    )]
    SingularGeometry {
        /// Determinant of the 3 x 3 part.
        determinant: f64,
    },
    /// The last row of a 4 x 4 affine matrix is not 0 0 0 1.
    #[error("the last row of the affine matrix is {} {} {} {}; an affine map has 0 0 0 1 there", row[0], row[1], row[2], row[3])]
    NotAffine {
        /// The last row as given.
        row: [f64; 4],
    },
}

impl VolumeError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Memory(_) => ErrorKind::Memory,
            _ => ErrorKind::InvalidArgument,
        }
    }
}
