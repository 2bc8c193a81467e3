//! Warnings of work that went well.

use super::error::PointsOutside;
use crate::{grid::SampleSummary, io::StoredType};
use std::path::PathBuf;

/// A warning of work that went well. The message names the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// What the reader of a file assumed or did not understand.
    #[error("{}: {note}", path.display())]
    Note {
        /// The file.
        path: PathBuf,
        /// The note of the reader.
        note: String,
    },
    /// Samples that kernels do not read became f32.
    #[error("{}: {stored} samples are converted to f32; {inexact} of them are not exact", path.display())]
    Converted {
        /// The file.
        path: PathBuf,
        /// The type of the samples in the file.
        stored: StoredType,
        /// How many were rounded.
        inexact: usize,
    },
    /// Samples that are no numbers, and what they cost.
    #[error(
        "{}: {non_finite} of {count} samples are NaN or infinite; the {cells} cells around them emit nothing",
        path.display()
    )]
    NonFinite {
        /// The file.
        path: PathBuf,
        /// How many samples are NaN or infinite.
        non_finite: usize,
        /// All samples.
        count: usize,
        /// The cells without a surface because of them.
        cells: u64,
    },
    /// A mask whose file does not state its place in the world, as its format could.
    #[error(
        "{}: the file states {missing}; the mask is taken to have the grid of the volume",
        path.display()
    )]
    MaskPlaceAssumed {
        /// The file of the mask.
        path: PathBuf,
        /// What it does not state: `no spacing`, for one.
        missing: &'static str,
    },
    /// Points outside the grid of their map, which count.
    #[error("{}: {outside}; they count", path.display())]
    Outside {
        /// The file of points.
        path: PathBuf,
        /// Which they are.
        outside: PointsOutside,
    },
    /// A file's format has trees only. It explains the file; it is nothing to worry about.
    #[error("{}: {count} cycles were cut, since the format has trees only", path.display())]
    CutCycles {
        /// The file that was written.
        path: PathBuf,
        /// How many cycles were cut.
        count: usize,
    },
    /// The critical points of some components of an object do not add up.
    #[error(
        "{}: the critical points of {count} of {all} components do not add up to the Euler number: some were not found, \
         and curves may be missing",
        path.display()
    )]
    Unbalanced {
        /// The file of the object.
        path: PathBuf,
        /// Of how many components.
        count: usize,
        /// All components.
        all: usize,
    },
    /// Skeletons do not have all properties that they should have.
    #[error(
        "{}: the skeletons of {components} of {all} components are not certified: {first}",
        path.display()
    )]
    NotCertified {
        /// The file of the object.
        path: PathBuf,
        /// Of how many components.
        components: usize,
        /// All components.
        all: usize,
        /// The first property that does not hold, and where in the world.
        first: String,
    },
    /// Branches were pruned from skeletons whose properties had been checked.
    #[error(
        "{}: {count} branches were pruned, so the skeleton is not certified: what only they covered is not covered",
        path.display()
    )]
    PrunedCover {
        /// The file of the object.
        path: PathBuf,
        /// How many branches were pruned.
        count: usize,
    },
    /// Labels that were asked for and that the volume does not have.
    #[error("{}: {}", path.display(), missing(labels))]
    MissingLabels {
        /// The file.
        path: PathBuf,
        /// The labels, in ascending order.
        labels: Vec<i64>,
    },
    /// There is no surface.
    #[error("{}: the {what} is empty: {why}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What is empty: `mesh` or `picture`.
        what: &'static str,
        /// Why.
        why: WhyEmpty,
    },
}

/// Why a volume has no isosurface.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WhyEmpty {
    /// A single sample along an axis, or none.
    #[error("a surface needs two samples at least along each axis")]
    Flat,
    /// All samples are on one side of the isovalue.
    #[error(
        "the samples range from {min} to {max}, and none of them is on the other side of {iso}"
    )]
    OneSide {
        /// The least sample.
        min: f64,
        /// The largest one.
        max: f64,
        /// The isovalue.
        iso: f32,
    },
    /// Masks or samples that are not finite leave out every cell with the isovalue in it.
    #[error("every cell with the isovalue in it is left out")]
    LeftOut,
    /// No cell has a label at one corner and something else at another.
    #[error("in no cell is there a sample that is {label} and one that is not")]
    Label {
        /// The label.
        label: f64,
    },
    /// Every voxel is background.
    #[error("no voxel has a label that is asked for")]
    NoLabel,
    /// There is no sample to compare with.
    #[error("no sample is finite")]
    NoSample,
}

/// Some of the labels that are missing.
fn missing(labels: &[i64]) -> String {
    const MOST: usize = 10;
    let named: Vec<String> = labels.iter().take(MOST).map(ToString::to_string).collect();
    let more = match labels.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("no voxel has the label {}{more}", named.join(", "))
}

impl WhyEmpty {
    /// Determines the reason from the samples of a volume without a surface.
    pub(crate) fn from_samples(samples: &SampleSummary, dims: [usize; 3], iso: f32) -> Self {
        let level = f64::from(iso);
        match (samples.min, samples.max) {
            _ if dims.iter().any(|&n| n < 2) => Self::Flat,
            (Some(min), Some(max)) if level > max || level <= min => {
                Self::OneSide { min, max, iso }
            }
            (Some(_), Some(_)) => Self::LeftOut,
            _ => Self::NoSample,
        }
    }
}
