//! Options of `ferrovox distance`.

use super::{MORE, ReportArgs};
use crate::{
    args::InputArgs,
    device_choice::DeviceList,
    numbers::{parse_dims, parse_distance, parse_plane},
};
use clap::{ArgGroup, Args, ValueEnum};
use ferrovox::{
    distance::{Method, SignConvention},
    io::VolumeFormat,
    pipeline::{
        distance::{MapSamples, Plane},
        point_distances::DistanceTarget,
    },
    render::MAX_SIDE,
};
use std::path::PathBuf;

#[derive(Clone, Debug, Args)]
#[command(override_usage = "\
ferrovox distance [OPTIONS] <VOLUME> <--iso <VALUE>|--label <LABEL>|--nonzero|--labels> -o <FILE>
       ferrovox distance [OPTIONS] <VOLUME> --at <POINTS> -o <FILE.csv>
       ferrovox distance [OPTIONS] <POINTS> --points <--like <VOLUME>|--grid <NXxNYxNZ>> -o <FILE>")]
#[command(group = ArgGroup::new("sites").args(["nonzero", "iso", "label", "points", "labels"]))]
#[command(mut_arg("volume", |arg| arg.help("Volume file, or point file with --points")))]
#[command(mut_arg("json", |arg| arg.long_help(
    "Print one JSON object: sites, distances, memory, timings in milliseconds, warnings, error; --output is optional then"
)))]
#[command(after_help = MORE, after_long_help = "\
Each voxel of the result holds the distance from its centre to the nearest site, in the units of the file's spacing. The \
result has the geometry of the input.

The sites of --iso and --label are the surface voxels of the object: those inside that have a face neighbour outside. With \
--labels, distances are measured to the nearest voxel with another label.

--memory: the map is computed in slabs that are not kept on the host (separable); for the other methods the limit excludes \
the sites and the map.

Points are in world coordinates; their map has the grid of --like or --grid. They are read from .xyz (text, one point per \
line), .csv and .tsv (columns x, y, z), .npy (n rows, 3 columns), or the vertices of a mesh.

--compare computes the map with every method that supports the sites, reports the error of each against the exact \
distances, and draws the plane of --slice (default: the middle plane) for each into DIR.

Examples:
  ferrovox distance brain.nii.gz --iso 120 -o d.nii.gz
  ferrovox distance brain.nii.gz --iso 120 --sub-voxel --signed -o d.nrrd
  ferrovox distance vessels.nrrd --nonzero -o d.npy --nearest site.npy --max-distance 30
  ferrovox distance vessels.nrrd --nonzero --signed -o d.npy
  ferrovox distance electrodes.xyz --points --like scan.nii.gz -o d.nii.gz
  ferrovox distance cloud.ply --points --grid 256x256x180 --spacing 0.5 -o d.mha
  ferrovox distance brain.nii.gz --iso 120 --at electrodes.xyz --to triangles -o distances.csv
  ferrovox distance brain.nii.gz --iso 120 -o d.nii.gz --slice z=90 --png d.png
  ferrovox distance brain.nii.gz --iso 120 --slice z=90 --compare pictures")]
pub struct DistanceArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Place sites at interpolated crossings between voxels; requires --iso
    #[arg(long, help_heading = "Sites")]
    pub sub_voxel: bool,
    /// Round integers that f32 cannot represent (default: error); needs --sub-voxel
    #[arg(
        long,
        requires = "sub_voxel",
        hide_short_help = true,
        help_heading = "Sites"
    )]
    pub round_samples: bool,
    /// Use the voxels that are not zero as sites
    #[arg(long, help_heading = "Sites")]
    pub nonzero: bool,
    /// Use the points of a file as sites
    #[arg(long, help_heading = "Sites")]
    pub points: bool,
    /// Compute the distances of the points of a file, as a table, instead of a map
    ///
    /// For each point the distance, the nearest point and the side. Without --iso and --label, the
    /// object are the samples that are not zero.
    #[arg(long, value_name = "POINTS", help_heading = "Sites", conflicts_with_all = [
        "points", "labels", "like", "grid", "strict", "sub_voxel", "signed", "max_distance", "nearest", "dtype", "slice",
        "png", "compare", "method", "memory"
    ])]
    pub at: Option<PathBuf>,
    /// Part of the object that --at measures to: voxels (the default) or triangles
    ///
    /// voxels: the centres of the surface voxels. triangles: the isosurface, exactly. The object
    /// may be a mesh file, whose triangles are measured to.
    #[arg(
        long,
        value_enum,
        value_name = "PART",
        requires = "at",
        hide_short_help = true,
        help_heading = "Sites"
    )]
    pub to: Option<TargetName>,
    /// Volume whose grid the map gets; requires --points
    #[arg(long, value_name = "VOLUME", help_heading = "Sites")]
    pub like: Option<PathBuf>,
    /// Number of voxels of the map, with --spacing and --origin; requires --points
    #[arg(long, value_name = "NXxNYxNZ", conflicts_with = "like", value_parser = parse_dims, help_heading = "Sites")]
    pub grid: Option<[usize; 3]>,
    /// Report points outside the volume as an error (default: use them); requires --points
    #[arg(long, help_heading = "Sites", hide_short_help = true)]
    pub strict: bool,
    #[arg(
        short,
        long,
        value_name = "FILE",
        required_unless_present_any = ["compare", "json"],
        help_heading = "Output",
        help = format!(
            "Volume file to write: {}; with --at .csv or .json",
            VolumeFormat::writable_extensions()
        )
    )]
    pub output: Option<PathBuf>,
    /// Make distances inside negative, by a convention
    ///
    /// The default is surface with --iso, and otherwise opposite.
    ///
    /// opposite: inside, minus the distance to the nearest voxel outside, as with scipy and edt.
    /// With --labels, voxels whose label is not 0 are inside.
    ///
    /// surface: distances to the surface voxels, which have distance 0.
    ///
    /// enclosed: distances to the voxels of the mask, which have distance 0. Regions that they
    /// separate from the border of the volume are inside; an axis of one voxel has no border.
    #[arg(
        long,
        value_enum,
        value_name = "CONVENTION",
        num_args = 0..=1,
        require_equals = true,
        help_heading = "Output"
    )]
    pub signed: Option<Option<SignName>>,
    /// Truncate distances at D
    ///
    /// Voxels farther from every site get this value; smaller values are faster.
    #[arg(long, value_name = "D", value_parser = parse_distance, allow_hyphen_values = true, help_heading = "Output")]
    pub max_distance: Option<f64>,
    /// Write the nearest site of each voxel (feature transform)
    ///
    /// Linear voxel index (x fastest) or point number; -1 where there is no site within the maximum
    /// distance.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub nearest: Option<PathBuf>,
    /// Sample type of the map: f32 distances, or exact squared distances
    ///
    /// u16 and u32 store squared distances as integers.
    #[arg(long, value_enum, default_value_t = SampleName::F32, help_heading = "Output")]
    pub dtype: SampleName,
    /// Plane of the picture: x, y or z, and an index
    #[arg(long, value_name = "AXIS=N", value_parser = parse_plane, help_heading = "Picture")]
    pub slice: Option<Plane>,
    /// Draw the plane with isolines
    #[arg(
        long,
        value_name = "FILE.png",
        requires = "slice",
        help_heading = "Picture"
    )]
    pub png: Option<PathBuf>,
    /// Length of the longer side of the picture, in pixels
    #[arg(long, value_name = "N", default_value_t = 900, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SIDE)), hide_short_help = true, help_heading = "Picture")]
    pub size: u32,
    /// Compare the methods, and draw each into this folder
    ///
    /// The folder is created if it does not exist.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "nearest", "png", "dtype", "signed", "labels", "method"], help_heading = "Picture")]
    pub compare: Option<PathBuf>,
    /// Method of computing the map [default: an exact method]
    ///
    /// The default is separable, or bucketed or brute-force for sites between voxels.
    #[arg(long, value_enum, hide_short_help = true, help_heading = "Execution")]
    pub method: Option<MethodName>,
    /// Device to use: auto, cpu, cuda, cuda:N, or several as cuda:0,1 or cuda:all
    ///
    /// auto selects the first CUDA device, or else the CPU. Several devices process slabs of the
    /// map in turn (separable).
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Exact, for voxels, or points at voxel centres
    Separable,
    /// Exact up to 36 voxels from the sites, and estimated beyond
    Cubes,
    /// Exact, for arbitrary sites: compares bricks of voxels with nearby sites
    Bucketed,
    /// Exact and slow, for arbitrary sites: compares every voxel with every site
    BruteForce,
    /// Sum of the distances along the axes (Manhattan), for comparison
    CityBlock,
    /// Maximum of the distances along the axes, for comparison
    Chessboard,
    /// Vector propagation of the nearest site from voxel to voxel, for comparison
    CenterPoint,
}

impl From<MethodName> for Method {
    fn from(name: MethodName) -> Self {
        match name {
            MethodName::Separable => Self::Separable,
            MethodName::Cubes => Self::Cubes,
            MethodName::Bucketed => Self::Bucketed,
            MethodName::BruteForce => Self::BruteForce,
            MethodName::CityBlock => Self::CityBlock,
            MethodName::Chessboard => Self::Chessboard,
            MethodName::CenterPoint => Self::CenterPoint,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SignName {
    /// Distance to the nearest voxel on the other side
    Opposite,
    /// Distance to the surface voxels
    Surface,
    /// Distance to the voxels of the mask, which enclose the inside
    Enclosed,
}

impl From<SignName> for SignConvention {
    fn from(name: SignName) -> Self {
        match name {
            SignName::Opposite => Self::Opposite,
            SignName::Surface => Self::Surface,
            SignName::Enclosed => Self::Enclosed,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SampleName {
    /// Distances
    F32,
    /// Squared distances up to 65535
    U16,
    /// Squared distances
    U32,
}

impl SampleName {
    pub fn name(self) -> &'static str {
        MapSamples::from(self).name()
    }
}

impl From<SampleName> for MapSamples {
    fn from(name: SampleName) -> Self {
        match name {
            SampleName::F32 => Self::F32,
            SampleName::U16 => Self::U16,
            SampleName::U32 => Self::U32,
        }
    }
}

/// Part of an object that distances are measured to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TargetName {
    /// The centres of the surface voxels
    Voxels,
    /// The triangles of the isosurface
    Triangles,
}

impl From<TargetName> for DistanceTarget {
    fn from(name: TargetName) -> Self {
        match name {
            TargetName::Voxels => Self::Voxels,
            TargetName::Triangles => Self::Triangles,
        }
    }
}
