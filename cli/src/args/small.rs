//! Options of the commands with few options.

use super::{DeviceArgs, MORE, ReportArgs, SurfaceArgs};
use crate::{
    args::InputArgs,
    numbers::{Size, parse_fraction, parse_size},
};
use clap::Args;
use clap_complete::Shell;
use ferrovox::render::ViewDirection;
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
#[command(mut_arg("json", |arg| arg.long_help("Print one JSON object: the picture, timings in milliseconds, warnings, the error")))]
#[command(after_help = MORE, after_long_help = "\
Examples:
  ferrovox render brain.nii.gz --iso 120 -o brain.png
  ferrovox render brain.nii.gz --iso 120 --view -60,15 --size 1600x1200 -o brain.png
  ferrovox render distances.npy --iso 0 --inside below --view top -o solid.png")]
#[command(mut_arg("iso", |arg| arg.required_unless_present("label")))]
pub struct RenderArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub surface: SurfaceArgs,
    /// Picture file to write (PNG)
    #[arg(short, long, value_name = "FILE.png", help_heading = "Picture")]
    pub output: PathBuf,
    /// View direction: oblique, right, left, front, back, top, bottom, or AZIMUTH,ELEVATION in
    /// degrees
    ///
    /// 0,0 views from +x, 90,0 from +y, and elevation 90 from above.
    #[arg(
        long,
        default_value = "oblique",
        allow_hyphen_values = true,
        help_heading = "Picture"
    )]
    pub view: ViewDirection,
    /// Size of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "800x600", value_parser = parse_size, help_heading = "Picture")]
    pub size: Size,
    /// Ambient occlusion: fraction by which hollows are darkened, from 0 to 1
    #[arg(long, value_name = "FRACTION", default_value_t = 0.0, value_parser = parse_fraction, help_heading = "Picture")]
    pub occlusion: f32,
    /// Transparent background (default: white)
    #[arg(long, help_heading = "Picture")]
    pub transparent: bool,
    #[command(flatten)]
    pub device: DeviceArgs,
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
