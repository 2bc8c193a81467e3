//! Errors of reading and writing files.

mod display;
mod points;
mod sample;
mod selection;
mod swc;

pub use display::ByteCount;
pub(crate) use display::show_bytes;
pub use points::PointsProblem;
pub use sample::SampleProblem;
pub use selection::SelectionProblem;
pub(super) use swc::MAX_LINE;
pub use swc::{SwcField, SwcProblem};

use display::{join_sizes, list_paths};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::ErrorKind;
use crate::grid::VolumeError;
use crate::io::stored_type::StoredType;
use crate::io::volume_format::VolumeFormat;
use crate::memory::OutOfMemory;
use crate::mesh::MeshError;

/// A file that could not be read or written, with the reason.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct FileError {
    /// Path as it was given.
    pub path: PathBuf,
    /// Reason.
    pub problem: FileProblem,
}

impl FileError {
    pub(crate) fn new(path: &Path, problem: FileProblem) -> Self {
        Self {
            path: path.to_owned(),
            problem,
        }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.problem.kind()
    }
}

/// Reason why a file could not be read or written. Messages continue "PATH: …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileProblem {
    /// The file does not exist.
    #[error("there is no such file; check the path")]
    NotFound,
    /// The operating system denies access.
    #[error("permission denied; check the permissions of the file and of its folder")]
    PermissionDenied,
    /// A directory where a file is needed.
    #[error("this is a directory; give the name of a file")]
    IsDirectory,
    /// A device in place of the data file that a header names.
    #[error("this is a device, which a header must not name as its data file; name a file")]
    IsDevice,
    /// A link, pipe or file of another user in a sticky world-writable folder.
    #[error(
        "{} belongs to another user (ID {owner}) and is in a folder that everyone may write to; choose another folder, or remove it first",
        path.display()
    )]
    ForeignOwner {
        /// The output, or a link that leads to it.
        path: PathBuf,
        /// ID of the owner.
        owner: u32,
    },
    /// Only some files of a group could be replaced.
    #[error(
        "{problem}; already replaced: {}; unchanged: {}",
        list_paths(replaced),
        list_paths(unchanged)
    )]
    PartlyReplaced {
        /// Reason why the next file could not be replaced.
        problem: Box<FileProblem>,
        /// Files that have been replaced.
        replaced: Vec<PathBuf>,
        /// Files that are unchanged.
        unchanged: Vec<PathBuf>,
    },
    /// Any other error of the operating system.
    #[error("cannot {action}: {source}")]
    Io {
        /// Attempted action, such as "open the file" or "write".
        action: &'static str,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A write exceeds the maximum size of a file, of the process or of the file system.
    #[error(
        "cannot {action}: {source}; raise the size limit of files (ulimit -f), or use another file system"
    )]
    FileSizeLimit {
        /// Attempted action, such as "write".
        action: &'static str,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A line of a lookup table of labels is not an entry.
    #[error(
        "line {line} reads {text:?}; write a label as its number and its name, optionally with red, green and blue"
    )]
    LabelLine {
        /// Number of the line, 1-based.
        line: u64,
        /// Start of the line.
        text: String,
    },
    /// A lookup table of labels is too large.
    #[error("the file has {limit} bytes or more, too many for a table of labels; name a text file")]
    LabelTableSize {
        /// Maximum size.
        limit: u64,
    },
    /// The surfaces exceed the maximum size of a glTF file.
    #[error(
        "glTF files have less than 4294967296 bytes, and this one would have {bytes}; simplify the mesh, or write .vtp"
    )]
    GltfSize {
        /// Size of the file.
        bytes: u64,
    },
    /// The reader or a decoder of another crate panicked.
    #[error(
        "the reader failed unexpectedly ({message}); the file may be damaged: convert it with another program, and please \
         report the file"
    )]
    ReaderPanic {
        /// Message of the panic.
        message: String,
    },
    /// Neither the extension nor the contents identify a format.
    #[error(
        "unknown format: neither the extension nor the first bytes ({start}) identify it; volumes are read from \
         {}, also compressed (.nii.gz), from folders of DICOM, TIFF and Zarr, and from headerless files if dims and type \
         are given",
        VolumeFormat::readable_extensions()
    )]
    UnknownFormat {
        /// First bytes of the file, for display.
        start: String,
    },
    /// A folder holds no files of a known format.
    #[error(
        "the folder holds no volume: none of its {files} files is DICOM, TIFF or PNG, and it is no Zarr hierarchy; name a file, or another folder"
    )]
    UnknownFolder {
        /// Number of files in the folder and its subfolders.
        files: usize,
    },
    /// The extension is not that of a supported format.
    #[error("unknown extension {extension:?}; {known}")]
    UnknownExtension {
        /// Extension of the file.
        extension: String,
        /// Sentence that lists the supported extensions.
        known: &'static str,
    },
    /// The file does not start as the format requires.
    #[error(
        "not a {format} file: expected {expected}, found {found}; check that the extension matches the contents"
    )]
    WrongMagic {
        /// Format that the extension or the caller named.
        format: VolumeFormat,
        /// Required start of the file.
        expected: &'static str,
        /// Actual start of the file, for display.
        found: String,
    },
    /// A header field is missing or invalid.
    #[error("damaged {format} header: {problem}")]
    Header {
        /// The format.
        format: VolumeFormat,
        /// Field and mistake.
        problem: String,
    },
    /// A valid feature of the format that is not supported.
    #[error("{what} is not supported; {advice}")]
    Unsupported {
        /// Feature, in the terms of the format.
        what: String,
        /// Advice to the user.
        advice: &'static str,
    },
    /// The product of the sizes exceeds 64 bits.
    #[error(
        "sizes {} need more bytes than 64 bits can count; correct the sizes or repair the header",
        join_sizes(sizes)
    )]
    TooLarge {
        /// Sizes as the file states them, fastest axis first.
        sizes: Vec<u64>,
    },
    /// The file has fewer bytes than the sizes require.
    #[error(
        "sizes {} of {stored} need {expected} bytes, but the file has only {found}; \
         fetch the truncated file again, or correct the sizes",
        join_sizes(sizes)
    )]
    TooShort {
        /// Sizes, fastest axis first.
        sizes: Vec<u64>,
        /// Sample type in the file.
        stored: StoredType,
        /// Number of bytes that the sizes require.
        expected: u64,
        /// Number of bytes in the file.
        found: ByteCount,
    },
    /// The file has more bytes than the sizes require.
    #[error(
        "sizes {} of {stored} need {expected} bytes, but the file has {found}; \
         correct the sizes, or allow trailing bytes",
        join_sizes(sizes)
    )]
    TooLong {
        /// Sizes, fastest axis first.
        sizes: Vec<u64>,
        /// Sample type in the file.
        stored: StoredType,
        /// Number of bytes that the sizes require.
        expected: u64,
        /// Number of bytes in the file.
        found: ByteCount,
    },
    /// The file ends within its header.
    #[error(
        "the {format} header ends after {found} bytes instead of at least {expected}; the file is truncated, fetch it again"
    )]
    HeaderTooShort {
        /// The format.
        format: VolumeFormat,
        /// Minimum size of the header, in bytes.
        expected: u64,
        /// Number of bytes in the file.
        found: u64,
    },
    /// Compressed data end before their end marker.
    #[error(
        "the {encoding} data end early, after {after} decompressed bytes; the file is truncated, fetch it again"
    )]
    CompressionEndsEarly {
        /// `gzip`, `zlib` or `bzip2`.
        encoding: &'static str,
        /// Number of bytes decompressed before the error.
        after: u64,
    },
    /// Compressed data are damaged.
    #[error(
        "the {encoding} data are damaged after {after} decompressed bytes: {source}; fetch the file again"
    )]
    CompressionDamaged {
        /// `gzip`, `zlib` or `bzip2`.
        encoding: &'static str,
        /// Number of bytes decompressed before the error.
        after: u64,
        /// Error of the decompressor.
        source: io::Error,
    },
    /// A selected part is missing, or none was selected.
    #[error(transparent)]
    Selection(#[from] SelectionProblem),
    /// A sample cannot be read or written.
    #[error(transparent)]
    Sample(#[from] SampleProblem),
    /// The contents of a file of points are invalid.
    #[error(transparent)]
    Points(#[from] PointsProblem),
    /// A damaged zip archive.
    #[error("damaged zip archive: {0}")]
    Archive(String),
    /// A damaged VTI or VTP file.
    #[error("damaged VTK XML file: {0}")]
    VtkXml(String),
    /// A headerless file without a layout.
    #[error("the file has no header; give its dims and sample type")]
    MissingLayout,
    /// An error of the data file that a detached header names.
    #[error("data file {name}: {problem}")]
    DataFile {
        /// Name of the data file in the header.
        name: String,
        /// Reason.
        problem: Box<FileProblem>,
    },
    /// The samples cannot be divided evenly among the data files.
    #[error(
        "sizes {} cannot be divided among {files} data files; correct the list of files, or the sizes",
        join_sizes(sizes)
    )]
    UnevenDataFiles {
        /// Number of data files.
        files: u64,
        /// Sizes, fastest axis first.
        sizes: Vec<u64>,
    },
    /// The file differed when it was read again.
    #[error("the file changed while it was being read; read it again when it is complete")]
    FileChanged,
    /// Insufficient memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The samples or their geometry are not a valid volume.
    #[error("{0}")]
    Volume(#[from] VolumeError),
    /// The mesh is not valid.
    #[error("the mesh cannot be written: {0}")]
    Mesh(#[from] MeshError),
    /// The skeleton is not valid.
    #[error("the skeleton cannot be written: {0}")]
    Skeleton(String),
    /// The number of vectors differs from that of the voxels.
    #[error(
        "the field has {found} vectors for {} voxels; give one per voxel",
        join_sizes(dims)
    )]
    FieldLength {
        /// Number of vectors, or a lower bound if there are too many.
        found: u64,
        /// Number of voxels along x, y and z.
        dims: [u64; 3],
    },
    /// The mesh has more vertices or triangles than the format can count.
    #[error(
        "{format} counts {what} in {bits} bits, but the mesh has {count}; write {instead} instead"
    )]
    MeshTooLarge {
        /// Name of the format.
        format: &'static str,
        /// `vertices` or `triangles`.
        what: &'static str,
        /// Width of the format's numbers, in bits.
        bits: u32,
        /// Number of these elements.
        count: u64,
        /// Extensions of the formats without a limit.
        instead: &'static str,
    },
    /// The format stores positions as `f32` only, and the mesh has a local origin.
    #[error(
        "{format} stores 32-bit positions, too coarse at the mesh's origin, {} {} {}; write {instead}, \
         or local or voxel coordinates",
        origin[0], origin[1], origin[2]
    )]
    LocalOrigin {
        /// Name of the format.
        format: &'static str,
        /// World position that the vertices are relative to.
        origin: [f64; 3],
        /// Extensions of the formats with `f64` positions.
        instead: &'static str,
    },
    /// World positions in the format would be rounded by too large a part of a voxel.
    #[error(
        "{format} stores 32-bit positions, whose rounding error is {error:.3} voxels here; write {instead}, \
         or local or voxel coordinates"
    )]
    CoordinatePrecision {
        /// Name of the format.
        format: &'static str,
        /// Largest rounding error, in voxels.
        error: f64,
        /// Extensions of the formats with `f64` positions.
        instead: &'static str,
    },
    /// The format cannot store the labels of triangles.
    #[error(
        "{format} cannot store the two labels of each triangle; write {instead}, or one file per label with {{label}} in the name"
    )]
    NoFaceLabels {
        /// Name of the format.
        format: &'static str,
        /// Extensions of the formats that can.
        instead: &'static str,
    },
    /// The format stores labels as `f64`, which does not represent one of them.
    #[error(
        "PLY stores labels as double, which does not represent {label}; write .vtp or .glb, or one file per label with {{label}} in the name"
    )]
    LabelPrecision {
        /// First such label.
        label: i64,
    },
    /// A damaged mesh file.
    #[error("damaged {format} file: {problem}")]
    MeshFile {
        /// Name of the format.
        format: &'static str,
        /// Mistake and its location.
        problem: String,
    },
    /// A damaged SWC file.
    #[error("damaged SWC file: {0}")]
    Swc(#[from] SwcProblem),
}

impl FileProblem {
    /// Returns the kind of the problem: [`ErrorKind::Io`] for what the file system or a damaged
    /// file causes, other kinds for arguments that do not fit the format.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::PartlyReplaced { problem, .. } => problem.kind(),
            Self::Memory(_) => ErrorKind::Memory,
            Self::ReaderPanic { .. } => ErrorKind::Internal,
            Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::Volume(error) => error.kind(),
            Self::Mesh(error) => error.kind(),
            Self::UnknownExtension { .. }
            | Self::Selection(_)
            | Self::MissingLayout
            | Self::Skeleton(_)
            | Self::FieldLength { .. }
            | Self::MeshTooLarge { .. }
            | Self::LocalOrigin { .. }
            | Self::CoordinatePrecision { .. }
            | Self::NoFaceLabels { .. }
            | Self::LabelPrecision { .. }
            | Self::GltfSize { .. } => ErrorKind::InvalidArgument,
            _ => ErrorKind::Io,
        }
    }
}

impl FileProblem {
    /// Converts an error of the operating system, to a specific variant if there is one, or the
    /// error of a mesh that is invalid.
    pub(crate) fn from_io(action: &'static str, source: io::Error) -> Self {
        let source = match source.downcast::<MeshError>() {
            Ok(error) => return Self::Mesh(error),
            Err(source) => source,
        };
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::PermissionDenied => Self::PermissionDenied,
            io::ErrorKind::IsADirectory => Self::IsDirectory,
            io::ErrorKind::FileTooLarge => Self::FileSizeLimit { action, source },
            _ => Self::Io { action, source },
        }
    }
}
