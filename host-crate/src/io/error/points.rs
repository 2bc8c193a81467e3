//! Errors of the reader of points.

/// Invalid contents of a file of points.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PointsProblem {
    /// A line of a text file of points is not a point.
    #[error(
        "line {line} reads {text:?}; write a point as three numbers, x, y and z, separated by spaces or commas"
    )]
    InvalidLine {
        /// Number of the line, 1-based.
        line: u64,
        /// Start of the line.
        text: String,
    },
    /// A table has column names, but not those of coordinates.
    #[error("the columns are {names}; name those of the coordinates x, y and z")]
    NoColumns {
        /// Names of the columns.
        names: String,
    },
    /// An array of points does not have 3 columns.
    #[error("the array has the shape {shape:?}; points need n rows and 3 columns")]
    ArrayShape {
        /// Shape in NumPy's order, slowest axis first.
        shape: Vec<u64>,
    },
    /// A point has a coordinate that is not finite.
    #[error("point {index} is at {position:?}; coordinates must be finite")]
    NotFinite {
        /// 0-based index of the point.
        index: u64,
        /// Coordinates of the point.
        position: [f64; 3],
    },
}
