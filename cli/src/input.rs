//! The volume file that a command reads.

use crate::{
    numbers::{parse_dims, parse_position, parse_spacing},
    terminal,
};
use anyhow::Context;
use clap::{Args, ValueEnum};
use ferrovox::{
    grid::{AnyVolume, Geometry, Volume, VolumeError},
    io::{
        ByteOrder, HeaderInfo, RawLayout, ReadOptions, StoredType, VolumeFile, VolumeFormat,
        VolumeReader, read_volume,
    },
    pipeline::VolumeSource,
};
use std::path::{Path, PathBuf};

/// A volume file, and what the user says about it.
#[derive(Debug, Args)]
pub struct VolumeArgs {
    /// Volume file: .nii, .nii.gz, .nrrd, .nhdr, .mha, .mhd, .npy, or headerless with --dims and --type
    pub volume: PathBuf,
    /// Which volume of a file that holds several, counted from 0
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub volume_index: Option<u64>,
    /// Accept bytes after the last sample
    #[arg(long, help_heading = "Input")]
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
    /// Read the file as headerless, with so many samples along x (fastest), y and z
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
    #[arg(long, value_enum, default_value_t = Endian::Little, help_heading = "Headerless input", requires = "dims")]
    pub endian: Endian,
    /// Bytes before the first sample
    #[arg(
        long,
        value_name = "BYTES",
        default_value_t = 0,
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
    /// Reads the file.
    pub fn read(&self) -> anyhow::Result<VolumeFile> {
        let mut file = read_volume(&self.volume, &self.options())?;
        if let Some(geometry) = self.geometry(*file.volume.geometry())? {
            file.volume = file.volume.with_geometry(geometry);
        }
        Ok(file)
    }

    /// Opens the file, to read it plane by plane.
    pub fn open(&self) -> anyhow::Result<VolumeReader<'static>> {
        Ok(VolumeReader::open(&self.volume, &self.options())?)
    }

    /// Whether the file can be opened more than once: a pipe cannot.
    pub fn is_file(&self) -> bool {
        std::fs::metadata(&self.volume).is_ok_and(|it| it.is_file())
    }

    /// The same for the library's pipelines.
    pub fn source(&self) -> VolumeSource {
        VolumeSource {
            path: self.volume.clone(),
            options: self.options(),
            spacing: self.spacing,
            origin: self.origin,
        }
    }

    fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.raw.dims.map(|_| VolumeFormat::Raw),
            volume: self.volume_index,
            allow_trailing_bytes: self.allow_trailing_bytes,
            raw: self.raw.layout(),
        }
    }

    fn mask_options(&self, dims: [usize; 3]) -> ReadOptions {
        let raw = RawLayout::new(self.raw.dims.unwrap_or(dims), StoredType::U8);
        ReadOptions {
            raw: Some(raw),
            ..ReadOptions::default()
        }
    }

    /// Opens a mask that goes with the volume, to read it plane by plane.
    pub fn open_mask(
        &self,
        path: &Path,
        dims: [usize; 3],
    ) -> anyhow::Result<VolumeReader<'static>> {
        let mask = VolumeReader::open(path, &self.mask_options(dims))?;
        check_mask(path, mask.dims(), dims)?;
        Ok(mask)
    }

    /// Reads a mask that goes with the volume: 1 where it is not zero.
    pub fn read_mask(&self, path: &Path, dims: [usize; 3]) -> anyhow::Result<Volume<u8>> {
        let mask = read_volume(path, &self.mask_options(dims))?.volume;
        check_mask(path, mask.dims(), dims)?;
        where_not_zero(&mask).with_context(|| path.display().to_string())
    }

    /// The file's geometry with what the user put in its place, if anything.
    pub fn geometry(&self, file: Geometry) -> anyhow::Result<Option<Geometry>> {
        if self.spacing.is_none() && self.origin.is_none() {
            return Ok(None);
        }
        let origin = self.origin.unwrap_or(file.origin().into());
        let geometry = match self.spacing {
            Some(spacing) => Geometry::from_spacing(spacing, origin),
            None => Geometry::new(*file.axes(), origin.into()),
        };
        geometry.map(Some).with_context(|| self.name())
    }

    /// The file's name, as messages begin.
    pub fn name(&self) -> String {
        self.volume.display().to_string()
    }

    /// Says what the reader noted.
    pub fn tell_notes(&self, header: &HeaderInfo) {
        for note in &header.notes {
            terminal::warning(&format!("{}: {note}", self.name()));
        }
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

/// 1 where a volume is not zero, else 0.
pub fn where_not_zero(volume: &AnyVolume) -> Result<Volume<u8>, VolumeError> {
    let ones = match volume {
        AnyVolume::U8(volume) => ones(volume.samples()),
        AnyVolume::I8(volume) => ones(volume.samples()),
        AnyVolume::U16(volume) => ones(volume.samples()),
        AnyVolume::I16(volume) => ones(volume.samples()),
        AnyVolume::I32(volume) => ones(volume.samples()),
        AnyVolume::F32(volume) => ones(volume.samples()),
        AnyVolume::F64(volume) => ones(volume.samples()),
    };
    Volume::new(ones, volume.dims(), *volume.geometry())
}

fn check_mask(path: &Path, mask: [usize; 3], dims: [usize; 3]) -> anyhow::Result<()> {
    anyhow::ensure!(
        mask == dims,
        "{}: the mask has {} samples and the volume {}; they must have the same grid",
        path.display(),
        by(mask),
        by(dims)
    );
    Ok(())
}

fn ones<T: ferrovox::grid::Sample>(samples: &[T]) -> Vec<u8> {
    samples
        .iter()
        .map(|sample| u8::from(sample.to_f64() != 0.0))
        .collect()
}

/// Dims as messages show them.
pub fn by(dims: [usize; 3]) -> String {
    format!("{} x {} x {}", dims[0], dims[1], dims[2])
}
