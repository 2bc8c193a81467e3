//! What can be wrong with a skeleton in SWC.

use std::fmt;

/// Longer lines do not hold a point.
pub(super) const LINE: usize = 4096;

/// What is wrong with a file in SWC. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SwcProblem {
    /// A line that is too long for a point.
    #[error(
        "line {line} has {} characters or more; a point is seven numbers",
        LINE
    )]
    LongLine {
        /// The line.
        line: u64,
    },
    /// A line with too few words.
    #[error(
        "line {line} has {found} words; a point is seven numbers: its own, its type, x, y, z, radius and parent"
    )]
    TooFewWords {
        /// The line.
        line: u64,
        /// How many words it has.
        found: usize,
    },
    /// A word that is not the number that belongs there.
    #[error("line {line} has {text:?} for the {field}, which is no {}", field.expected())]
    NotANumber {
        /// The line.
        line: u64,
        /// What should be there.
        field: SwcField,
        /// What is there.
        text: String,
    },
    /// Two points of one number.
    #[error(
        "lines {first} and {second} are both of point {number}; give each point a number of its own"
    )]
    Duplicate {
        /// The number.
        number: i64,
        /// The line that has it first.
        first: u64,
        /// The line that has it again.
        second: u64,
    },
    /// A parent that is not in the file.
    #[error(
        "point {number} of line {line} has the parent {parent}, which no line has; a point without a parent has -1"
    )]
    MissingParent {
        /// The number of the point.
        number: i64,
        /// Its line.
        line: u64,
        /// The number of the parent.
        parent: i64,
    },
    /// Points that are their own ancestors.
    #[error(
        "from point {number} of line {line}, parents lead back to it; SWC has trees only, so one of them needs the parent -1"
    )]
    Cycle {
        /// The number of one of the points: that of the first line.
        number: i64,
        /// Its line.
        line: u64,
    },
    /// More trees than can be counted.
    #[error(
        "the file has more than 4294967296 points without a parent; as many trees can be counted"
    )]
    TooManyTrees,
}

/// What the words of a line stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SwcField {
    /// The point's own number.
    Number,
    /// What it is part of, as a number: 1 of the soma, 2 of the axon, and so on.
    Type,
    /// A coordinate.
    X,
    /// A coordinate.
    Y,
    /// A coordinate.
    Z,
    /// The distance to the surface.
    Radius,
    /// The number of the parent.
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
    /// Which numbers there may be.
    fn expected(self) -> &'static str {
        match self {
            Self::Number => "whole number from 0",
            Self::Type => "whole number",
            Self::X | Self::Y | Self::Z | Self::Radius => "finite number",
            Self::Parent => "number of a point, and not -1",
        }
    }
}
