//! What is to be measured.

use clap::Parser;
use measure::Common;
use std::path::PathBuf;

/// Holds curve skeletons to known answers, and times them.
#[derive(Parser)]
#[command(name = "ferrovox-skeleton")]
pub struct Arguments {
    /// Only objects whose names contain one of these words [default: all but the atlas]
    #[arg(long, value_name = "WORD", value_delimiter = ',')]
    pub objects: Vec<String>,
    /// Name the objects, and measure nothing
    #[arg(long)]
    pub list: bool,
    /// Write the objects into this folder, as NAME.nii.gz with hyphens for spaces, and measure
    /// nothing
    #[arg(long, value_name = "FOLDER", conflicts_with = "list")]
    pub write: Option<PathBuf>,
    /// Random trees, and as many nets
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub random: u64,
    /// Closed meshes to voxelise and measure too
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub meshes: Vec<PathBuf>,
    /// Voxels along a mesh's longest side
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "64,96")]
    pub resolutions: Vec<u32>,
    /// Our levels: whole, core, 1, 2; none to leave ours out
    #[arg(
        long,
        value_name = "LEVEL",
        value_delimiter = ',',
        default_value = "whole"
    )]
    pub levels: Vec<String>,
    #[command(flatten)]
    pub common: Common,
}
