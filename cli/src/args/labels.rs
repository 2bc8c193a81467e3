//! The options of `ferrovox mesh` for volumes of labels.

use crate::numbers::LabelList;
use clap::Args;

/// Labels in place of an isovalue.
#[derive(Debug, Args)]
pub struct LabelArgs {
    /// Make the surface of one label of a segmentation, in place of an isosurface
    ///
    /// That of the samples which are exactly this number, half way to their neighbours.
    #[arg(
        long,
        value_name = "LABEL",
        allow_hyphen_values = true,
        conflicts_with_all = ["iso", "inside", "round_samples"],
        help_heading = "Labels"
    )]
    pub label: Option<f64>,
    /// Make the surfaces of several labels, which share their walls: all, or a list such as 1,3,7-9
    ///
    /// Each label's surface is closed, also where the volume ends. 0 is the background; labels that
    /// are not in the list are background too.
    #[arg(
        long,
        value_name = "LABELS",
        allow_hyphen_values = true,
        conflicts_with_all = ["iso", "inside", "round_samples", "label", "close", "topology", "vertices", "mask", "normals", "largest", "min_voxels", "smooth", "simplify", "method", "memory"],
        help_heading = "Labels"
    )]
    pub labels: Option<LabelList>,
}
