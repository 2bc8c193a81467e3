//! Options of `ferrovox mesh` for segmentations.

use crate::numbers::{LabelList, parse_label};
use clap::Args;

/// Labels instead of an isovalue.
#[derive(Debug, Args)]
pub struct LabelArgs {
    /// Extract the surface of one label of a segmentation
    ///
    /// The surface lies half way between samples with exactly this value and their neighbours.
    #[arg(
        long,
        value_name = "LABEL",
        value_parser = parse_label,
        allow_hyphen_values = true,
        conflicts_with_all = ["iso", "inside", "round_samples"],
        help_heading = "Labels"
    )]
    pub label: Option<f64>,
    /// Extract the surfaces of several labels, with shared walls: all, or a list such as 1,3,7-9
    ///
    /// The surface of each label is closed, including at the border of the volume. 0 and labels
    /// outside the list are background.
    #[arg(
        long,
        value_name = "LABELS",
        allow_hyphen_values = true,
        conflicts_with_all = ["iso", "inside", "round_samples", "label", "close", "topology", "vertices", "mask", "normals", "largest", "min_voxels", "smooth", "simplify", "method", "memory"],
        help_heading = "Labels"
    )]
    pub labels: Option<LabelList>,
}
