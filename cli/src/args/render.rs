//! Options of `ferrovox render`.

use super::{DeviceArgs, InputArgs, MORE, ReportArgs, SurfaceArgs};
use crate::numbers::{Colour, Size, parse_fraction, parse_range, parse_size};
use clap::Args;
use ferrovox::render::ViewDirection;
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
#[command(override_usage = "ferrovox render [OPTIONS] <FILE>... -o <FILE.png>")]
#[command(mut_arg("json", |arg| arg.long_help("Print one JSON object: the picture, its objects, timings in milliseconds, warnings, the error")))]
#[command(mut_arg("volume", |arg| arg.value_name("FILE")
    .help("Volumes, meshes (.ply, .obj, …) and skeletons (.swc), by extension")
    .long_help("Volumes of any format that is read, meshes (.ply, .obj, .stl, .off, .vtp, .glb, .3mf) and skeletons (.swc)\n\n\
        All files are shown in one picture, unless {stem} in the name of the picture stands for the name of the input.")))]
#[command(mut_arg("iso", |arg| arg.help("Surface of the volumes at this value: a number, otsu or percentile:P")
    .long_help("Surface of the volumes at this value: a number, otsu or percentile:P\n\n\
        Of several values, as 60,100, each is a surface, unless {iso} in the name of the picture stands for the value.")))]
#[command(mut_arg("labels", |arg| arg.help("The volumes are segmentations: draw each label in a colour of its own")
    .long_help("The volumes are segmentations: draw the surface of each label in a colour of its own, of all except 0, or of a list such as 1,3,7-9\n\n\
        With --overlay, the labels of the overlay that are shown [default: all].")))]
#[command(after_help = MORE, after_long_help = "\
Skeletons are drawn over the surfaces, coloured by radius with a colour bar; surfaces around them are pale unless --opacity is given.

Examples:
  ferrovox render brain.nii.gz --iso 120 -o brain.png
  ferrovox render ct.nii.gz --iso=-300,300 --opacity 0.3,1 --scale-bar --orientation -o head.png
  ferrovox render part.ply part.swc --tubes --unit mm -o part.png
  ferrovox render atlas.nii.gz --labels --label-table lut.txt -o atlas.png
  ferrovox render part.ply --values distances.nii.gz --value-range 0,5 -o distances.png
  ferrovox render brain.nii.gz --iso 120 --turntable 36 --size 400x300 -o brain.png")]
pub struct RenderArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub surface: SurfaceArgs,
    /// Segmentation whose labels are drawn too, in colours
    #[arg(long, value_name = "VOLUME", help_heading = "Contents")]
    pub overlay: Option<PathBuf>,
    /// Lookup table with the colours of labels: FreeSurfer or ITK-SNAP
    #[arg(long, value_name = "FILE", help_heading = "Contents")]
    pub label_table: Option<PathBuf>,
    /// Colour surfaces by this volume, such as a distance map
    ///
    /// The picture has a colour bar. Samples are interpolated at the vertices; surfaces outside of
    /// the volume are grey.
    #[arg(
        long,
        value_name = "VOLUME",
        conflicts_with_all = ["labels", "overlay", "colours"],
        help_heading = "Contents"
    )]
    pub values: Option<PathBuf>,
    /// Values of the darkest and of the brightest colour [default: the range of the values]
    #[arg(long, value_name = "LOW,HIGH", value_parser = parse_range, allow_hyphen_values = true, requires = "values", hide_short_help = true, help_heading = "Contents")]
    pub value_range: Option<[f64; 2]>,
    /// Colours of the surfaces in order: names or #rrggbb
    ///
    /// Names are those of the palette Tableau 10 (blue, orange, green, red, purple, brown, pink,
    /// grey, olive, cyan), white and black.
    #[arg(
        long = "surface-colours",
        alias = "surface-colors",
        value_name = "COLOURS",
        value_delimiter = ',',
        help_heading = "Contents"
    )]
    pub colours: Vec<Colour>,
    /// Opacities of the surfaces, from 0 to 1; the last is that of others
    ///
    /// Only the part of each surface that is nearest to the viewer is visible. The default is 1,
    /// and 0.4 around skeletons.
    #[arg(long, value_name = "FRACTIONS", value_delimiter = ',', value_parser = parse_fraction, help_heading = "Contents")]
    pub opacity: Vec<f32>,
    /// Draw skeletons as tubes of the local radius instead of lines
    #[arg(long, help_heading = "Contents")]
    pub tubes: bool,
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
    /// Draw a scale bar
    #[arg(long, help_heading = "Picture")]
    pub scale_bar: bool,
    /// Draw the directions of the axes
    ///
    /// They are named L, R, P, A, I and S for NIfTI, DICOM, MetaImage and MGH, otherwise X, Y and
    /// Z.
    #[arg(long, help_heading = "Picture")]
    pub orientation: bool,
    /// Unit of lengths [default: mm for NIfTI, DICOM and MGH, Å for MRC, otherwise none]
    #[arg(long, value_name = "TEXT", help_heading = "Picture")]
    pub unit: Option<String>,
    /// Animation of N pictures around the z axis (animated PNG)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=360), help_heading = "Picture")]
    pub turntable: Option<u32>,
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}
