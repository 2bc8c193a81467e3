//! How volume files are read and written, and the header of one that was read.

use std::path::PathBuf;

use super::{ByteOrder, StoredType, VolumeFormat};
use crate::grid::{AnyVolume, Geometry};

/// How to read a volume file. The default takes everything from the file.
///
/// ```
/// use ferrovox::io::{ByteOrder, RawLayout, ReadOptions, StoredType};
///
/// let options = ReadOptions {
///     raw: Some(RawLayout {
///         byte_order: ByteOrder::Big,
///         ..RawLayout::new([512, 512, 300], StoredType::U16)
///     }),
///     ..ReadOptions::default()
/// };
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// The format; `None` finds it by the first bytes, and where these are those of no format by
    /// the extension.
    pub format: Option<VolumeFormat>,
    /// Which volume to read of a file that holds several, counted from 0.
    pub volume: Option<u64>,
    /// Which component to read of samples that are several numbers each (colours, vectors, complex
    /// numbers), counted from 0. There is no default: a luminance, a magnitude and a component of a
    /// vector are different volumes, and a file does not say which is meant. An `.npy` array of
    /// four axes has its components along the last one where this is given.
    pub component: Option<u64>,
    /// Accept bytes after the last sample. Without this they are an error, because they usually
    /// mean that the sizes are wrong.
    pub allow_trailing_bytes: bool,
    /// What a headerless file holds. A file of no known extension and content is read so, too.
    pub raw: Option<RawLayout>,
}

/// What a headerless file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct RawLayout {
    /// Samples along x (fastest), y and z.
    pub dims: [usize; 3],
    /// The samples' type.
    pub stored_type: StoredType,
    /// The samples' byte order.
    pub byte_order: ByteOrder,
    /// Bytes before the first sample.
    pub offset: u64,
    /// Where the grid lies in the world.
    pub geometry: Geometry,
}

impl RawLayout {
    /// Little-endian samples from the first byte on, with unit spacing and origin zero.
    pub fn new(dims: [usize; 3], stored_type: StoredType) -> Self {
        Self {
            dims,
            stored_type,
            byte_order: ByteOrder::Little,
            offset: 0,
            geometry: Geometry::default(),
        }
    }
}

/// A volume and the header of its file.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeFile {
    /// The volume.
    pub volume: AnyVolume,
    /// The header.
    pub header: HeaderInfo,
}

/// The header of a volume file.
#[derive(Clone, Debug, PartialEq)]
pub struct HeaderInfo {
    /// The format.
    pub format: VolumeFormat,
    /// The format's version, where it has one: `NIfTI-2`, `NRRD0004`, …
    pub version: Option<String>,
    /// How the samples are compressed.
    pub compression: Compression,
    /// The samples' type in the file.
    pub stored_type: StoredType,
    /// The samples' byte order in the file.
    pub byte_order: ByteOrder,
    /// The scaling that was applied to the samples. It makes them f32, or f64 where they were f64.
    pub scaling: Option<Scaling>,
    /// The sizes of all axes as the file gives them, fastest first: those behind the third count
    /// volumes. Components of a sample are no axis.
    pub sizes: Vec<u64>,
    /// How many volumes the file holds.
    pub volumes: u64,
    /// Which of them this is.
    pub volume: u64,
    /// How many numbers each sample of the file is.
    pub components: u64,
    /// Which of them this is.
    pub component: u64,
    /// The file with the samples, where the header names one other file.
    pub data_file: Option<PathBuf>,
    /// All files that the header names, in the order of their samples.
    pub data_files: Vec<PathBuf>,
    /// Whether the file states the spacing of its samples, or the directions of its axes; else it
    /// counts as 1.
    pub has_spacing: bool,
    /// Whether the file states the position of its first sample; else it counts as 0.
    pub has_origin: bool,
    /// Notes for the reader of the file: assumptions made, fields not understood.
    pub notes: Vec<String>,
}

impl HeaderInfo {
    pub(crate) fn new(
        format: VolumeFormat,
        stored_type: StoredType,
        byte_order: ByteOrder,
    ) -> Self {
        Self {
            format,
            version: None,
            compression: Compression::None,
            stored_type,
            byte_order,
            scaling: None,
            sizes: Vec::new(),
            volumes: 1,
            volume: 0,
            components: 1,
            component: 0,
            data_file: None,
            data_files: Vec::new(),
            has_spacing: false,
            has_origin: false,
            notes: Vec::new(),
        }
    }
}

/// How samples are compressed in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip, RFC 1952.
    Gzip,
    /// zlib, RFC 1950.
    Zlib,
    /// bzip2.
    Bzip2,
}

/// The linear map from stored samples to values: `value = slope · stored + intercept`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// Factor.
    pub slope: f64,
    /// Summand.
    pub intercept: f64,
}

/// How to write a volume file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VolumeWriteOptions {
    /// Byte order of the samples (and of a binary header). Little-endian by default.
    pub byte_order: ByteOrder,
    /// Compress the samples, in formats where that is a choice (NRRD, MetaImage). NIfTI is
    /// compressed when the name ends in `.gz`.
    pub compress: bool,
    /// Write samples of i32, of which none may be negative, as 32 bit unsigned ones: volumes have
    /// no such type, files do.
    pub unsigned: bool,
}

/// What the header of a file to write describes.
pub(crate) struct VolumeContent {
    pub dims: [usize; 3],
    pub geometry: Geometry,
    pub stored: StoredType,
    pub order: ByteOrder,
}
