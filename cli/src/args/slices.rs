//! Options of `ferrovox slices`.

use super::{InputArgs, MORE, ReportArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
#[command(mut_arg("json", |arg| arg.long_help("Print one JSON object: the picture, timings in milliseconds, warnings, the error")))]
#[command(after_help = MORE, after_long_help = "\
One row of planes across z, one across y and one across x, through the object above --iso or through the whole volume. \
All planes have one scale. Letters name the directions, and each plane states its position in world units.

Examples:
  ferrovox slices scan.nii.gz -o montage.png
  ferrovox slices scan.nii.gz --iso 120 --overlay labels.nii.gz -o montage.png
  ferrovox slices ct/ --iso otsu --planes 6 --width 2000 -o ct.png")]
pub struct SlicesArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Segmentation whose labels are drawn over the planes in colours
    #[arg(long, value_name = "VOLUME", help_heading = "Contents")]
    pub overlay: Option<PathBuf>,
    /// Lookup table with the colours of labels: FreeSurfer or ITK-SNAP
    #[arg(
        long,
        value_name = "FILE",
        requires = "overlay",
        help_heading = "Contents"
    )]
    pub label_table: Option<PathBuf>,
    /// Number of planes across each axis
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "Picture")]
    pub planes: u32,
    /// Width of the picture in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 1200, value_parser = clap::value_parser!(u32).range(64..=16384), help_heading = "Picture")]
    pub width: u32,
    /// Picture file to write (PNG)
    #[arg(short, long, value_name = "FILE.png", help_heading = "Picture")]
    pub output: PathBuf,
    #[command(flatten)]
    pub report: ReportArgs,
}
