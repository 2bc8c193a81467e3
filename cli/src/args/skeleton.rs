//! Options of `ferrovox skeleton`.

use super::{
    MORE, ReportArgs,
    skeleton_edits::EditArgs,
    skeleton_names::{
        BoundaryName, ColourName, HierarchyName, LevelsName, PrecisionName, SkeletonMethodName,
        SurfaceName, VariantName,
    },
};
use crate::{
    args::InputArgs,
    device_choice::DeviceList,
    numbers::{Size, parse_size},
};
use clap::Args;
use ferrovox::io::SkeletonFormat;
use ferrovox::render::ViewDirection;
use std::path::PathBuf;

/// Help heading of the options of the medial method.
const MEDIAL: &str = "Medial method";
/// Help heading of the options of the potential-field method.
const POTENTIAL_FIELD: &str = "Potential-field method (--method potential-field)";

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "ferrovox skeleton [OPTIONS] <VOLUME> <-o <FILE>...|--png <FILE.png>|--field <FILE.npy>>"
)]
#[command(mut_arg("labels", |arg| arg.conflicts_with_all(["fill_cavities", "largest"])))]
#[command(mut_arg("json", |arg| arg.long_help(
    "Print one JSON object: graph statistics and certificates in total, per label and per component, timings in milliseconds, \
     warnings, the error; makes --output optional"
)))]
#[command(after_help = MORE, after_long_help = "\
Methods:
The medial method gives each connected component of the object one connected graph along its medial axis, with one \
cycle per tunnel and one curve per significant protrusion. Topology and shape of the curves are verified on the result: \
connectivity, number of cycles, homology (the cycles enclose the tunnels), and that curves stay inside, do not overlap and \
are not longer than necessary; with --scale or --const also coverage. If all of this holds, the skeleton is \
certified; otherwise the report names each violated property and its position.

The potential-field method (Cornea et al. 2005; Zhao et al. 2016) lets the surface voxels repel the interior. Its core \
skeleton connects the critical points of this force field; --hierarchy divergence adds curves from points of low \
divergence, --hierarchy curvature further ones from convex parts of the surface. The report compares the critical \
points with the object's Euler number. The skeleton is not certified, and thin parts get few curves.

Without --iso, --label and --labels, all samples that are not zero belong to the object. All labels of --labels are processed \
in one pass.

Output formats, by extension: .swc (trees: cycles are cut, and their number is reported), .obj (polylines), .vtp (VTK, \
with radius and level), .json (the complete graph with its branches), .graphml (for network programs), .csv (a table of \
branches), .nodes.csv (a table of nodes), .skel (text: x y z segment radius, in voxels). All except .skel use \
world coordinates. {label} in a file name is replaced by the label, which gives each label a file of its own; without it, \
all labels are written to the same file.

Examples:
  ferrovox skeleton brain.nii.gz --iso 120 -o brain.swc --png brain.png --tubes
  ferrovox skeleton vessels.nrrd --dust 20 --require-certified -o vessels.vtp -o vessels.json
  ferrovox skeleton atlas.nii.gz --labels all -o 'out/{label}.swc' --json
  ferrovox skeleton atlas.nii.gz --labels 3,17 --scale 1.2 --const 2 -o two.vtp
  ferrovox skeleton leaf.nrrd --detail 0.6 -o leaf.vtp
  ferrovox skeleton labels.nii.gz --label 17 --method potential-field --hierarchy divergence --exponent 4 -o core.obj")]
pub struct SkeletonArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Extraction method
    #[arg(long, value_enum, default_value_t = SkeletonMethodName::Medial, help_heading = "Curves")]
    pub method: SkeletonMethodName,
    /// Method and amount of detail under their former names; kept for existing scripts
    #[arg(long, value_enum, hide = true, conflicts_with_all = ["method", "hierarchy", "detail"])]
    pub levels: Option<LevelsName>,
    #[command(flatten)]
    pub edits: EditArgs,
    /// Minimum length of a branch relative to its width [default: 1.25]
    ///
    /// Protrusions get a branch if they are longer. The length counts without two voxels, which
    /// noise of the surface can cause; the width is the radius of a tube. Smaller values add
    /// branches to shorter protrusions.
    ///
    /// With --method potential-field it applies to the hierarchy level curvature, by default 0.3:
    /// the length beyond the radius of the object where the curve begins, divided by this radius.
    #[arg(
        long,
        value_name = "K",
        allow_hyphen_values = true,
        conflicts_with_all = ["scale", "constant"],
        help_heading = MEDIAL
    )]
    pub significance: Option<f64>,
    /// Minimum length of protrusions that get a branch, in world units [default: 0]
    #[arg(
        long,
        value_name = "LENGTH",
        allow_hyphen_values = true,
        conflicts_with_all = ["scale", "constant"],
        hide_short_help = true,
        help_heading = MEDIAL
    )]
    pub min_protrusion: Option<f64>,
    /// Add branches by coverage (TEASAR): multiple of the radius [default: 1.5]
    ///
    /// TEASAR's scale. A voxel is covered if it lies within SCALE x radius + CONST of the skeleton;
    /// branches are added until all voxels are covered. --scale or --const replace the rule of
    /// --significance.
    #[arg(
        long,
        value_name = "SCALE",
        allow_hyphen_values = true,
        help_heading = MEDIAL
    )]
    pub scale: Option<f64>,
    /// Constant part of the coverage radius, in units of the smallest spacing [default: 4]
    ///
    /// kimimaro's const is in world units: divide it by the smallest spacing.
    #[arg(
        long = "const",
        alias = "constant",
        value_name = "CONST",
        allow_hyphen_values = true,
        hide_short_help = true,
        help_heading = MEDIAL
    )]
    pub constant: Option<f64>,
    /// Add branches of at least this significance
    ///
    /// Smaller than --significance; 0.6 is a good start.
    #[arg(
        long,
        value_name = "K",
        allow_hyphen_values = true,
        help_heading = MEDIAL
    )]
    pub detail: Option<f64>,
    /// Skip components of fewer than N voxels
    #[arg(long, value_name = "N", help_heading = MEDIAL)]
    pub dust: Option<u64>,
    /// Fill tunnels of at most this thickness first
    ///
    /// From 1 to 32: a tunnel is filled at its narrowest position, unless a ball of one more voxel
    /// in diameter, or another object, passes through. The report counts the filled tunnels.
    #[arg(long, value_name = "VOXELS", hide_short_help = true, help_heading = MEDIAL)]
    pub fill_tunnels: Option<u32>,
    /// Exit with status 1 if the skeleton is not certified, after writing it
    ///
    /// Without this option, a warning is printed.
    #[arg(long, help_heading = MEDIAL)]
    pub require_certified: bool,
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
    /// Draw the skeleton over a pale rendering of the object
    ///
    /// The object fills the picture. Curves get paler and thinner with depth; the object does not
    /// occlude them.
    #[arg(long, value_name = "FILE.png", help_heading = "Picture")]
    pub png: Option<PathBuf>,
    /// View: oblique, front, top, … or degrees as -90,90
    ///
    /// Names are oblique, right, left, front, back, top and bottom. AZIMUTH,ELEVATION: 0,0 looks
    /// from +x, 90,0 from +y, elevation 90 from above.
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
    /// Coloured quantity
    ///
    /// Default: the label if there are several, otherwise the radius. The picture has a legend.
    #[arg(
        long,
        value_name = "QUANTITY",
        value_enum,
        alias = "color",
        requires = "png",
        help_heading = "Picture"
    )]
    pub colour: Option<ColourName>,
    /// Draw curves as tubes of the local radius instead of lines
    #[arg(
        long,
        requires = "png",
        hide_short_help = true,
        help_heading = "Picture"
    )]
    pub tubes: bool,
    /// Hierarchy level (Cornea et al. 2005); each includes the previous ones [default: core]
    ///
    /// Without --hierarchy, --divergence selects the level divergence, and --significance the level
    /// curvature.
    #[arg(long, value_enum, help_heading = POTENTIAL_FIELD)]
    pub hierarchy: Option<HierarchyName>,
    /// Divergence threshold for seeds, as a fraction of the divergence's range [default: 0.2]
    ///
    /// From 0 to 1. Applies to the hierarchy levels divergence and curvature.
    #[arg(long, value_name = "FRACTION", allow_hyphen_values = true, hide_short_help = true, help_heading = POTENTIAL_FIELD)]
    pub divergence: Option<f64>,
    /// Exponent of the force, which falls with distance^-EXPONENT [default: 6]
    ///
    /// From 2 to 9. Greater exponents give shorter core skeletons.
    #[arg(
        long,
        value_name = "EXPONENT",
        allow_hyphen_values = true,
        hide_short_help = true, help_heading = POTENTIAL_FIELD
    )]
    pub exponent: Option<f64>,
    /// Write the force field
    ///
    /// Shape (nz, ny, nx, 3), components x y z; zero outside the field.
    #[arg(long, value_name = "FILE.npy", hide_short_help = true, help_heading = POTENTIAL_FIELD)]
    pub field: Option<PathBuf>,
    /// Surface voxels, which exert the force: object voxels with an exterior 6-neighbour (faces) or
    /// 26-neighbour (corners) [default: faces]
    ///
    /// The choice changes the skeleton.
    #[arg(long, value_enum, hide_short_help = true, help_heading = POTENTIAL_FIELD)]
    pub surface: Option<SurfaceName>,
    /// Precision of the force sums; f32 is faster, and inaccurate far from the surface
    /// [default: accurate]
    ///
    /// The choice can change the skeleton of thick objects.
    #[arg(long, value_enum, hide_short_help = true, help_heading = POTENTIAL_FIELD)]
    pub precision: Option<PrecisionName>,
    /// Force at boundary voxels: computed exactly, or the mean of the neighbours' [default: exact]
    ///
    /// mean reproduces Zhao et al. (2016); the difference is small.
    #[arg(long, value_enum, hide_short_help = true, help_heading = POTENTIAL_FIELD)]
    pub boundary: Option<BoundaryName>,
    /// Algorithm of the force field [default: auto]
    ///
    /// For measurements: the choice affects the time only.
    #[arg(long, value_enum, hide_short_help = true, help_heading = POTENTIAL_FIELD)]
    pub variant: Option<VariantName>,
    /// Devices: auto, cpu, cuda, cuda:N, cuda:0,1 or cuda:all
    ///
    /// auto selects the first CUDA device, otherwise the CPU. The potential-field method runs on
    /// the first device; several devices share its force field, which takes nearly all of the time.
    /// The medial method runs on the CPU; GPUs compute the distances and shortest paths of large
    /// components, draw the picture and fill cavities. Its skeletons are the same on all devices.
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

impl SkeletonArgs {
    /// Returns the extraction method, also if it was selected by `--levels`.
    pub fn selected_method(&self) -> SkeletonMethodName {
        match self.levels {
            None => self.method,
            Some(LevelsName::Core) => SkeletonMethodName::PotentialField,
            Some(LevelsName::Whole | LevelsName::Detail) => SkeletonMethodName::Medial,
        }
    }
}

fn output_help() -> String {
    let extensions = SkeletonFormat::writable_extensions();
    format!("Skeleton file to write, repeatable: {extensions}")
}

fn output_long_help() -> String {
    let help = output_help();
    format!("{help}\n\n{{label}} in the name writes one file per label")
}
