//! Options for reading and writing volume files, and the contents of a header.

use std::fmt;
use std::path::PathBuf;

use crate::grid::{AnyVolume, Geometry};
use crate::io::{ByteOrder, StoredType, VolumeFormat};

/// Options for reading a volume file. By default everything is taken from the file.
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
    /// Format of the file; `None` to detect it from the first bytes, or from the extension if these
    /// identify no format.
    pub format: Option<VolumeFormat>,
    /// 0-based index of the volume to read from a file with several volumes.
    pub volume: Option<u64>,
    /// 0-based index of the component to read from samples with several components (colours,
    /// vectors, complex numbers). There is no default: a luminance, a magnitude and a component of
    /// a vector are different volumes, and a file does not say which is meant. If an index is
    /// given, the last axis of an `.npy` array with four or more axes is that of the components.
    pub component: Option<u64>,
    /// Meaning of the axes of an `.npy` array; `None` for [`AxisOrder::Zyx`], with a note about
    /// arrays in Fortran order. Other formats define their axes.
    pub axes: Option<AxisOrder>,
    /// Series to read from a folder of DICOM files that holds several.
    pub series: Option<SeriesSelector>,
    /// `true` to interpolate missing slices of a DICOM series from their neighbours, with a note;
    /// samples are then read as `f64`. By default missing slices are an error.
    pub fill_gaps: bool,
    /// Resolution level of an OME-NGFF image, 0 for the finest, which is the default.
    pub scale_level: Option<usize>,
    /// `true` to accept bytes after the last sample. By default they are an error because they
    /// usually mean that the sizes are wrong.
    pub allow_trailing_bytes: bool,
    /// Layout of a headerless file. A file whose extension and contents are both unknown is read
    /// with it, too.
    pub raw: Option<RawLayout>,
}

/// Selection of a DICOM series: its number in the list that an error shows, its UID, or a part of
/// its description or its modality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesSelector(pub String);

impl fmt::Display for SeriesSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Meaning of the axes of an `.npy` array, from the first to the last of its shape, regardless of
/// the order in which its elements are stored (C or Fortran).
///
/// An array with fewer axes lacks z, or y and z. Further axes count volumes: those before z, or
/// those after z in the other order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AxisOrder {
    /// z, y, x: the order of images in NumPy, SimpleITK and scikit-image, and of the arrays that
    /// this crate writes.
    #[default]
    Zyx,
    /// x, y, z: the order of nibabel and pynrrd.
    Xyz,
}

impl AxisOrder {
    /// Returns the name, `zyx` or `xyz`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zyx => "zyx",
            Self::Xyz => "xyz",
        }
    }
}

/// Layout of an array of NumPy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayLayout {
    /// Meaning of the axes with which the array was read.
    pub axes: AxisOrder,
    /// `true` if the first axis is the fastest (Fortran order), `false` if the last one is (C
    /// order).
    pub fortran_order: bool,
}

/// Layout of a headerless file.
#[derive(Clone, Debug, PartialEq)]
pub struct RawLayout {
    /// Number of samples along x (fastest), y and z.
    pub dims: [usize; 3],
    /// Type of the samples.
    pub stored_type: StoredType,
    /// Byte order of the samples.
    pub byte_order: ByteOrder,
    /// Number of bytes before the first sample.
    pub offset: u64,
    /// Spacing, origin and axis directions of the grid.
    pub geometry: Geometry,
}

impl RawLayout {
    /// Describes little-endian samples that start at the first byte, with unit spacing and origin
    /// zero.
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
    /// Format of the file.
    pub format: VolumeFormat,
    /// Version of the format, such as `NIfTI-2` or `NRRD0004`, if it has one.
    pub version: Option<String>,
    /// Compression of the samples.
    pub compression: Compression,
    /// Type of the samples in the file.
    pub stored_type: StoredType,
    /// Byte order of the samples in the file.
    pub byte_order: ByteOrder,
    /// Scaling that was applied to the samples. Scaled samples are `f64`, or `f32` if that
    /// represents the value of every integer that the stored type can hold.
    pub scaling: Option<Scaling>,
    /// Sizes of all axes as the file states them, along x, y and z; axes after the third count
    /// volumes, except the fifth of NIfTI, which holds components. Interleaved components are not
    /// an axis.
    pub sizes: Vec<u64>,
    /// Number of volumes in the file.
    pub volumes: u64,
    /// 0-based index of the volume that was read.
    pub volume: u64,
    /// Number of components per sample in the file.
    pub components: u64,
    /// 0-based index of the component that was read.
    pub component: u64,
    /// Layout of an array of NumPy; `None` for other formats.
    pub array: Option<ArrayLayout>,
    /// Path of the data file of a detached header, if the header names exactly one.
    pub data_file: Option<PathBuf>,
    /// Paths of all data files of a detached header, in the order of their samples.
    pub data_files: Vec<PathBuf>,
    /// `true` if the file states the spacing of its samples or the directions of its axes;
    /// otherwise the spacing is 1.
    pub has_spacing: bool,
    /// `true` if the file states the position of its first sample; otherwise the origin is 0.
    pub has_origin: bool,
    /// Assumptions of the reader, and header fields that it did not understand, for display.
    /// Pipelines report them as warnings.
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
            array: None,
            data_file: None,
            data_files: Vec::new(),
            has_spacing: false,
            has_origin: false,
            notes: Vec::new(),
        }
    }
}

/// Compression of the samples of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Uncompressed.
    None,
    /// gzip, RFC 1952.
    Gzip,
    /// zlib, RFC 1950.
    Zlib,
    /// bzip2.
    Bzip2,
    /// Another compression, by its name in the format.
    Named(&'static str),
}

impl Compression {
    /// Returns the name, or `None` for uncompressed samples.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Gzip => Some("gzip"),
            Self::Zlib => Some("zlib"),
            Self::Bzip2 => Some("bzip2"),
            Self::Named(name) => Some(name),
        }
    }
}

/// Linear map from stored samples to values: `value = slope · stored + intercept`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// Factor (NIfTI's `scl_slope`).
    pub slope: f64,
    /// Summand (NIfTI's `scl_inter`).
    pub intercept: f64,
}

/// Options for writing a volume file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VolumeWriteOptions {
    /// Byte order of the samples and of a binary header; little-endian by default.
    pub byte_order: ByteOrder,
    /// `true` to compress the samples in formats that allow both (NRRD, MetaImage). NIfTI files are
    /// compressed if the name ends in `.gz`.
    pub compress: bool,
    /// `true` to store `i32` samples as unsigned 32-bit integers; negative ones are an error.
    /// Volumes have no unsigned 32-bit type, but files do.
    pub unsigned: bool,
}

/// Grid and sample type that a header to be written describes.
pub(crate) struct VolumeContent {
    pub dims: [usize; 3],
    pub geometry: Geometry,
    pub stored: StoredType,
    pub order: ByteOrder,
}
