//! Options of the commands with few options.

use super::{DeviceArgs, MORE, ReportArgs};
use crate::args::InputArgs;
use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
#[command(mut_arg("json", |arg| arg.long_help("Print one JSON object: the devices, their memory in bytes")))]
pub struct DevicesArgs {
    #[command(flatten)]
    pub report: ReportArgs,
}

#[derive(Clone, Debug, Args)]
#[command(mut_arg("json", |arg| arg.long_help("Print one JSON object: format, grid, samples, statistics, warnings, the error")))]
#[command(after_help = MORE, after_long_help = "\
--labels, --label and --iso measure objects: the number of voxels, the volume, the box of voxel indices as --crop takes it, \
and the centroid in world coordinates.

Examples:
  ferrovox info scan.nii.gz
  ferrovox info scan.nii.gz --stats --json
  ferrovox info segmentation.nii.gz --labels -o labels.csv
  ferrovox info scan.nii.gz --iso otsu --largest
  ferrovox info series.nii --volume-index 3 --stats
  ferrovox info ct.raw --dims 512x512x300 --type i16 --stats")]
pub struct InfoArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Read the samples, and print their range, percentiles, histogram, Otsu's threshold and labels
    ///
    /// For a file with several volumes, those of --volume-index; with a mask, those within it.
    #[arg(long, help_heading = "Report")]
    pub stats: bool,
    /// Table of the objects to write: .csv or .json
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub report: ReportArgs,
}

#[derive(Clone, Debug, Args)]
#[command(mut_arg("json", |arg| arg.long_help("Print one JSON object: the meshes and pictures, timings in milliseconds, the error")))]
pub struct DemoArgs {
    /// Folder for the meshes and pictures; created if it does not exist
    #[arg(
        short,
        long,
        value_name = "DIR",
        default_value = "demo",
        help_heading = "Output"
    )]
    pub output: PathBuf,
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = MORE, after_long_help = "\
Examples:
  ferrovox completions bash > ~/.local/share/bash-completion/completions/ferrovox
  ferrovox completions zsh > ~/.zfunc/_ferrovox
  ferrovox completions fish > ~/.config/fish/completions/ferrovox.fish")]
pub struct CompletionsArgs {
    /// Shell
    pub shell: Shell,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = MORE, after_long_help = "\
Examples:
  ferrovox man-pages ~/.local/share/man/man1
  man ferrovox-mesh")]
pub struct ManPagesArgs {
    /// Folder for the pages; created if it does not exist
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
