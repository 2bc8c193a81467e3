//! Options of `ferrovox mesh` for segmentations.

use clap::{Args, ValueEnum};
use ferrovox::label_surface::VoxelContact;

/// Surfaces of labels.
#[derive(Clone, Debug, Args)]
pub struct LabelArgs {
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
