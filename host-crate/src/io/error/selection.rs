//! Errors of the selection of a part of a file.

/// Selection of a volume, a component or planes that a file does not have or that is missing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionProblem {
    /// The file has several volumes, and none was selected.
    #[error("the file holds {count} volumes; select one from 0 to {}", count - 1)]
    SeveralVolumes {
        /// Number of volumes.
        count: u64,
    },
    /// The selected volume does not exist.
    #[error("the file has no volume {index}; it holds {count}, counted from 0")]
    NoSuchVolume {
        /// Selected volume, 0-based.
        index: u64,
        /// Number of volumes.
        count: u64,
    },
    /// The samples have several components, and none was selected.
    #[error("each sample has {count} components; select one from 0 to {}", count - 1)]
    SeveralComponents {
        /// Number of components.
        count: u64,
    },
    /// The selected component does not exist.
    #[error("the samples have no component {index}; each has {count}, counted from 0")]
    NoSuchComponent {
        /// Selected component, 0-based.
        index: u64,
        /// Number of components.
        count: u64,
    },
    /// The selected resolution level does not exist.
    #[error("the image has no resolution level {index}; it has {count}, counted from 0")]
    NoSuchScaleLevel {
        /// Selected level, 0-based.
        index: usize,
        /// Number of levels.
        count: usize,
    },
    /// A folder holds several DICOM series, and none or more than one was selected.
    #[error(
        "the folder holds {count} series; select one with --series NUMBER, UID or a part of its description: {list}"
    )]
    SeveralSeries {
        /// Number of series.
        count: usize,
        /// All series with their numbers.
        list: String,
    },
    /// An archive of arrays of which none or no existing one is selected.
    #[error("the archive holds {count} arrays: {names}; select one with --series NAME")]
    Array {
        /// Number of arrays.
        count: usize,
        /// Names of the first ones.
        names: String,
    },
    /// The selected series does not exist.
    #[error("there is no series {selector:?}; select one of: {list}")]
    NoSuchSeries {
        /// Selection.
        selector: String,
        /// All series with their numbers.
        list: String,
    },
    /// Slices are missing from a series.
    #[error(
        "slices are missing at {positions} along the normal; add their files, or fill the gaps"
    )]
    MissingSlices {
        /// Positions along the normal of the slices, in millimetres.
        positions: String,
    },
    /// The distances of the slices of a series differ.
    #[error(
        "slices are not equally spaced: {from:.3} and {to:.3} along the normal, elsewhere {spacing:.3} apart; \
         resample the series, for example with dcm2niix"
    )]
    IrregularSeries {
        /// Median distance of neighbouring slices, in millimetres.
        spacing: f64,
        /// Position of a slice along the normal, in millimetres.
        from: f64,
        /// Position of the next slice, in millimetres.
        to: f64,
    },
    /// The number of images differs among the positions of a series.
    #[error(
        "the position {position:.2} along the normal has {found} images, others have {expected}; \
         add the missing files, or separate the time points"
    )]
    UnevenSeries {
        /// Position along the normal, in millimetres.
        position: f64,
        /// Number of images there.
        found: usize,
        /// Number of images at the first position.
        expected: usize,
    },
    /// The slices of a series do not lie on a line.
    #[error(
        "positions of slices deviate from a line by {deviation:.3} times their distance; \
         the images are no volume, read them separately"
    )]
    CrookedSeries {
        /// Largest deviation, in units of the distance of slices.
        deviation: f64,
    },
    /// The requested planes do not exist.
    #[error("the volume has no planes {start}..{end}; it has {count}, counted from 0")]
    NoSuchPlanes {
        /// First requested plane.
        start: usize,
        /// Plane after the last requested one.
        end: usize,
        /// Number of planes.
        count: usize,
    },
}
