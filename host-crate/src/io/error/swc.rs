//! Errors of the SWC reader.

use std::fmt;

/// Longest line that is accepted, in bytes.
pub(in crate::io) const MAX_LINE: usize = 4096;

/// Error in an SWC file. Line numbers are 1-based.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SwcProblem {
    /// A line that is too long for a point.
    #[error(
        "line {line} has {} characters or more; put one point of seven numbers on a line",
        MAX_LINE
    )]
    LongLine {
        /// Number of the line.
        line: u64,
    },
    /// A line of fewer than seven words.
    #[error(
        "line {line} has {found} words; a point has seven: number, type, x, y, z, radius and parent"
    )]
    TooFewWords {
        /// Number of the line.
        line: u64,
        /// Number of words in the line.
        found: usize,
    },
    /// A word that is not a valid number for its field.
    #[error("line {line} has {text:?} for the {field}, which is not a {}", field.expected())]
    NotANumber {
        /// Number of the line.
        line: u64,
        /// Field of the word.
        field: SwcField,
        /// The word.
        text: String,
    },
    /// Two points with the same number.
    #[error(
        "lines {first} and {second} both define point {number}; give every point a different number"
    )]
    Duplicate {
        /// Number of both points.
        number: i64,
        /// Line of the first point.
        first: u64,
        /// Line of the second point.
        second: u64,
    },
    /// A parent that the file does not define.
    #[error(
        "point {number} in line {line} has the parent {parent}, which no line defines; use -1 for a point without a parent"
    )]
    MissingParent {
        /// Number of the point.
        number: i64,
        /// Line of the point.
        line: u64,
        /// Number of the parent.
        parent: i64,
    },
    /// A cycle of parents.
    #[error(
        "the parents of point {number} in line {line} lead back to it; SWC stores trees, so give one of these points the parent -1"
    )]
    Cycle {
        /// Number of the point of the cycle that comes first in the file.
        number: i64,
        /// Line of the point.
        line: u64,
    },
    /// More trees than 32 bits can count.
    #[error(
        "the file has more than 4294967296 points without a parent; split it into several files"
    )]
    TooManyTrees,
}

/// Field of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SwcField {
    /// Number of the point.
    Number,
    /// Structure that the point belongs to: 1 for the soma, 2 for the axon, and so on.
    Type,
    /// The x coordinate.
    X,
    /// The y coordinate.
    Y,
    /// The z coordinate.
    Z,
    /// Distance to the surface.
    Radius,
    /// Number of the parent.
    Parent,
}

impl fmt::Display for SwcField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "number",
            Self::Type => "type",
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
            Self::Radius => "radius",
            Self::Parent => "parent",
        })
    }
}

impl SwcField {
    /// Returns the kind of number that the field accepts.
    fn expected(self) -> &'static str {
        match self {
            Self::Number => "non-negative integer",
            Self::Type => "integer",
            Self::X | Self::Y | Self::Z | Self::Radius => "finite number",
            Self::Parent => "point number or -1",
        }
    }
}
