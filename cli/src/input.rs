//! The volume file that a command reads.

use crate::numbers::{parse_dims, parse_position, parse_spacing};
use clap::{Args, ValueEnum};
use ferrovox::{
    io::{ByteOrder, RawLayout, ReadOptions, StoredType, VolumeFormat},
    pipeline::VolumeSource,
};
use std::path::PathBuf;

/// A volume file, and what the user says about it.
#[derive(Debug, Args)]
pub struct VolumeArgs {
    /// Volume file: .nii, .nii.gz, .hdr with .img, .nrrd, .nhdr, .mha, .mhd, .npy, or headerless
    /// with --dims and --type
    pub volume: PathBuf,
    /// Which volume of a file that holds several, counted from 0
    #[arg(long, value_name = "N", help_heading = "Input", hide_short_help = true)]
    pub volume_index: Option<u64>,
    /// Which component of samples that are several numbers each (colours, vectors), counted from 0
    ///
    /// There is no default, since a luminance, a magnitude and a component are different volumes.
    /// The components of an .npy array of four axes are along its last one.
    #[arg(long, value_name = "N", help_heading = "Input", hide_short_help = true)]
    pub component: Option<u64>,
    /// Accept bytes after the last sample
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    pub allow_trailing_bytes: bool,
    /// Distance between samples, in place of the file's
    #[arg(long, value_name = "X,Y,Z", help_heading = "Input", value_parser = parse_spacing, allow_hyphen_values = true)]
    pub spacing: Option<[f64; 3]>,
    /// Position of the first sample, in place of the file's
    #[arg(long, value_name = "X,Y,Z", help_heading = "Input", value_parser = parse_position, allow_hyphen_values = true)]
    pub origin: Option<[f64; 3]>,
    #[command(flatten)]
    pub raw: RawArgs,
}

/// What a headerless file does not say.
#[derive(Debug, Args)]
pub struct RawArgs {
    /// Read the file as headerless, with so many samples along x, y and z
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
    /// Bytes before the first sample
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

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Endian {
    Little,
    Big,
}

impl VolumeArgs {
    /// The file with what the user says about it, as pipelines take it.
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
            allow_trailing_bytes: self.allow_trailing_bytes,
            raw: self.raw.layout(),
        }
    }

    /// The file's name, as messages begin.
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

/// Dims as messages show them.
pub fn by(dims: [usize; 3]) -> String {
    format!("{} x {} x {}", dims[0], dims[1], dims[2])
}
