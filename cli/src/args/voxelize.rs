//! Options of `ferrovox voxelize`.

use super::{DeviceArgs, MORE, ObjectArgs, ReportArgs};
use crate::numbers::parse_distance;
use clap::{ArgGroup, Args};
use ferrovox::io::{MeshFormat, VolumeFormat};
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "ferrovox voxelize [OPTIONS] <MESH> <--resolution <N>|--voxel-size <S>> -o <FILE>"
)]
#[command(group = ArgGroup::new("grid").required(true).args(["resolution", "voxel_size"]))]
#[command(mut_arg("json", |arg| arg.long_help(
    "Print one JSON object: triangles, voxels, timings in milliseconds, the error; no --output is needed then"
)))]
#[command(after_help = MORE, after_long_help = "\
A voxel is 1 if its centre is inside the mesh. The orientation of the triangles does not matter. The mesh must be closed; \
otherwise the error reports the location of an opening. Vertices at equal positions are merged.

The voxels are cubes aligned with the axes of the mesh's coordinates; the file stores their position.

Examples:
  ferrovox voxelize bunny.obj --resolution 256 -o bunny.nii.gz
  ferrovox voxelize part.stl --voxel-size 0.5 -o part.nrrd")]
pub struct VoxelizeArgs {
    #[arg(
        id = "mesh",
        value_name = "MESH",
        required = true,
        help = format!("Mesh file, or several: {}", MeshFormat::readable_extensions())
    )]
    pub meshes: Vec<PathBuf>,
    /// Number of voxels along the longest side of the mesh
    #[arg(long, value_name = "N", help_heading = "Grid")]
    pub resolution: Option<u32>,
    /// Side of a voxel, in the units of the mesh
    #[arg(long, alias = "spacing", value_name = "S", value_parser = parse_distance, allow_hyphen_values = true, help_heading = "Grid")]
    pub voxel_size: Option<f64>,
    /// Number of voxels between the mesh and the border of the volume
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=1024), help_heading = "Grid")]
    pub margin: u32,
    #[arg(
        short,
        long,
        help = format!("Volume file to write: {}", VolumeFormat::writable_extensions()),
        value_name = "FILE",
        required_unless_present = "json",
        help_heading = "Output"
    )]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub object: ObjectArgs,
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}
