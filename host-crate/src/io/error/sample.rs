//! Errors of the samples of a volume file.

use crate::grid::SampleType;
use crate::io::stored_type::StoredType;

/// Sample that cannot be read or written as a number of the requested type.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleProblem {
    /// A wide integer that no sample type of a volume represents exactly.
    #[error(
        "sample {index}, at voxel {}, {}, {}, is {value}, which neither i32, f64 nor i64 represents exactly; reduce the {stored} samples, \
         or convert them to f64 if rounding is acceptable", voxel[0], voxel[1], voxel[2]
    )]
    NotRepresentable {
        /// Index of the first such sample in its volume.
        index: u64,
        /// Voxel of that sample.
        voxel: [u64; 3],
        /// Value of that sample in decimal digits.
        value: String,
        /// Sample type in the file.
        stored: StoredType,
    },
    /// A finite sample whose scaled value is not finite.
    #[error(
        "sample {index}, at voxel {}, {}, {}, is stored as {stored:e}; times the slope {slope:e} plus the intercept {intercept:e} it \
         exceeds the range of f64; correct the slope and the intercept in the header", voxel[0], voxel[1], voxel[2]
    )]
    ScalingOverflow {
        /// Index of the first such sample in its volume.
        index: u64,
        /// Voxel of that sample.
        voxel: [u64; 3],
        /// Stored value of that sample.
        stored: f64,
        /// Factor of the scaling.
        slope: f64,
        /// Summand of the scaling.
        intercept: f64,
    },
    /// A text sample is not a finite number of its type, infinity or NaN.
    #[error("sample {index} is {text:?}, which is not a {stored}; correct the file")]
    InvalidNumber {
        /// Index of the sample.
        index: u64,
        /// Text of the sample.
        text: String,
        /// Sample type that the header states.
        stored: StoredType,
    },
    /// The samples have another type than the requested one.
    #[error("the samples are {found}, not {requested}; request {found}")]
    TypeMismatch {
        /// Requested type.
        requested: SampleType,
        /// Type of the samples.
        found: SampleType,
    },
    /// A negative sample that is to be stored as unsigned.
    #[error("sample {index} is {value}, which is negative; write the samples as i32")]
    Negative {
        /// Index of the first such sample.
        index: u64,
        /// Value of that sample.
        value: i32,
    },
}
