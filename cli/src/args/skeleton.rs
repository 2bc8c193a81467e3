//! The options of `ferrovox skeleton`.

use super::{MORE, ReportArgs};
use crate::{
    device_choice::DeviceList,
    input::VolumeArgs,
    numbers::{Size, parse_distance, parse_size},
};
use clap::{Args, ValueEnum};
use ferrovox::{
    render::ViewDirection,
    skeleton::{BoundaryForce, FieldVariant, Levels, Precision, SkeletonParams, SurfaceBy},
};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    override_usage = "ferrovox skeleton [OPTIONS] <VOLUME> <-o <FILE>...|--png <FILE.png>|--field <FILE.npy>>"
)]
#[command(mut_arg("json", |arg| arg.long_help(
    "Print one JSON object: the graph's numbers, the certificate, voxels by class, timings in milliseconds, warnings, the error; \
     no --output is needed then"
)))]
#[command(after_help = MORE, after_long_help = "\
The surface voxels of the object repel what is inside it. Curves along which the force leads to where it vanishes are the \
core of the skeleton (level 0). Level 1 adds curves from where the force converges, level 2 from where the surface is \
strongly curved. Each component of the object has a skeleton of its own.

The critical points must add up to the object's Euler number; the result says whether they do. If not, some were not \
found, and a curve may be missing.

The extension of each output file tells what is written: .swc (trees: cycles are cut, and it is said how many), .obj \
(polylines), .vtp (VTK, with radius and level), .json (the whole graph), .skel (text: x y z segment radius, in voxels). \
All but .skel are in world coordinates.

Examples:
  ferrovox skeleton brain.nii.gz --iso 120 -o brain.swc --png brain.png
  ferrovox skeleton vessels.nrrd --levels 2 --curvature 0.1 --prune 3 -o vessels.vtp -o vessels.json
  ferrovox skeleton labels.nii.gz --label 17 --fill-cavities --exponent 4 --levels core -o core.obj --json")]
pub struct SkeletonArgs {
    #[command(flatten)]
    pub input: VolumeArgs,
    /// The isovalue: the object is where the samples are this or more
    ///
    /// Without it, and without a label, the object is where the samples are not zero.
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
    /// Fill cavities first
    #[arg(long, alias = "fill", help_heading = "Object")]
    pub fill_cavities: bool,
    /// Which levels there are: the core, and level 1, and level 2
    #[arg(long, value_enum, default_value_t = LevelsName::One, help_heading = "Curves")]
    pub levels: LevelsName,
    /// Level 1 starts where the divergence is below this fraction of its range
    #[arg(long, value_name = "P", default_value_t = SkeletonParams::default().divergence, allow_hyphen_values = true, help_heading = "Curves")]
    pub divergence: f64,
    /// Level 2 starts at this fraction of the boundary voxels, the most curved
    #[arg(long, value_name = "X", default_value_t = SkeletonParams::default().curvature, allow_hyphen_values = true, help_heading = "Curves")]
    pub curvature: f64,
    /// Remove branches with a free end that are shorter than this, in world units
    #[arg(long, value_name = "LENGTH", value_parser = parse_distance, allow_hyphen_values = true, help_heading = "Curves")]
    pub prune: Option<f64>,
    /// Make one curve of two that meet at a node where no other does
    #[arg(long, help_heading = "Curves")]
    pub merge: bool,
    /// Skeleton file to write, several times if wanted: .swc, .obj, .vtp, .json or .skel
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["png", "field", "json"], help_heading = "Output")]
    pub output: Vec<PathBuf>,
    /// Write the forces
    ///
    /// Of the shape (nz, ny, nx, 3), x y z of each vector, zeros where there is none.
    #[arg(long, value_name = "FILE.npy", help_heading = "Output")]
    pub field: Option<PathBuf>,
    /// Draw the skeleton over a pale picture of the object
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
    /// The force falls with this power of the distance, 2 to 9: the more, the shorter the core
    #[arg(
        long,
        value_name = "M",
        default_value_t = 6.0,
        allow_hyphen_values = true,
        help_heading = "Field"
    )]
    pub exponent: f64,
    /// Which voxels of the object exert the force: those with an exterior voxel across a face, or also at an edge or corner
    #[arg(long, value_enum, default_value_t = SurfaceName::Faces, hide_short_help = true, help_heading = "Field")]
    pub surface: SurfaceName,
    /// How forces are added up: f32 is faster, and wrong far from the surface
    #[arg(long, value_enum, default_value_t = PrecisionName::Accurate, hide_short_help = true, help_heading = "Field")]
    pub precision: PrecisionName,
    /// The force next to the surface: as anywhere, or the mean of the neighbours'
    #[arg(long, value_enum, default_value_t = BoundaryName::Exact, hide_short_help = true, help_heading = "Field")]
    pub boundary: BoundaryName,
    /// How the surface's voxels are brought to the others
    #[arg(long, value_enum, default_value_t = VariantName::Auto, hide_short_help = true, help_heading = "Field")]
    pub variant: VariantName,
    /// Where to run: auto, cpu, cuda, cuda:N, several as cuda:0,1 or cuda:all
    ///
    /// auto takes the first CUDA device, else the CPU. Several make the force field together, which is nearly all of the work.
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
    /// What the library is asked for.
    pub fn params(&self) -> SkeletonParams {
        SkeletonParams {
            exponent: self.exponent,
            levels: self.levels.into(),
            divergence: self.divergence,
            curvature: self.curvature,
            fill: self.fill_cavities,
            surface: self.surface.into(),
            precision: self.precision.into(),
            boundary: self.boundary.into(),
            variant: self.variant.into(),
            ..SkeletonParams::default()
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LevelsName {
    /// Curves between critical points
    Core,
    /// And curves from where the force converges
    #[value(name = "1")]
    One,
    /// And curves from where the surface is strongly curved
    #[value(name = "2")]
    Two,
}

impl From<LevelsName> for Levels {
    fn from(name: LevelsName) -> Self {
        match name {
            LevelsName::Core => Self::Core,
            LevelsName::One => Self::One,
            LevelsName::Two => Self::Two,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SurfaceName {
    /// An exterior voxel across a face
    Faces,
    /// An exterior voxel among the 26 neighbours
    Corners,
}

impl From<SurfaceName> for SurfaceBy {
    fn from(name: SurfaceName) -> Self {
        match name {
            SurfaceName::Faces => Self::Faces,
            SurfaceName::Corners => Self::Corners,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PrecisionName {
    F32,
    Accurate,
}

impl From<PrecisionName> for Precision {
    fn from(name: PrecisionName) -> Self {
        match name {
            PrecisionName::F32 => Self::F32,
            PrecisionName::Accurate => Self::Accurate,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BoundaryName {
    Exact,
    Mean,
}

impl From<BoundaryName> for BoundaryForce {
    fn from(name: BoundaryName) -> Self {
        match name {
            BoundaryName::Exact => Self::Exact,
            BoundaryName::Mean => Self::Mean,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VariantName {
    /// From global memory
    Simple,
    /// From constant memory
    Constant,
    /// From shared memory
    Shared,
    /// The quickest way known to compare all pairs
    Tuned,
    /// What is far by series: in time linear in the voxels, exact where the bound of the error does not suffice
    Tree,
    /// The quicker one of tuned and tree
    Auto,
}

impl From<VariantName> for FieldVariant {
    fn from(name: VariantName) -> Self {
        match name {
            VariantName::Simple => Self::Simple,
            VariantName::Constant => Self::Constant,
            VariantName::Shared => Self::Shared,
            VariantName::Tuned => Self::Tuned,
            VariantName::Tree => Self::Tree,
            VariantName::Auto => Self::Auto,
        }
    }
}
