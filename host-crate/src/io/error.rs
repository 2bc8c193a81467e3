//! What can be wrong with a file.

use std::io;
use std::path::{Path, PathBuf};

use super::{MeshFormat, StoredType, SwcProblem, VolumeFormat};
use crate::grid::{SampleType, VolumeError};
use crate::memory::OutOfMemory;
use crate::mesh::MeshError;

/// A file that could not be read or written, and why.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", path.display())]
pub struct FileError {
    /// The file, as it was named.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: FileProblem,
}

impl FileError {
    pub(crate) fn new(path: &Path, problem: FileProblem) -> Self {
        Self {
            path: path.to_owned(),
            problem,
        }
    }
}

/// What is wrong with a file. Each message continues "PATH: …".
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
    #[error("this is a directory; name a file")]
    IsDirectory,
    /// A device where the file of samples is that a header names.
    #[error("this is a device, which a header cannot name for its samples; name a file")]
    IsDevice,
    /// A link, pipe or file that somebody else put in a folder for all.
    #[error(
        "{} is of another user (number {owner}), in a folder where everyone may put files; choose another folder, or remove it first",
        path.display()
    )]
    OfAnotherUser {
        /// What is there: the output, or a link on the way to it.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// Of several files that belong together some have been replaced.
    #[error(
        "{problem}; new already: {}; as it was before: {}",
        names(new),
        names(old)
    )]
    PartlyReplaced {
        /// Why no more were.
        problem: Box<FileProblem>,
        /// Those that are new.
        new: Vec<PathBuf>,
        /// Those that are what they were.
        old: Vec<PathBuf>,
    },
    /// Any other failure of the operating system.
    #[error("cannot {action}: {source}")]
    Io {
        /// What was attempted: "open the file", "write", …
        action: &'static str,
        /// The operating system's words.
        source: io::Error,
    },
    /// Neither the extension nor the content is that of a known format.
    #[error(
        "unknown format: neither the extension nor the first bytes ({start}) tell it; volumes are read from \
         .nii, .nii.gz, .hdr and .img, .nrrd, .nhdr, .mha, .mhd and .npy, and from headerless files whose dims and type are given"
    )]
    UnknownFormat {
        /// The file's first bytes, for display.
        start: String,
    },
    /// The extension of an output file names no format that can be written.
    #[error("unknown extension {extension:?}; {known}")]
    UnknownExtension {
        /// The extension as it stands.
        extension: String,
        /// Which extensions there are.
        known: &'static str,
    },
    /// The content does not start as the format prescribes.
    #[error(
        "not a {format} file: expected {expected}, found {found}; check that the file is what its name says"
    )]
    WrongMagic {
        /// The format that the extension or the caller named.
        format: VolumeFormat,
        /// What such a file starts with.
        expected: &'static str,
        /// What this file starts with.
        found: String,
    },
    /// A header field is missing or makes no sense.
    #[error("damaged {format} header: {problem}")]
    Header {
        /// The format.
        format: VolumeFormat,
        /// The field and what is wrong with it.
        problem: String,
    },
    /// Valid, but not something this library reads or writes.
    #[error("{what} is not supported; {advice}")]
    Unsupported {
        /// The feature, by the file's own name of it.
        what: String,
        /// What to do.
        advice: &'static str,
    },
    /// The product of the sizes overflows.
    #[error(
        "sizes {} need more bytes than 64 bits can count; give the right sizes, or repair the header",
        by(sizes)
    )]
    TooLarge {
        /// The sizes as the file gives them, fastest axis first.
        sizes: Vec<u64>,
    },
    /// There are fewer bytes than the sizes need.
    #[error(
        "sizes {} of {stored} need {expected} bytes, but only {found} are there; \
         the file is truncated or its sizes are wrong",
        by(sizes)
    )]
    TooShort {
        /// The sizes, fastest axis first.
        sizes: Vec<u64>,
        /// Type of the samples.
        stored: StoredType,
        /// Bytes that the sizes need.
        expected: u64,
        /// Bytes there are.
        found: Amount,
    },
    /// There are more bytes than the sizes need.
    #[error(
        "sizes {} of {stored} need {expected} bytes, but {found} are there; \
         the sizes are wrong, or trailing bytes must be allowed",
        by(sizes)
    )]
    TooLong {
        /// The sizes, fastest axis first.
        sizes: Vec<u64>,
        /// Type of the samples.
        stored: StoredType,
        /// Bytes that the sizes need.
        expected: u64,
        /// Bytes there are.
        found: Amount,
    },
    /// The file ends within its header.
    #[error(
        "the {format} header ends after {found} bytes; it has at least {expected}, so the file is truncated"
    )]
    HeaderTooShort {
        /// The format.
        format: VolumeFormat,
        /// Bytes that the header has at least.
        expected: u64,
        /// Bytes there are.
        found: u64,
    },
    /// Compressed data end before their end mark.
    #[error(
        "the {encoding} data end early, after {after} decompressed bytes; the file is truncated, fetch it again"
    )]
    CompressionEndsEarly {
        /// `gzip`, `zlib` or `bzip2`.
        encoding: &'static str,
        /// Bytes decompressed so far.
        after: u64,
    },
    /// Compressed data are damaged.
    #[error(
        "the {encoding} data are damaged after {after} decompressed bytes: {source}; fetch the file again"
    )]
    CompressionDamaged {
        /// `gzip`, `zlib` or `bzip2`.
        encoding: &'static str,
        /// Bytes decompressed so far.
        after: u64,
        /// The decompressor's words.
        source: io::Error,
    },
    /// Several volumes where one is wanted.
    #[error("the file holds {count} volumes; choose one, 0 to {}", count - 1)]
    SeveralVolumes {
        /// How many.
        count: u64,
    },
    /// The chosen volume does not exist.
    #[error("there is no volume {index}; the file holds {count}, counted from 0")]
    NoSuchVolume {
        /// The chosen volume.
        index: u64,
        /// How many there are.
        count: u64,
    },
    /// Several numbers for each sample where one is wanted.
    #[error("each sample has {count} components; choose the component, 0 to {}", count - 1)]
    SeveralComponents {
        /// How many.
        count: u64,
    },
    /// The chosen component does not exist.
    #[error("there is no component {index}; each sample has {count}, counted from 0")]
    NoSuchComponent {
        /// The chosen component.
        index: u64,
        /// How many there are.
        count: u64,
    },
    /// A wide integer that no sample type of a volume can hold.
    #[error(
        "sample {index}, at the voxel {}, {}, {}, is {value}, which neither i32 nor f64 holds exactly; give the {stored} samples smaller \
         numbers, or convert them to f64 if rounded ones will do", voxel[0], voxel[1], voxel[2]
    )]
    NotRepresentable {
        /// Index of the first such sample in its volume.
        index: u64,
        /// Its voxel.
        voxel: [u64; 3],
        /// Its value.
        value: i128,
        /// The type in the file.
        stored: StoredType,
    },
    /// A sample written as text is not a number of its type.
    #[error("sample {index} reads {text:?}, which is not a {stored}; correct the file")]
    NotANumber {
        /// Index of the sample.
        index: u64,
        /// The text.
        text: String,
        /// The type the header names.
        stored: StoredType,
    },
    /// A headerless file without a description.
    #[error("a headerless file does not say its dims and sample type; give them")]
    NeedsLayout,
    /// The file that a detached header names.
    #[error("its data file {name}: {problem}")]
    DataFile {
        /// The data file as the header names it.
        name: String,
        /// What is wrong with it.
        problem: Box<FileProblem>,
    },
    /// Samples that cannot be spread evenly over so many files.
    #[error(
        "the header names {files} data files, which sizes {} cannot be spread over; correct the list of files, or the sizes",
        by(sizes)
    )]
    Parts {
        /// How many files there are.
        files: u64,
        /// The sizes, fastest axis first.
        sizes: Vec<u64>,
    },
    /// Planes that the volume does not have.
    #[error(
        "there are no planes {start} to {end} (excluded); the volume has {count}, counted from 0"
    )]
    NoSuchPlanes {
        /// The first plane asked for.
        start: usize,
        /// The plane behind the last asked for.
        end: usize,
        /// How many there are.
        count: usize,
    },
    /// Samples asked for as another type than they have.
    #[error("the samples are {found}, not {asked}; read them as {found}")]
    OtherType {
        /// The type asked for.
        asked: SampleType,
        /// The samples' type.
        found: SampleType,
    },
    /// Something else was in the file's place when it was read again.
    #[error("the file changed while it was read; open it again when nobody writes to it")]
    Changed,
    /// Memory cannot be had.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// The samples or their geometry make no volume.
    #[error("{0}")]
    Volume(#[from] VolumeError),
    /// The mesh is not valid.
    #[error("the mesh cannot be written: {0}")]
    Mesh(#[from] MeshError),
    /// The skeleton is not valid.
    #[error("the skeleton cannot be written: {0}")]
    Skeleton(String),
    /// Too few or too many vectors for a field.
    #[error(
        "the field has {found} vectors for {} voxels, which need one each",
        by(dims)
    )]
    FieldLength {
        /// How many vectors there are, at least.
        found: u64,
        /// Voxels along x, y and z.
        dims: [u64; 3],
    },
    /// More of something than the mesh format can count.
    #[error(
        "{format} counts {what} in {bits} bits, and the mesh has {count}; write {instead} instead"
    )]
    MeshTooLarge {
        /// The format.
        format: MeshFormat,
        /// `vertices` or `triangles`.
        what: &'static str,
        /// The format's width.
        bits: u32,
        /// How many there are.
        count: u64,
        /// A format that can.
        instead: &'static str,
    },
    /// A format without numbers for triangles.
    #[error(
        "{format} has no place for the two labels of each triangle: write .ply or .vtp, or a file for each label by {{label}} in the name"
    )]
    NoFaceLabels {
        /// The format.
        format: MeshFormat,
    },
    /// A mesh file that cannot be understood.
    #[error("damaged {format} file: {problem}")]
    MeshFile {
        /// The format.
        format: MeshFormat,
        /// What is wrong.
        problem: String,
    },
    /// A skeleton file that cannot be understood.
    #[error("damaged SWC file: {0}")]
    Swc(#[from] SwcProblem),
    /// A negative sample where unsigned ones were to be written.
    #[error("sample {index} is {value}, which is not unsigned; write the samples as i32")]
    Negative {
        /// Index of the first such sample.
        index: u64,
        /// Its value.
        value: i32,
    },
    /// A line of a text file of points that is no point.
    #[error(
        "line {line} reads {text:?}; a point is three numbers, x, y and z, with spaces or commas between them"
    )]
    PointLine {
        /// The line, counted from 1.
        line: u64,
        /// Its text.
        text: String,
    },
    /// An array that does not hold points.
    #[error("the array has the shape {shape:?}; points are an array of n rows and 3 columns")]
    PointShape {
        /// Its shape, as NumPy writes it.
        shape: Vec<u64>,
    },
    /// A point that is nowhere.
    #[error("point {number} is at {at:?}; coordinates must be finite numbers")]
    PointNotFinite {
        /// Its number, from 0.
        number: u64,
        /// Its coordinates.
        at: [f64; 3],
    },
}

impl FileProblem {
    /// Files an error of the operating system under its own variant where it has one.
    pub(crate) fn from_io(action: &'static str, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::PermissionDenied => Self::PermissionDenied,
            io::ErrorKind::IsADirectory => Self::IsDirectory,
            _ => Self::Io { action, source },
        }
    }
}

/// A number of bytes, where only a bound may be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Exactly so many.
    Exactly(u64),
    /// At most so many: what compressed data of this length can hold.
    AtMost(u64),
    /// At least so many: reading stopped there.
    AtLeast(u64),
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exactly(bytes) => write!(f, "{bytes}"),
            Self::AtMost(bytes) => write!(f, "at most {bytes}"),
            Self::AtLeast(bytes) => write!(f, "at least {bytes}"),
        }
    }
}

/// Sizes as messages show them: `3 x 4 x 5`.
fn by(sizes: &[u64]) -> String {
    sizes
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join(" x ")
}

/// Paths as messages show them.
fn names(paths: &[PathBuf]) -> String {
    let names: Vec<_> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    names.join(", ")
}

/// The first bytes of a file, as messages show them.
pub(crate) fn show_bytes(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "an empty file".to_owned();
    }
    let shown = &bytes[..bytes.len().min(8)];
    if shown
        .iter()
        .all(|byte| byte.is_ascii_graphic() || *byte == b' ')
    {
        format!("{:?}", String::from_utf8_lossy(shown))
    } else {
        shown
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>()
            .join(" ")
    }
}
