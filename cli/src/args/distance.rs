//! The options of `ferrovox distance`.

use super::{InsideName, MORE, ReportArgs};
use crate::{
    device_choice::DeviceList,
    input::VolumeArgs,
    numbers::{parse_dims, parse_distance, parse_memory, parse_plane},
};
use clap::{ArgGroup, Args, ValueEnum};
use ferrovox::{
    distance::Method,
    pipeline::distance::{MapSamples, Plane},
    render::MAX_SIDE,
};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(override_usage = "\
ferrovox distance [OPTIONS] <VOLUME> <--iso <VALUE>|--nonzero|--labels> -o <FILE>
       ferrovox distance [OPTIONS] <POINTS> --points <--like <VOLUME>|--grid <NXxNYxNZ>> -o <FILE>")]
#[command(group = ArgGroup::new("sites").required(true).args(["nonzero", "iso", "points", "labels"]))]
#[command(mut_arg("volume", |arg| arg.help("Volume file as other commands take it, or with --points a file of points")))]
#[command(mut_arg("json", |arg| arg.long_help(
    "Print one JSON object: sites, distances, memory, timings in milliseconds, warnings, the error; no --output is needed then"
)))]
#[command(after_help = MORE, after_long_help = "\
Every voxel of the result has the distance from its centre to the nearest site, in the units of the file's spacing. The \
result lies where the input lies.

Points are in world coordinates, and the grid of their map is that of --like or --grid. They are read from .xyz (text, a \
point on a line), .ply (the vertices) or .npy (n rows, 3 columns).

--compare makes the map by every method that takes such sites, says how far each is from the exact distances, and draws \
the plane of --slice (or the middle) of each into DIR.

Examples:
  ferrovox distance brain.nii.gz --iso 120 -o d.nii.gz
  ferrovox distance brain.nii.gz --iso 120 --sub-voxel --signed -o d.nrrd
  ferrovox distance vessels.nrrd --nonzero -o d.npy --nearest site.npy --max-distance 30
  ferrovox distance electrodes.xyz --points --like scan.nii.gz -o d.nii.gz
  ferrovox distance cloud.ply --points --grid 256x256x180 --spacing 0.5 -o d.mha
  ferrovox distance brain.nii.gz --iso 120 -o d.nii.gz --slice z=90 --png d.png
  ferrovox distance brain.nii.gz --iso 120 --slice z=90 --compare pictures")]
pub struct DistanceArgs {
    #[command(flatten)]
    pub input: VolumeArgs,
    /// The isovalue: sites are where the samples take this value
    ///
    /// They are the voxels inside that have a neighbour outside.
    #[arg(
        long,
        value_name = "VALUE",
        allow_hyphen_values = true,
        aliases = ["level", "isovalue", "threshold"],
        help_heading = "Sites"
    )]
    pub iso: Option<f64>,
    /// With --iso: where inside is
    #[arg(long, value_enum, default_value_t = InsideName::Above, help_heading = "Sites")]
    pub inside: InsideName,
    /// With --iso: sites are the points between voxels where the isovalue is crossed
    #[arg(long, help_heading = "Sites")]
    pub sub_voxel: bool,
    /// With --sub-voxel: take integers that f32 does not hold as the nearest number that it does
    #[arg(long, requires = "sub_voxel", help_heading = "Sites")]
    pub round_samples: bool,
    /// Sites are the voxels that are not zero
    #[arg(long, alias = "mask", help_heading = "Sites")]
    pub nonzero: bool,
    /// The distance of each voxel to the nearest voxel of another label
    #[arg(long, help_heading = "Sites")]
    pub labels: bool,
    /// Sites are the points of a file, anywhere
    #[arg(long, help_heading = "Sites")]
    pub points: bool,
    /// With --points: the map gets the grid of this volume
    #[arg(long, value_name = "VOLUME", help_heading = "Sites")]
    pub like: Option<PathBuf>,
    /// With --points: the map has so many voxels, with --spacing and --origin
    #[arg(long, value_name = "NXxNYxNZ", conflicts_with = "like", value_parser = parse_dims, help_heading = "Sites")]
    pub grid: Option<[usize; 3]>,
    /// With --points: points outside the volume are an error; else they count
    #[arg(long, help_heading = "Sites", hide_short_help = true)]
    pub strict: bool,
    /// Volume file to write: .nii, .nii.gz, .nrrd, .mha or .npy
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["compare", "json"], help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Distances inside are negative
    ///
    /// Inside the isosurface, or enclosed by the voxels that are not zero.
    #[arg(long, help_heading = "Output")]
    pub signed: bool,
    /// Distances beyond this are of no interest
    ///
    /// The map has this value there, and is made faster.
    #[arg(long, value_name = "D", value_parser = parse_distance, allow_hyphen_values = true, help_heading = "Output")]
    pub max_distance: Option<f64>,
    /// Write the nearest site of each voxel too
    ///
    /// Its linear index (x fastest) or the point's number; -1 where there is none.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub nearest: Option<PathBuf>,
    /// The samples of the map: distances, or their exact squares
    ///
    /// Distances are f32, their squares whole numbers.
    #[arg(long, value_enum, default_value_t = SampleName::F32, help_heading = "Output")]
    pub dtype: SampleName,
    /// The plane of the picture: x, y or z, and an index
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
    /// Pixels along the longer side of the picture
    #[arg(long, value_name = "N", default_value_t = 900, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_SIDE)), hide_short_help = true, help_heading = "Picture")]
    pub size: u32,
    /// Compare the methods, and draw each into this folder
    ///
    /// It is made if it does not exist.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "nearest", "png", "dtype", "signed", "labels", "method"], help_heading = "Picture")]
    pub compare: Option<PathBuf>,
    /// How the map is made [default: an exact method]
    ///
    /// Separable, or where sites are between voxels bucketed or brute-force.
    #[arg(long, value_enum, help_heading = "Execution")]
    pub method: Option<MethodName>,
    /// Where to run: auto, cpu, cuda, cuda:N, several as cuda:0,1 or cuda:all
    ///
    /// auto takes the first CUDA device, else the CPU. Several make slabs of the map in turn
    /// (separable).
    #[arg(
        long,
        value_name = "DEVICES",
        default_value = "auto",
        help_heading = "Execution"
    )]
    pub device: DeviceList,
    /// Take no more memory than this on each device: 1500000, 512M, 1.5G
    ///
    /// Separable makes the map in slabs, which the host does not keep; bucketed, cubes and
    /// brute-force count what they take besides the sites and the map.
    #[arg(long, value_name = "BYTES", value_parser = parse_memory, help_heading = "Execution")]
    pub memory: Option<u64>,
    #[command(flatten)]
    pub report: ReportArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Exact, for sites that are voxels, or points at the centres of voxels
    Separable,
    /// Points binned in cubes of voxels: exact near the sites and an estimate far from them
    Cubes,
    /// Exact, for sites anywhere: bricks of voxels against the sites that can be nearest
    Bucketed,
    /// Exact and slow, for sites anywhere: every voxel against every site
    BruteForce,
    /// Steps along the axes (Manhattan), for comparison
    CityBlock,
    /// The longest of the steps along the axes, for comparison
    Chessboard,
    /// Vector propagation: the nearest site handed from voxel to voxel, for comparison
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
