//! Options of `ferrovox voxelize`.

use super::{DeviceArgs, MORE, ObjectArgs, ReportArgs};
use crate::numbers::parse_distance;
use clap::{ArgGroup, Args, ValueEnum};
use ferrovox::io::{MeshFormat, VolumeFormat};
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "ferrovox voxelize [OPTIONS] <MESH> <--resolution <N>|--voxel-size <S>|--like <VOLUME>> -o <FILE>"
)]
#[command(group = ArgGroup::new("grid").required(true).args(["resolution", "voxel_size", "like"]))]
#[command(mut_arg("json", |arg| arg.long_help(
    "Print one JSON object: triangles, voxels, timings in milliseconds, the error; no --output is needed then"
)))]
#[command(after_help = MORE, after_long_help = "\
A voxel is 1 if its centre is inside the mesh. The orientation of the triangles does not matter. The mesh must be closed; \
otherwise the error reports the location of an opening. Vertices at equal positions are merged.

With --open winding the mesh may be open: a voxel is inside if the generalised winding number around its centre is at \
least 0.5. The triangles must be oriented consistently.

The voxels are cubes aligned with the axes of the mesh's coordinates, or those of --like; the file stores their position.

Examples:
  ferrovox voxelize bunny.obj --resolution 256 -o bunny.nii.gz
  ferrovox voxelize part.stl --voxel-size 0.5 -o part.nrrd
  ferrovox voxelize tumour.stl --like scan.nii.gz -o tumour.nii.gz
  ferrovox voxelize neuron.obj --open winding --voxel-size 0.1 -o neuron.nrrd
  ferrovox voxelize part.stl --resolution 200 --signed-distance -o distances.nrrd")]
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
    /// Volume whose grid is used; only its header is read
    #[arg(
        long,
        value_name = "VOLUME",
        conflicts_with = "margin",
        help_heading = "Grid"
    )]
    pub like: Option<PathBuf>,
    /// Number of voxels between the mesh and the border of the volume
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=1024), help_heading = "Grid")]
    pub margin: u32,
    /// Accept open meshes, and decide by winding numbers which voxels are inside
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Voxels")]
    pub open: Option<OpenRuleName>,
    /// Write the distance of each voxel to the triangles, negative inside, in world units
    #[arg(long, conflicts_with_all = ["fill_cavities", "largest"], help_heading = "Voxels")]
    pub signed_distance: bool,
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

/// Rule for open meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OpenRuleName {
    /// The generalised winding number is at least 0.5
    Winding,
}
