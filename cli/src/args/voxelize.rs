//! The options of `ferrovox voxelize`.

use super::DeviceArgs;
use crate::numbers::parse_distance;
use clap::{ArgGroup, Args};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("grid").required(true).args(["resolution", "spacing"]))]
#[command(after_help = "\
A voxel is 1 if its centre is inside the mesh. Which way the triangles wind does not matter. The mesh must be
closed; if it is not, the message says where it is open. Vertices at the same place are one.

The voxels are cubes along the axes of the mesh's coordinates, and the file says where they lie.

Examples:
  ferrovox voxelize bunny.obj --resolution 256 -o bunny.nii.gz
  ferrovox voxelize part.stl --spacing 0.5 -o part.nrrd")]
pub struct VoxelizeArgs {
    /// Mesh file: .ply, .obj or .stl
    pub mesh: PathBuf,
    /// So many voxels along the mesh's longest side
    #[arg(long, value_name = "N")]
    pub resolution: Option<u32>,
    /// Voxels of this size, in the mesh's units
    #[arg(long, value_name = "S", value_parser = parse_distance, allow_hyphen_values = true)]
    pub spacing: Option<f64>,
    /// Voxels between the mesh and the volume's border
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub margin: u32,
    /// Volume file to write: .nii, .nii.gz, .nrrd, .mha or .npy
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub device: DeviceArgs,
    /// Print one JSON object: triangles, voxels, timings in milliseconds
    #[arg(long)]
    pub json: bool,
}
