//! The options of `ferrovox mesh`.

use super::{LabelArgs, MORE, MeshFilterArgs, ReportArgs, SurfaceArgs};
use crate::{args::InputArgs, device_choice::DeviceList};
use clap::{Args, ValueEnum};
use ferrovox::io::{MeshFormat, MeshSpace};
use ferrovox::isosurface::{Method, NormalSource, Topology, VertexPlacement};
use ferrovox::pipeline::{Coordinates, mesh::MeshFilters};
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "ferrovox mesh [OPTIONS] <VOLUME> <--iso <VALUE>|--label <LABEL>|--labels <LABELS>|--nonzero> -o <FILE>"
)]
#[command(mut_arg("iso", |arg| arg.required_unless_present_any(["label", "labels", "nonzero"])))]
#[command(mut_arg("labels", |arg| arg.conflicts_with_all([
    "close", "topology", "vertices", "method"
])))]
#[command(mut_arg("json", |arg| arg.long_help(
    "Print one JSON object: counts, topology, area, volume, timings in milliseconds, warnings, the error; no --output is needed then"
)))]
#[command(after_help = MORE, after_long_help = "\
The isosurface is closed except at the border of the volume (or of the mask). Vertices are in world units, by the spacing \
and origin of the file; right-anterior-superior for medical formats.

Several devices each extract a slab of the volume. With --memory, or if the volume exceeds the memory, it is streamed: \
slabs are read, extracted and written in turn. The file is the same, byte for byte. --check needs the whole mesh, so it \
excludes streaming. With --labels, the mesh is held in memory, and a limit that it exceeds is an error with the bytes needed.

Examples:
  ferrovox mesh brain.nii.gz --iso 120 -o brain.ply --normals --check
  ferrovox mesh brain.nii.gz --iso 120 --json
  ferrovox mesh brain.nii.gz --iso otsu --smooth taubin:20 --simplify 25% -o brain.stl
  ferrovox mesh distances.npy --iso 0 --inside below --close -o solid.stl
  ferrovox mesh distances.nii.gz --iso 2.5 --vertices root --normals -o shell.vtp
  ferrovox mesh segmentation.nii.gz --label 17 --close -o one.ply
  ferrovox mesh segmentation.nii.gz --labels all -o walls.vtp --check
  ferrovox mesh segmentation.nii.gz --labels 1,3,7-9 -o 'part-{label}.stl'
  ferrovox mesh thin-walls.nrrd --iso 300 --topology trilinear -o walls.ply --check
  ferrovox mesh ct.raw --dims 512x512x300 --type i16 --spacing 0.7,0.7,1 --iso 300 -o bone.obj
  ferrovox mesh huge.nrrd --iso 0.5 -o huge.ply --memory 4G
  ferrovox mesh huge.nrrd --iso 0.5 -o huge.ply --device cuda:all")]
pub struct MeshArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub surface: SurfaceArgs,
    #[command(flatten)]
    pub labels: LabelArgs,
    /// Close the surface at the border of the volume
    #[arg(long, help_heading = "Surface")]
    pub close: bool,
    /// Rule for ambiguous cells
    ///
    /// Both rules produce closed manifold meshes. trilinear has the topology of the trilinear
    /// interpolant of the samples; separated keeps corners above the isovalue apart.
    #[arg(long, value_enum, default_value_t = TopologyName::Separated, value_name = "RULE", help_heading = "Surface")]
    pub topology: TopologyName,
    /// Interpolation that positions vertices on grid edges
    ///
    /// linear interpolates between the two samples of the edge; root uses the cubic through four
    /// samples, which is more accurate for smooth fields such as distance maps.
    #[arg(long, value_enum, default_value_t = PlacementName::Linear, value_name = "RULE", help_heading = "Surface")]
    pub vertices: PlacementName,
    #[arg(
        short,
        long,
        value_name = "FILE",
        required_unless_present = "json",
        help = output_help(),
        long_help = output_long_help(),
        help_heading = "Output"
    )]
    pub output: Option<PathBuf>,
    /// Coordinates of the file: world, local or voxel
    ///
    /// world is written as f64 where f32 would be imprecise: more than 8192 voxels from the world
    /// origin. STL has f32 only, and is refused where that is off by more than 1/100 voxel. local
    /// is relative to a point near the centre of the volume there, which --json reports as
    /// mesh_origin. voxel counts voxels from the centre of the first.
    #[arg(long, value_enum, default_value_t = CoordinatesName::World, value_name = "NAME", hide_possible_values = true, help_heading = "Output")]
    pub coordinates: CoordinatesName,
    /// Directions of the world axes in the file: ras or lps, stated as 3D Slicer reads it
    ///
    /// ras: x to the subject's right, y to the front, z to the top. lps: x and y with the opposite
    /// sign, as in ITK and DICOM. Voxel coordinates have no such directions.
    #[arg(long, value_enum, default_value_t = SpaceName::Ras, value_name = "NAME", hide_possible_values = true, help_heading = "Output", hide_short_help = true)]
    pub space: SpaceName,
    /// Add unit vertex normals, from the gradient of the samples or of their trilinear interpolant
    ///
    /// gradient, the default rule, is smoother and closer to the normals of smooth surfaces.
    #[arg(
        long,
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "gradient",
        value_name = "RULE",
        help_heading = "Output"
    )]
    pub normals: Option<NormalsName>,
    #[command(flatten)]
    pub filters: MeshFilterArgs,
    /// Check the mesh, report its openings, and fail if it is not an oriented manifold
    ///
    /// Triangles without area and vertices at equal positions are defects too. Without it, an open
    /// mesh is reported as a warning, and so are labels whose surfaces touch themselves.
    #[arg(long, help_heading = "Output")]
    pub check: bool,
    /// Implementation of the extraction; all produce the same mesh
    #[arg(long, value_enum, default_value_t = MethodName::Fused, hide_short_help = true, help_heading = "Execution")]
    pub method: MethodName,
    /// Devices: auto, cpu, cuda, cuda:N, several as cuda:0,1 or cuda:all
    ///
    /// auto selects the first CUDA device, or the CPU if there is none.
    #[arg(
        long,
        value_name = "DEVICES",
        default_value = "auto",
        help_heading = "Execution"
    )]
    pub device: DeviceList,
    #[command(flatten)]
    pub report: ReportArgs,
}

impl MeshArgs {
    /// Returns the filters of the mesh, among them those of the object's components.
    pub fn mesh_filters(&self) -> MeshFilters {
        self.filters.mesh_filters(&self.input.object)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// From one bit per sample: the fastest, and needs the least memory
    Fused,
    /// One kernel per stage; the volume must fit one device
    Staged,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CoordinatesName {
    /// World coordinates
    World,
    /// World units, relative to a point near the centre of a volume far from the world origin
    Local,
    /// Voxel indices
    Voxel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SpaceName {
    /// Right, anterior, superior
    Ras,
    /// Left, posterior, superior
    Lps,
}

impl From<SpaceName> for MeshSpace {
    fn from(name: SpaceName) -> Self {
        match name {
            SpaceName::Ras => Self::Ras,
            SpaceName::Lps => Self::Lps,
        }
    }
}

impl From<CoordinatesName> for Coordinates {
    fn from(name: CoordinatesName) -> Self {
        match name {
            CoordinatesName::World => Self::World,
            CoordinatesName::Local => Self::Local,
            CoordinatesName::Voxel => Self::Voxel,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TopologyName {
    /// Corners above the isovalue are separated on every ambiguous face
    Separated,
    /// The topology of the trilinear interpolant of the samples
    Trilinear,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlacementName {
    /// On the straight line between two samples
    Linear,
    /// At the root of the cubic through four samples
    Root,
}

impl From<PlacementName> for VertexPlacement {
    fn from(name: PlacementName) -> Self {
        match name {
            PlacementName::Linear => Self::Linear,
            PlacementName::Root => Self::Root,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NormalsName {
    /// Central differences of the samples
    Gradient,
    /// The gradient of the trilinear interpolant of the samples
    Trilinear,
}

impl From<NormalsName> for NormalSource {
    fn from(name: NormalsName) -> Self {
        match name {
            NormalsName::Gradient => Self::Gradient,
            NormalsName::Trilinear => Self::Trilinear,
        }
    }
}

impl From<TopologyName> for Topology {
    fn from(name: TopologyName) -> Self {
        match name {
            TopologyName::Separated => Self::Separated,
            TopologyName::Trilinear => Self::Trilinear,
        }
    }
}

impl From<MethodName> for Method {
    fn from(name: MethodName) -> Self {
        match name {
            MethodName::Fused => Self::Fused,
            MethodName::Staged => Self::Staged,
        }
    }
}

fn output_help() -> String {
    format!("Mesh file to write: {}", MeshFormat::writable_extensions())
}

fn output_long_help() -> String {
    let (help, one_file) = (output_help(), MeshFormat::face_label_extensions());
    format!(
        "{help}\n\nWith --labels, write one file per label by putting {{label}} into the name, or all labels into \
         one file: {one_file}, or .glb with a node for each label"
    )
}
