//! Options of `ferrovox mesh` for segmentations.

use clap::{Args, ValueEnum};
use ferrovox::label_surface::VoxelContact;
use std::path::PathBuf;

/// Surfaces of labels.
#[derive(Clone, Debug, Args)]
pub struct LabelArgs {
    /// Extract the surface of all samples other than 0: of a binary mask
    ///
    /// With --smooth, the mask is treated as a segmentation with a single label 1, as by --labels:
    /// its surface is a smooth closed manifold instead of a staircase. Otherwise it is the
    /// isosurface half way between the samples.
    #[arg(
        long,
        conflicts_with_all = ["iso", "inside", "round_samples", "label", "labels"],
        help_heading = "Labels"
    )]
    pub nonzero: bool,
    /// Lookup table with the names and colours of labels for .glb: FreeSurfer, ITK-SNAP, or names
    ///
    /// One label per line: number, name and optionally red, green and blue; or ITK-SNAP's columns.
    #[arg(
        long,
        value_name = "FILE",
        hide_short_help = true,
        help_heading = "Labels"
    )]
    pub label_table: Option<PathBuf>,
    /// Table of neighbouring labels with the areas of their walls: .csv or .json
    ///
    /// Columns: label, neighbour (0 for the background), triangles, area in squared world units.
    #[arg(
        long,
        value_name = "FILE",
        hide_short_help = true,
        help_heading = "Labels"
    )]
    pub wall_table: Option<PathBuf>,
    /// Table of the labels with area and volume of their surfaces: .csv or .json
    ///
    /// Columns: label, voxels, triangles, area, volume, and volume_error, the difference from the
    /// volume of the voxels as a fraction of it. In world units.
    #[arg(
        long,
        value_name = "FILE",
        hide_short_help = true,
        help_heading = "Labels"
    )]
    pub measure_table: Option<PathBuf>,
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
