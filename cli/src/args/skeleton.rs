//! The options of `ferrovox skeleton`.

use super::{
    MORE, ReportArgs,
    skeleton_names::{
        BoundaryName, ColourName, LevelsName, PrecisionName, SurfaceName, VariantName,
    },
};
use crate::{
    device_choice::DeviceList,
    input::VolumeArgs,
    numbers::{LabelList, Size, parse_distance, parse_size},
};
use clap::Args;
use ferrovox::io::SkeletonFormat;
use ferrovox::render::ViewDirection;
use std::path::PathBuf;

/// The heading of what only the method as published has.
const PUBLISHED: &str = "Published method (--levels core)";

#[derive(Debug, Args)]
#[command(
    override_usage = "ferrovox skeleton [OPTIONS] <VOLUME> <-o <FILE>...|--png <FILE.png>|--field <FILE.npy>>"
)]
#[command(mut_arg("json", |arg| arg.long_help(
    "Print one JSON object: the graphs' numbers, whether they are certified, per label and component, timings in milliseconds, \
     warnings, the error; no --output is needed then"
)))]
#[command(after_help = MORE, after_long_help = "\
Each component of the object gets curves, in one piece, round each of its tunnels and into each of its branches, in the \
middle. What must hold of a component is checked on the result: one piece; as many cycles as tunnels, and the right \
ones; every voxel within --scale times the radius, and --const, of a curve; all curves inside, none twice, none a \
detour. If all holds the skeleton is certified. --levels detail adds curves to where the surface is strongly curved. If not, the result says what does not, and where.

--levels core is the method as published: the surface voxels repel what is inside, and curves along which the force \
leads to where it vanishes are the core. --divergence adds curves from where the force converges, --curvature others from \
where the surface is strongly curved. Its critical points must add up to the object's Euler number; the result says \
whether they do. It is certified by nothing, and finds little in what is thin.

The extension of each output file tells what is written: .swc (trees: cycles are cut, and it is said how many), .obj \
(polylines), .vtp (VTK, with radius and level), .json (the whole graph), .skel (text: x y z segment radius, in voxels). \
All but .skel are in world coordinates. {label} in a name stands for the label: each has a file of its own then, and \
otherwise all are in one.

Examples:
  ferrovox skeleton brain.nii.gz --iso 120 -o brain.swc --png brain.png --tubes
  ferrovox skeleton vessels.nrrd --dust 20 --require-certified -o vessels.vtp -o vessels.json
  ferrovox skeleton atlas.nii.gz --labels all -o 'out/{label}.swc' --json
  ferrovox skeleton atlas.nii.gz --labels 3,17 --scale 1.2 --const 2 -o two.vtp
  ferrovox skeleton leaf.nrrd --levels detail --curvature 0.1 -o leaf.vtp
  ferrovox skeleton labels.nii.gz --label 17 --levels core --exponent 4 --divergence 0.2 -o core.obj")]
pub struct SkeletonArgs {
    #[command(flatten)]
    pub input: VolumeArgs,
    /// The isovalue: the object is where the samples are this or more
    ///
    /// Without it, and without labels, the object is where the samples are not zero.
    #[arg(
        long,
        value_name = "VALUE",
        allow_hyphen_values = true,
        aliases = ["threshold", "isovalue"],
        help_heading = "Object"
    )]
    pub iso: Option<f64>,
    /// The object is where the samples are exactly this
    #[arg(
        long,
        value_name = "L",
        allow_hyphen_values = true,
        conflicts_with = "iso",
        help_heading = "Object"
    )]
    pub label: Option<f64>,
    /// Each label is an object: all but 0, or those of a list
    ///
    /// All in one pass. Samples must be whole numbers.
    #[arg(
        long,
        value_name = "all|L,L,...",
        allow_hyphen_values = true,
        conflicts_with_all = ["iso", "label", "fill_cavities"],
        help_heading = "Object"
    )]
    pub labels: Option<LabelList>,
    /// Fill cavities first
    #[arg(long, alias = "fill", help_heading = "Object")]
    pub fill_cavities: bool,
    /// How much to extract
    #[arg(long, value_enum, default_value_t = LevelsName::Whole, help_heading = "Curves")]
    pub levels: LevelsName,
    /// A curve covers what is within S radii and --const of it [default: 1.5]
    ///
    /// What is not covered gets a curve: so a branch has one, and a bump has none. As kimimaro has
    /// it (TEASAR).
    #[arg(
        long,
        value_name = "S",
        allow_hyphen_values = true,
        help_heading = "Curves"
    )]
    pub scale: Option<f64>,
    /// The constant part of that, in smallest spacings [default: 4]
    ///
    /// kimimaro's is in world units: divide by the smallest spacing.
    #[arg(
        long = "const",
        alias = "constant",
        value_name = "C",
        allow_hyphen_values = true,
        help_heading = "Curves"
    )]
    pub constant: Option<f64>,
    /// Curves to this part of the surface, for --levels detail [default: 0.05]
    ///
    /// The most curved fraction of its voxels. With --levels core it adds the published levels 1
    /// and 2, from this fraction of the boundary voxels; without it there are none.
    #[arg(
        long,
        value_name = "X",
        allow_hyphen_values = true,
        help_heading = "Curves"
    )]
    pub curvature: Option<f64>,
    /// Components of fewer voxels get no skeleton
    #[arg(long, value_name = "N", help_heading = "Curves")]
    pub dust: Option<u64>,
    /// Remove branches with a free end that are shorter than this, in world units
    ///
    /// What only they covered is not covered then, and the skeleton is not certified.
    #[arg(long, value_name = "LENGTH", value_parser = parse_distance, allow_hyphen_values = true, help_heading = "Curves")]
    pub prune: Option<f64>,
    /// Make one curve of two that meet at a node where no other does
    #[arg(long, hide_short_help = true, help_heading = "Curves")]
    pub merge: bool,
    #[arg(
        short,
        long,
        value_name = "FILE",
        required_unless_present_any = ["png", "field", "json"],
        help = output_help(),
        long_help = output_long_help(),
        help_heading = "Output"
    )]
    pub output: Vec<PathBuf>,
    /// Exit with status 1 if the skeleton is not certified, after writing it
    ///
    /// Without this there is a warning.
    #[arg(long, help_heading = "Output")]
    pub require_certified: bool,
    /// Draw the skeleton over a pale picture of the object
    ///
    /// The object fills the picture. What is farther is paler and thinner; nothing is hidden behind
    /// the object.
    #[arg(long, value_name = "FILE.png", help_heading = "Picture")]
    pub png: Option<PathBuf>,
    /// From where to look: oblique, right, left, front, back, top, bottom, or degrees as -90,90
    ///
    /// AZIMUTH,ELEVATION: 0,0 looks from +x, 90,0 from +y, elevation 90 from above.
    #[arg(
        long,
        default_value = "oblique",
        allow_hyphen_values = true,
        help_heading = "Picture"
    )]
    pub view: ViewDirection,
    /// Pixels of the picture
    #[arg(long, value_name = "WxH", default_value = "800x600", value_parser = parse_size, help_heading = "Picture")]
    pub size: Size,
    /// What colours stand for
    ///
    /// The label where there are several, and the radius where there is one, if this is not given.
    /// The picture has a legend.
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        alias = "color",
        requires = "png",
        help_heading = "Picture"
    )]
    pub colour: Option<ColourName>,
    /// Draw tubes of the radius at each point, in place of lines
    #[arg(long, requires = "png", help_heading = "Picture")]
    pub tubes: bool,
    /// Add level 1: curves from the lowest divergence, this part of its range
    ///
    /// 0.2 is a good number.
    #[arg(long, value_name = "P", allow_hyphen_values = true, help_heading = PUBLISHED)]
    pub divergence: Option<f64>,
    /// The force falls with this power of the distance [default: 6]
    ///
    /// From 2 to 9: the more, the shorter the core.
    #[arg(
        long,
        value_name = "M",
        allow_hyphen_values = true,
        help_heading = PUBLISHED
    )]
    pub exponent: Option<f64>,
    /// Write the forces
    ///
    /// Of the shape (nz, ny, nx, 3), x y z of each vector, zeros where there is none.
    #[arg(long, value_name = "FILE.npy", help_heading = PUBLISHED)]
    pub field: Option<PathBuf>,
    /// Which voxels exert the force: those with an exterior voxel across a face, or also at an edge
    /// or corner [default: faces]
    ///
    /// It changes the skeleton.
    #[arg(long, value_enum, hide_short_help = true, help_heading = PUBLISHED)]
    pub surface: Option<SurfaceName>,
    /// How forces are added up: f32 is faster, and wrong far from the surface [default: accurate]
    ///
    /// It can change the skeleton of what is thick.
    #[arg(long, value_enum, hide_short_help = true, help_heading = PUBLISHED)]
    pub precision: Option<PrecisionName>,
    /// The force next to the surface: as anywhere, or the mean of the neighbours' [default: exact]
    ///
    /// To compare with Zhao et al. (2016); it changes little.
    #[arg(long, value_enum, hide_short_help = true, help_heading = PUBLISHED)]
    pub boundary: Option<BoundaryName>,
    /// How the surface's voxels are brought to the others [default: auto]
    ///
    /// To measure: it changes the time alone.
    #[arg(long, value_enum, hide_short_help = true, help_heading = PUBLISHED)]
    pub variant: Option<VariantName>,
    /// Where to run: auto, cpu, cuda, cuda:N, several as cuda:0,1 or cuda:all
    ///
    /// auto takes the first CUDA device, else the CPU. --levels core runs there; several make its
    /// force field together, which is nearly all of its work. The other levels are made by the CPU;
    /// GPUs compute distances and cheapest ways of large components, draw the picture and fill
    /// cavities. Those skeletons are the same on every device.
    #[arg(
        long,
        default_value = "auto",
        value_name = "DEVICES",
        help_heading = "Execution"
    )]
    pub device: DeviceList,
    #[command(flatten)]
    pub report: ReportArgs,
}

fn output_help() -> String {
    let extensions = SkeletonFormat::writable_extensions();
    format!("Skeleton file to write, repeatable: {extensions}")
}

fn output_long_help() -> String {
    let help = output_help();
    format!("{help}\n\n{{label}} in the name writes one file per label")
}
