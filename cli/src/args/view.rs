//! Options of `ferrovox view`.

use super::{DeviceArgs, InputArgs, MORE, ReportArgs, SurfaceArgs};
use clap::Args;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
#[command(override_usage = "ferrovox view [OPTIONS] <FILE>... [-o <FILE.html>]")]
#[command(mut_arg("volume", |arg| arg.value_name("FILE")
    .help("Meshes (.ply, .obj, …), skeletons (.swc) and volumes, by extension")
    .long_help("Meshes (.ply, .obj, .stl, .off, .vtp, .glb, .3mf), skeletons (.swc) and volumes of any format that is read\n\n\
        All files are shown on one page. Their world coordinates must agree.")))]
#[command(mut_arg("iso", |arg| arg.help("Surface of the volumes at this value: a number, otsu or percentile:P")
    .long_help("Surface of the volumes at this value: a number, otsu or percentile:P\n\n\
        It is shown as a mesh, and as a contour on the slices.")))]
#[command(mut_arg("labels", |arg| arg.help("The volumes are segmentations: show the surface of each label")
    .long_help("The volumes are segmentations: show the surface of each label, of all except 0, or of a list such as 1,3,7-9\n\n\
        With --overlay, the labels of the overlay that are shown [default: all].")))]
#[command(mut_arg("json", |arg| arg.long_help("Print one JSON object: the objects of the page, its size, timings in milliseconds, the error")))]
#[command(after_help = MORE, after_long_help = "\
The page needs no network: everything is in one file, which also works in an iframe with \
sandbox=\"allow-scripts\". Press ? on the page for its keys.

A volume is shown as three slices. Air around the object is transparent. Surfaces of more than 2 million triangles are \
simplified for display, and volumes of more than 256 samples along an axis are reduced; the page says so, and its three \
central slices are complete.

Examples:
  ferrovox view scan.nii.gz --iso 120
  ferrovox view brain.ply skeleton.swc -o brain.html
  ferrovox view scan.nii.gz --overlay labels.nii.gz --label-table lut.txt -o scan.html
  ferrovox view labels.nii.gz --labels=3,7-9 -o labels.html
  ferrovox view part.stl --distances distances.nii.gz --unit mm -o part.html")]
pub struct ViewArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub surface: SurfaceArgs,
    /// Segmentation whose labels are shown as surfaces, over the other files
    #[arg(long, value_name = "VOLUME", help_heading = "Contents")]
    pub overlay: Option<PathBuf>,
    /// Lookup table with the names and colours of labels: FreeSurfer, ITK-SNAP, or names
    #[arg(long, value_name = "FILE", help_heading = "Contents")]
    pub label_table: Option<PathBuf>,
    /// Distance map, shown as slices in colours with a colour bar
    #[arg(long, value_name = "VOLUME", help_heading = "Contents")]
    pub distances: Option<PathBuf>,
    /// Title of the page [default: the name of the first file]
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    pub title: Option<String>,
    /// Unit of lengths [default: mm for NIfTI, DICOM and MGH, Å for MRC, otherwise none]
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    pub unit: Option<String>,
    /// Page to write [default: a temporary file, opened in the browser]
    #[arg(short, long, value_name = "FILE.html", help_heading = "Output")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}
