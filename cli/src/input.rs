//! Options for the input volume.

use crate::numbers::{parse_dims, parse_position, parse_spacing};
use clap::{Args, ValueEnum};
use ferrovox::{
    io::{AxisOrder, ByteOrder, RawLayout, ReadOptions, SeriesSelector, StoredType, VolumeFormat},
    pipeline::VolumeSource,
};
use std::path::PathBuf;

/// Input file, and options that override or select its contents.
#[derive(Debug, Args)]
pub struct VolumeArgs {
    /// Volume file or folder: NIfTI, NRRD, MetaImage, npy, DICOM, TIFF, Zarr, VTI, MGH, MRC, or
    /// headerless with --dims and --type
    ///
    /// Files: .nii, .nii.gz, .hdr with .img, .nrrd, .nhdr, .mha, .mhd, .npy, .dcm, .tif,
    /// .zip (Zarr), .vti, .mgh, .mgz, .mrc, .map. Folders: a DICOM series, TIFF slices, Zarr.
    pub volume: PathBuf,
    /// Index of the volume in a file with several volumes, from 0
    #[arg(long, value_name = "N", help_heading = "Input", hide_short_help = true)]
    pub volume_index: Option<u64>,
    /// DICOM series of a folder: its number in the list that the error shows, its UID, or a part of
    /// its description
    #[arg(
        long,
        value_name = "SERIES",
        help_heading = "Input",
        hide_short_help = true
    )]
    pub series: Option<String>,
    /// Resolution level of an OME-Zarr image; 0 is the finest
    #[arg(long, value_name = "N", help_heading = "Input", hide_short_help = true)]
    pub scale_level: Option<usize>,
    /// Index of the component in samples with several components (colours, vectors), from 0
    ///
    /// There is no default, because a luminance, a magnitude and a component are different volumes.
    /// The components of an .npy array with four or more axes are along the last one.
    #[arg(long, value_name = "N", help_heading = "Input", hide_short_help = true)]
    pub component: Option<u64>,
    /// Meaning of the axes of an .npy array, from first to last, in any memory order [default: zyx]
    ///
    /// An array with fewer axes lacks z, or y and z. Axes before z, or after z with xyz, count
    /// volumes.
    #[arg(long, value_enum, help_heading = "Input", hide_short_help = true)]
    pub axes: Option<Axes>,
    /// Ignore bytes after the last sample (default: error)
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    pub allow_trailing_bytes: bool,
    /// Spacing of the samples, instead of that of the file
    #[arg(long, value_name = "X,Y,Z", help_heading = "Input", value_parser = parse_spacing, allow_hyphen_values = true)]
    pub spacing: Option<[f64; 3]>,
    /// Position of the first sample, instead of that of the file
    #[arg(long, value_name = "X,Y,Z", help_heading = "Input", value_parser = parse_position, allow_hyphen_values = true)]
    pub origin: Option<[f64; 3]>,
    #[command(flatten)]
    pub raw: RawArgs,
}

/// Layout of a headerless file.
#[derive(Debug, Args)]
pub struct RawArgs {
    /// Read the file as headerless, with this many samples along x, y and z
    ///
    /// x is the fastest axis.
    #[arg(long, value_name = "NXxNYxNZ", help_heading = "Headerless input", value_parser = parse_dims)]
    #[arg(requires = "sample_type")]
    pub dims: Option<[usize; 3]>,
    /// Type of the samples: u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64
    #[arg(
        long = "type",
        id = "sample_type",
        value_name = "TYPE",
        help_heading = "Headerless input",
        requires = "dims"
    )]
    pub sample_type: Option<StoredType>,
    /// Byte order of the samples
    #[arg(long, value_enum, default_value_t = Endian::Little, hide_short_help = true, help_heading = "Headerless input", requires = "dims")]
    pub endian: Endian,
    /// Number of bytes before the first sample
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 0,
        hide_short_help = true,
        help_heading = "Headerless input",
        requires = "dims"
    )]
    pub offset: u64,
}

/// Order of the axes of an array.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Axes {
    Zyx,
    Xyz,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Endian {
    Little,
    Big,
}

impl VolumeArgs {
    /// Returns the input for a pipeline.
    pub fn source(&self) -> VolumeSource {
        VolumeSource {
            path: self.volume.clone(),
            options: self.options(),
            spacing: self.spacing,
            origin: self.origin,
            ..VolumeSource::default()
        }
    }

    fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.raw.dims.map(|_| VolumeFormat::Raw),
            volume: self.volume_index,
            component: self.component,
            scale_level: self.scale_level,
            series: self.series.clone().map(SeriesSelector),
            axes: self.axes.map(|axes| match axes {
                Axes::Zyx => AxisOrder::Zyx,
                Axes::Xyz => AxisOrder::Xyz,
            }),
            allow_trailing_bytes: self.allow_trailing_bytes,
            raw: self.raw.layout(),
        }
    }

    /// Returns the path for messages.
    pub fn name(&self) -> String {
        self.volume.display().to_string()
    }
}

impl RawArgs {
    fn layout(&self) -> Option<RawLayout> {
        let layout = RawLayout::new(self.dims?, self.sample_type?);
        let byte_order = match self.endian {
            Endian::Little => ByteOrder::Little,
            Endian::Big => ByteOrder::Big,
        };
        Some(RawLayout {
            byte_order,
            offset: self.offset,
            ..layout
        })
    }
}

/// Formats dims for messages: `3 x 4 x 5`.
pub fn format_dims(dims: [usize; 3]) -> String {
    format!("{} x {} x {}", dims[0], dims[1], dims[2])
}
