//! The command line. What the comments here say is the help text.

mod distance;
mod occupancy;
mod skeleton;
mod voxelize;

pub use distance::{DistanceArgs, SampleName};
pub use occupancy::{ModelName, OccupancyArgs, Over};
pub use skeleton::SkeletonArgs;
pub use voxelize::VoxelizeArgs;

use crate::{
    device_choice::{DeviceChoice, DeviceList},
    input::VolumeArgs,
    numbers::{Size, parse_memory, parse_size},
};
use clap::{Args, Parser, Subcommand, ValueEnum};
use ferrovox::{
    isosurface::{Inside, Method},
    render::ViewDirection,
};
use std::path::PathBuf;

/// Volumes (MRI, CT, simulation) into geometry, on the GPU or the CPU
#[derive(Debug, Parser)]
#[command(
    name = "ferrovox",
    version,
    propagate_version = true,
    max_term_width = 100
)]
#[command(after_help = "\
Try it:
  ferrovox demo                                     two meshes and pictures
  ferrovox info scan.nii.gz                         what a file holds
  ferrovox mesh scan.nii.gz --iso 120 -o scan.ply   its isosurface at 120
  ferrovox render scan.nii.gz --iso 120 -o scan.png a picture of it
  ferrovox distance scan.nii.gz --level 120 -o d.nii.gz   how far each voxel is from there
  ferrovox skeleton scan.nii.gz --threshold 120 -o s.swc  the centre lines of what is above
  ferrovox occupancy --device H200 --regs 92        how many blocks of a kernel run at a time

`ferrovox COMMAND --help` says more about a command.")]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the devices of this machine
    Devices(DevicesArgs),
    /// Say what a volume file holds
    Info(InfoArgs),
    /// Make the isosurface of a volume, as a triangle mesh
    Mesh(MeshArgs),
    /// Make a distance map: of each voxel the distance to the nearest site
    Distance(Box<DistanceArgs>),
    /// Find the curve skeleton of an object: its centre lines, as a graph
    Skeleton(Box<SkeletonArgs>),
    /// Make a volume of a closed triangle mesh: 1 inside, 0 outside
    Voxelize(VoxelizeArgs),
    /// Draw a picture of a volume's isosurface
    Render(RenderArgs),
    /// Say how many blocks of a kernel run at a time, and what bounds their number
    Occupancy(Box<OccupancyArgs>),
    /// Mesh and draw a brain and a field of metaballs
    Demo(DemoArgs),
}

#[derive(Debug, Args)]
pub struct DevicesArgs {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct InfoArgs {
    #[command(flatten)]
    pub input: VolumeArgs,
    /// Read the samples too, and say their range and mean; of a file of several volumes those of --volume-index
    #[arg(long)]
    pub stats: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The mesh is closed except where the volume (or the mask) ends it. Vertices are in world units: those of the
file's spacing and origin, right-anterior-superior for medical formats.

Examples:
  ferrovox mesh brain.nii.gz --iso 120 -o brain.ply --normals --check
  ferrovox mesh distances.npy --iso 0 --inside below --close -o solid.stl
  ferrovox mesh ct.raw --dims 512x512x300 --type i16 --spacing 0.7,0.7,1 --iso 300 -o bone.obj
  ferrovox mesh huge.nrrd --iso 0.5 -o huge.ply --memory 4G
  ferrovox mesh huge.nrrd --iso 0.5 -o huge.ply --device cuda:all

Several devices each take a slab of the volume. With --memory, or where the volume is larger than memory, it is
streamed: slabs are read, worked on and written one after the other. The file is the same, byte for byte.
--check looks at the whole mesh, so it does not go with streaming.")]
pub struct MeshArgs {
    #[command(flatten)]
    pub input: VolumeArgs,
    #[command(flatten)]
    pub surface: SurfaceArgs,
    /// Mesh file to write: .ply, .obj, .stl, .vtk or .vtp
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Close the surface where the volume ends
    #[arg(long)]
    pub close: bool,
    /// Volume of the same grid; where it is zero there is no surface (headerless: u8, dims as above)
    #[arg(long, value_name = "FILE")]
    pub mask: Option<PathBuf>,
    /// Give each vertex its unit normal
    #[arg(long)]
    pub normals: bool,
    /// How the mesh is made; every method makes the same mesh
    #[arg(long, value_enum, default_value_t = MethodName::Fused)]
    pub method: MethodName,
    /// Check the mesh, say where it is open, and fail if it is not an oriented manifold
    #[arg(long)]
    pub check: bool,
    /// Where to run: auto, cpu, cuda, cuda:N, several as cuda:0,1 or cuda:all; auto takes the first CUDA device, else the CPU
    #[arg(long, value_name = "DEVICES", default_value = "auto")]
    pub device: DeviceList,
    /// Take no more memory than this, on the host and on each device: 1500000, 512M, 1.5G; stream if more were needed
    #[arg(long, value_name = "BYTES", value_parser = parse_memory)]
    pub memory: Option<u64>,
    /// Print one JSON object: counts, topology, area, volume, timings in milliseconds
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Views: oblique, right, left, front, back, top, bottom, or AZIMUTH,ELEVATION in degrees (0,0 looks from +x, 90,0
from +y, elevation 90 from above).")]
pub struct RenderArgs {
    #[command(flatten)]
    pub input: VolumeArgs,
    #[command(flatten)]
    pub surface: SurfaceArgs,
    /// Picture to write
    #[arg(short, long, value_name = "FILE.png")]
    pub output: PathBuf,
    /// From where to look: oblique, right, left, front, back, top, bottom, or AZIMUTH,ELEVATION in degrees, as -90,90
    #[arg(long, default_value = "oblique", allow_hyphen_values = true)]
    pub view: ViewDirection,
    /// Pixels of the picture
    #[arg(long, value_name = "WxH", default_value = "800x600", value_parser = parse_size)]
    pub size: Size,
    #[command(flatten)]
    pub device: DeviceArgs,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Folder for the meshes and pictures; made if it does not exist
    #[arg(short, long, value_name = "DIR", default_value = "demo")]
    pub output: PathBuf,
    #[command(flatten)]
    pub device: DeviceArgs,
}

/// Which surface.
#[derive(Debug, Args)]
pub struct SurfaceArgs {
    /// The isovalue: the surface is where the samples take this value
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub iso: f64,
    /// Where the solid is: above the isovalue (densities, images) or below it (signed distances)
    #[arg(long, value_enum, default_value_t = InsideName::Above)]
    pub inside: InsideName,
}

/// Where to run.
#[derive(Debug, Args)]
pub struct DeviceArgs {
    /// Where to run: auto, cpu, cuda or cuda:N; auto takes the first CUDA device, else the CPU
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub device: DeviceChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InsideName {
    Above,
    Below,
}

impl InsideName {
    pub fn name(self) -> &'static str {
        match self {
            Self::Above => "above",
            Self::Below => "below",
        }
    }
}

impl From<InsideName> for Inside {
    fn from(name: InsideName) -> Self {
        match name {
            InsideName::Above => Self::Above,
            InsideName::Below => Self::Below,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// From one bit per sample: the fastest, with the least memory
    Fused,
    /// Every stage as a kernel of its own; a whole volume on one device
    Staged,
}

impl From<MethodName> for Method {
    fn from(name: MethodName) -> Self {
        match name {
            MethodName::Fused => Self::Fused,
            MethodName::Staged => Self::Staged,
        }
    }
}
