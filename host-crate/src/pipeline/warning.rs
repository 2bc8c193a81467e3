//! Warnings of successful jobs.

use super::error::PointsOutside;
use crate::{
    grid::{SampleSummary, format_label},
    io::StoredType,
};
use std::path::PathBuf;

/// A warning of a successful job. The message names the file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// The reader of a file made an assumption, or ignored a part of the file.
    #[error("{}: {note}", path.display())]
    Note {
        /// Path of the file.
        path: PathBuf,
        /// Note of the reader.
        note: String,
    },
    /// Samples were converted to `f32`, and some of them rounded.
    #[error(
        "{}: {}{stored} samples are converted to f32; {inexact} of them are not exact",
        path.display(),
        if *is_scaled { "scaled " } else { "" }
    )]
    Converted {
        /// Path of the file.
        path: PathBuf,
        /// Sample type of the file.
        stored: StoredType,
        /// `true` if the file states a scaling, which was applied before the conversion.
        is_scaled: bool,
        /// Number of rounded samples.
        inexact: usize,
    },
    /// Samples are NaN or infinite.
    #[error(
        "{}: {non_finite} of {count} samples are NaN or infinite; the {cells} cells around them have no surface",
        path.display()
    )]
    NonFinite {
        /// Path of the file.
        path: PathBuf,
        /// Number of samples that are NaN or infinite.
        non_finite: usize,
        /// Number of all samples.
        count: usize,
        /// Number of cells without a surface because of them.
        cells: u64,
    },
    /// The file of a mask does not state its geometry, although its format could.
    #[error(
        "{}: the file states {missing}; the mask is taken to have the grid of the volume",
        path.display()
    )]
    MaskGeometryAssumed {
        /// Path of the mask.
        path: PathBuf,
        /// Description of the missing parts, such as `no spacing`.
        missing: &'static str,
    },
    /// Points lie outside the grid of their map, and are included.
    #[error("{}: {outside}; they are used as sites", path.display())]
    Outside {
        /// Path of the points.
        path: PathBuf,
        /// Number and positions of these points.
        outside: PointsOutside,
    },
    /// Cycles were cut because the format of the file stores only trees.
    #[error("{}: {count} cycles were cut, since the format has trees only", path.display())]
    CutCycles {
        /// Path of the file that was written.
        path: PathBuf,
        /// Number of cycles that were cut.
        count: usize,
    },
    /// The critical points of some components do not add up to their Euler number.
    #[error(
        "{}: the critical points of {count} of {all} components do not add up to the Euler number: some were not found, \
         and curves may be missing",
        path.display()
    )]
    Unbalanced {
        /// Path of the object.
        path: PathBuf,
        /// Number of such components.
        count: usize,
        /// Number of all components.
        all: usize,
    },
    /// The skeletons of some components lack a certified property.
    #[error(
        "{}: the skeletons of {components} of {all} components are not certified: {first}",
        path.display()
    )]
    NotCertified {
        /// Path of the object.
        path: PathBuf,
        /// Number of such components.
        components: usize,
        /// Number of all components.
        all: usize,
        /// The first violated property, and its position in the world.
        first: String,
    },
    /// Branches were pruned from certified skeletons.
    #[error(
        "{}: {count} branches were pruned, so the skeleton is not certified: what only they covered is not covered",
        path.display()
    )]
    PrunedCover {
        /// Path of the object.
        path: PathBuf,
        /// Number of pruned branches.
        count: usize,
    },
    /// Components of certified skeletons were joined.
    #[error(
        "{}: {count} gaps were joined, so the skeleton is not certified: the new edges leave the object",
        path.display()
    )]
    JoinedGaps {
        /// Path of the object.
        path: PathBuf,
        /// Number of joined gaps.
        count: usize,
    },
    /// Requested labels do not occur in the volume.
    #[error("{}: {}", path.display(), missing(labels))]
    MissingLabels {
        /// Path of the volume.
        path: PathBuf,
        /// The missing labels, in ascending order.
        labels: Vec<i64>,
    },
    /// A mask or a filter of components leaves no voxel of some labels.
    #[error(
        "{}: the mask or the filter of components removes the label {}",
        path.display(),
        list_labels(labels)
    )]
    RemovedLabels {
        /// Path of the volume.
        path: PathBuf,
        /// The removed labels, in ascending order.
        labels: Vec<i64>,
    },
    /// Vertex positions are less precise than 1/100 voxel.
    #[error(
        "{}: the grid is so long that vertices are rounded by up to {error:.3} voxels; divide the volume",
        path.display()
    )]
    CoordinatePrecision {
        /// Path of the volume.
        path: PathBuf,
        /// Largest rounding error, in voxels.
        error: f64,
    },
    /// The mesh is not closed.
    #[error("{}: the mesh is open: {reason}", path.display())]
    OpenMesh {
        /// Path of the mesh, or of the volume if no mesh is written.
        path: PathBuf,
        /// Reason.
        reason: OpenReason,
    },
    /// The mesh touches itself.
    #[error(
        "{}: the mesh is not a manifold: more than two triangles meet in {edges} edges, and separate sheets touch in \
         {vertices} vertices",
        path.display()
    )]
    NonManifoldMesh {
        /// Path of the mesh, or of the volume if no mesh is written.
        path: PathBuf,
        /// Number of edges with more than two triangles.
        edges: usize,
        /// Number of vertices where separate sheets touch.
        vertices: usize,
    },
    /// The surface is empty.
    #[error("{}: the {what} is empty: {reason}", path.display())]
    Empty {
        /// Path of the volume.
        path: PathBuf,
        /// Name of the empty result: `mesh` or `picture`.
        what: &'static str,
        /// Reason.
        reason: EmptyReason,
    },
}

/// Reason why an isosurface is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenReason {
    /// The surface reaches the border of the volume.
    #[error("the surface ends at the border of the volume, where it can be closed")]
    Border,
    /// Cells are excluded.
    #[error("cells are excluded by a mask or by non-finite samples")]
    Excluded,
    /// The surface ends at the border of the volume, at excluded cells, or at both.
    #[error(
        "the surface ends at the border of the volume, where it can be closed, or at cells excluded by a mask or by \
         non-finite samples"
    )]
    BorderOrExcluded,
}

/// Reason why a volume has no isosurface.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EmptyReason {
    /// An axis has fewer than two samples.
    #[error("a surface needs at least two samples along each axis")]
    Flat,
    /// All samples are on one side of the isovalue.
    #[error(
        "the samples range from {min} to {max}, and none of them is on the other side of {iso}"
    )]
    OneSide {
        /// Minimum of the samples.
        min: f64,
        /// Maximum of the samples.
        max: f64,
        /// The isovalue.
        iso: f32,
    },
    /// Every cell that contains the isovalue is excluded by a mask or by non-finite samples.
    #[error(
        "every cell that contains the isovalue is excluded by the mask or by non-finite samples"
    )]
    Excluded,
    /// No cell has the label at some corners and not at others.
    #[error(
        "no cell has both samples that are {} and samples that are not",
        format_label(*label)
    )]
    Label {
        /// The label.
        label: f64,
    },
    /// No cell has the label, an integer of 64 bits, at some corners and not at others.
    #[error("no cell has both samples that are {label} and samples that are not")]
    WideLabel {
        /// The label.
        label: i64,
    },
    /// Every voxel is background.
    #[error("no voxel has a requested label")]
    NoLabel,
    /// All samples are non-finite.
    #[error("no sample is finite")]
    NoSample,
}

/// Formats the message about missing labels.
fn missing(labels: &[i64]) -> String {
    format!("no voxel has the label {}", list_labels(labels))
}

/// Formats a list of labels, abbreviated after the first ten.
fn list_labels(labels: &[i64]) -> String {
    const MAX_NAMED: usize = 10;
    let named: Vec<String> = labels
        .iter()
        .take(MAX_NAMED)
        .map(ToString::to_string)
        .collect();
    let more = match labels.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}

impl EmptyReason {
    /// Determines the reason from the samples of a volume without a surface.
    pub(crate) fn from_samples(samples: &SampleSummary, dims: [usize; 3], iso: f32) -> Self {
        let level = f64::from(iso);
        match (samples.min, samples.max) {
            _ if dims.iter().any(|&n| n < 2) => Self::Flat,
            (Some(min), Some(max)) if level > max || level <= min => {
                Self::OneSide { min, max, iso }
            }
            (Some(_), Some(_)) => Self::Excluded,
            _ => Self::NoSample,
        }
    }
}
