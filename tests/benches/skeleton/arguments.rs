//! Command-line options.

use clap::Parser;
use measure::Common;
use std::path::PathBuf;

/// Compares curve skeletons with known answers, and times them.
#[derive(Parser)]
#[command(name = "ferrovox-skeleton")]
pub struct Arguments {
    /// Only objects whose names contain one of these words; `all`, or `meshes` for those of
    /// --meshes [default: all but the atlas]
    #[arg(long, value_name = "WORD", value_delimiter = ',')]
    pub objects: Vec<String>,
    /// List the objects without measuring
    #[arg(long)]
    pub list: bool,
    /// Write the objects to this folder without measuring, as NAME.nii.gz with hyphens for spaces
    #[arg(long, value_name = "FOLDER", conflicts_with = "list")]
    pub write: Option<PathBuf>,
    /// Number of random trees, and of random nets
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub random: u64,
    /// Closed meshes (also .off) to voxelize and time as well, with the growth per doubling
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub meshes: Vec<PathBuf>,
    /// Numbers of voxels along the longest side of a mesh; up to 128, skeletons are also checked
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "64,96")]
    pub resolutions: Vec<u32>,
    /// Methods: medial, as by default; coverage, the medial method with the branches of TEASAR;
    /// core, divergence and curvature of the potential field; none
    #[arg(
        long,
        alias = "levels",
        value_name = "METHOD",
        value_delimiter = ',',
        default_value = "medial,coverage"
    )]
    pub methods: Vec<String>,
    #[command(flatten)]
    pub common: Common,
}
