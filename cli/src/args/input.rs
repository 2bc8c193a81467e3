//! Options for the input volume.

use super::ObjectArgs;
use crate::{
    numbers::{CropValue, VolumeIndex, parse_dims, parse_position, parse_spacing},
    usage::refuse,
};
use clap::{Args, ValueEnum};
use ferrovox::{
    io::{AxisOrder, ByteOrder, RawLayout, ReadOptions, SeriesSelector, StoredType, VolumeFormat},
    pipeline::{ObjectFilter, VolumeSource},
    volume_filter::{Interpolation, VolumeFilter},
};
use std::path::{Path, PathBuf};

/// Input volumes, and the object in them.
#[derive(Clone, Debug, Args)]
pub struct InputArgs {
    #[command(flatten)]
    pub file: VolumeArgs,
    #[command(flatten)]
    pub object: ObjectArgs,
}

/// Input files, and options that override or select their contents.
#[derive(Clone, Debug, Args)]
pub struct VolumeArgs {
    /// Volume file or folder: NIfTI, NRRD, MetaImage, npy, DICOM, TIFF, Zarr, VTI, MGH, MRC, or
    /// headerless with --dims and --type
    ///
    /// Files: .nii, .nii.gz, .hdr with .img, .nrrd, .nhdr, .mha, .mhd, .npy, .npz, .dcm,
    /// .tif, .png, .zip (Zarr), .vti, .mgh, .mgz, .mrc, .map, .HEAD (AFNI), .inr. Folders: a DICOM
    /// series, slices in TIFF or PNG, Zarr.
    ///
    /// Several files, or a folder of them, are processed one after the other; {stem} in the name of
    /// an output stands for the name of the input.
    #[arg(id = "volume", value_name = "VOLUME", required = true)]
    pub volumes: Vec<PathBuf>,
    /// Index of the volume in a file with several volumes, from 0, or all
    ///
    /// With all, each volume gets an output whose name has {volume}.
    #[arg(
        long,
        value_name = "N|all",
        help_heading = "Input",
        hide_short_help = true
    )]
    pub volume_index: Option<VolumeIndex>,
    /// DICOM series of a folder: its number in the list that the error shows, its UID, or a part of
    /// its description; or array of an npz archive
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
#[derive(Clone, Debug, Args)]
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

impl InputArgs {
    /// Returns the volume for a pipeline, cropped, smoothed and resampled as requested.
    ///
    /// # Errors
    /// Errors of the mask, whose box may be requested.
    pub fn source(&self) -> anyhow::Result<VolumeSource> {
        Ok(VolumeSource {
            path: self.file.path().to_owned(),
            options: self.read_options(),
            spacing: self.file.spacing,
            origin: self.file.origin,
            crop: self.crop()?,
            filter: self.volume_filter().into(),
            ..VolumeSource::default()
        })
    }

    /// Returns the volume as [`source`](Self::source), as an image unless labels are selected: its
    /// samples are interpolated also without an isovalue.
    ///
    /// # Errors
    /// As [`source`](Self::source).
    pub fn image_source(&self) -> anyhow::Result<VolumeSource> {
        let mut source = self.source()?;
        if self.object.labels.is_none() && self.object.label.is_none() {
            source.filter.filter.interpolation = Interpolation::Linear;
        }
        Ok(source)
    }

    /// Returns the options of the reader. Gaps in a series are filled where it is resampled.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            fill_gaps: self.object.resample.is_some(),
            ..self.file.options()
        }
    }

    /// Returns the smoothing and the resampling of the volume. Without an isovalue, the object are
    /// labels or the samples that are not zero, which are not interpolated.
    fn volume_filter(&self) -> VolumeFilter {
        VolumeFilter {
            sigma: self.object.smooth_volume,
            spacing: self.object.resample.map(|it| it.0),
            interpolation: if self.object.iso.is_empty() {
                Interpolation::Nearest
            } else {
                Interpolation::Linear
            },
        }
    }

    /// Returns the mask, cropped as the volume.
    ///
    /// # Errors
    /// As [`source`](Self::source).
    pub fn mask(&self) -> anyhow::Result<Option<VolumeSource>> {
        let Some(mask) = &self.object.mask else {
            return Ok(None);
        };
        Ok(Some(VolumeSource {
            crop: self.crop()?,
            ..VolumeSource::new(mask)
        }))
    }

    /// Returns the filter of the object's voxels.
    ///
    /// # Errors
    /// As [`source`](Self::source).
    pub fn filter(&self) -> anyhow::Result<ObjectFilter> {
        Ok(ObjectFilter {
            mask: self.mask()?,
            largest: self.object.largest,
            fill_cavities: self.object.fill_cavities,
        })
    }

    /// Returns the path for messages.
    pub fn name(&self) -> String {
        self.file.path().display().to_string()
    }

    fn crop(&self) -> anyhow::Result<Option<ferrovox::grid::VoxelBox>> {
        match (self.object.crop, &self.object.mask) {
            (None, _) => Ok(None),
            (Some(CropValue::Box(part)), _) => Ok(Some(part)),
            (Some(CropValue::Mask), Some(mask)) => {
                Ok(Some(VolumeSource::new(mask).nonzero_box(1)?))
            }
            (Some(CropValue::Mask), None) => {
                refuse(&[(
                    true,
                    "--crop mask keeps the box of the mask: add --mask FILE",
                )])?;
                Ok(None)
            }
        }
    }
}

impl VolumeArgs {
    /// Returns the first input, which is the only one once the command runs.
    pub fn path(&self) -> &Path {
        self.volumes.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Returns the options of the reader that concern the file.
    fn options(&self) -> ReadOptions {
        ReadOptions {
            format: self.raw.dims.map(|_| VolumeFormat::Raw),
            volume: match self.volume_index {
                Some(VolumeIndex::One(index)) => Some(index),
                Some(VolumeIndex::All) | None => None,
            },
            component: self.component,
            scale_level: self.scale_level,
            fill_gaps: false,
            series: self.series.clone().map(SeriesSelector),
            axes: self.axes.map(|axes| match axes {
                Axes::Zyx => AxisOrder::Zyx,
                Axes::Xyz => AxisOrder::Xyz,
            }),
            allow_trailing_bytes: self.allow_trailing_bytes,
            raw: self.raw.layout(),
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
