//! Options of `ferrovox mesh` for segmentations.

use crate::numbers::{LabelList, parse_label};
use clap::{Args, ValueEnum};
use ferrovox::label_surface::VoxelContact;

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
    /// The surface of each label is a closed manifold, including at the border of the volume, and
    /// encloses the volume of its voxels. 0 and labels outside the list are background.
    #[arg(
        long,
        value_name = "LABELS",
        allow_hyphen_values = true,
        conflicts_with_all = ["iso", "inside", "round_samples", "label", "close", "topology", "vertices", "mask", "normals", "largest", "min_voxels", "simplify", "method", "memory"],
        help_heading = "Labels"
    )]
    pub labels: Option<LabelList>,
    /// Rule for voxels of one label that touch in an edge only, with background at both sides
    #[arg(
        long,
        value_enum,
        default_value_t = VoxelContactName::Joined,
        value_name = "RULE",
        hide_short_help = true,
        conflicts_with_all = ["iso", "label"],
        help_heading = "Labels"
    )]
    pub voxel_contact: VoxelContactName,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VoxelContactName {
    /// A narrow bridge joins them
    Joined,
    /// The surface separates them
    Separate,
}

impl From<VoxelContactName> for VoxelContact {
    fn from(name: VoxelContactName) -> Self {
        match name {
            VoxelContactName::Joined => Self::Join,
            VoxelContactName::Separate => Self::Separate,
        }
    }
}
