//! Writing of a volume piece by piece, for files larger than memory.

use crate::memory;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use crate::grid::{Geometry, Sample, SampleType, VolumeError, sample_count};
use crate::io::file_extension::extension;
use crate::io::output::group::write_alone;
use crate::io::output::replacement::{Replacement, create_problem, temporary_folder};
use crate::io::volume::metaimage;
use crate::io::volume::nifti;
use crate::io::volume::npy;
use crate::io::volume::nrrd;
use crate::io::volume::options::VolumeContent;
use crate::io::{
    ByteOrder, FileError, FileGroup, FileProblem, StoredType, VolumeFormat, VolumeWriteOptions,
};

/// Compression level. Level 1 of `zlib-rs` makes files a quarter to a half larger.
const LEVEL: u32 = 2;
/// Size of write buffers and of the blocks passed to a compressor, in bytes.
const BUFFER: usize = 1 << 18;

/// Writes a volume file whose samples arrive in pieces:
/// [`write_volume`](fn@crate::io::write_volume) for volumes larger than memory. The file does not
/// depend on the sizes of the pieces.
///
/// The file is replaced atomically: it appears under its name when it is finished. Until then, and
/// after any failure, an existing file is unchanged; a writer that is dropped leaves nothing
/// behind. Memory: a buffer of 256 KiB, and the state of the compressor. The header of a MetaImage
/// file states the length of compressed samples, so these go to a temporary file in the same folder
/// first.
///
/// ```
/// use ferrovox::io::{VolumeWriteOptions, VolumeWriter};
/// use ferrovox::grid::{Geometry, SampleType};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("ramp.nii.gz");
/// let (dims, options) = ([4, 3, 10], VolumeWriteOptions::default());
/// let geometry = Geometry::default();
/// let mut writer = VolumeWriter::create(&path, dims, &geometry, SampleType::F32, &options)?;
/// for z in 0..10 {
///     writer.append(&[z as f32; 12])?;
/// }
/// assert!(!path.exists());
/// writer.finish()?;
/// assert!(path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct VolumeWriter {
    path: PathBuf,
    content: VolumeContent,
    /// Number of samples of the volume.
    samples: usize,
    /// Number of samples written so far.
    written: usize,
    /// `true` after a failed write: the file may lack bytes.
    has_failed: bool,
    body: SampleWriter,
}

/// Destination of the samples, with compression.
enum SampleWriter {
    Plain(BufWriter<Replacement>),
    Gzip(BlockWriter<GzEncoder<BufWriter<Replacement>>>),
    /// Compresses into a temporary file, which is copied after the header.
    Zlib(Replacement, BlockWriter<ZlibEncoder<BufWriter<File>>>),
}

/// Passes bytes on in blocks of [`BUFFER`] bytes, because the output of a compressor depends on the
/// sizes of the writes.
struct BlockWriter<W> {
    out: W,
    block: Vec<u8>,
}

impl<W: Write> BlockWriter<W> {
    fn new(out: W) -> io::Result<Self> {
        let mut block = Vec::new();
        memory::try_reserve("a block of the file", &mut block, BUFFER)?;
        Ok(Self { out, block })
    }

    /// Passes on the last, incomplete block.
    fn into_inner(mut self) -> io::Result<W> {
        self.out.write_all(&self.block)?;
        Ok(self.out)
    }
}

impl<W: Write> Write for BlockWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let accepted = bytes.len().min(BUFFER - self.block.len());
        self.block.extend_from_slice(&bytes[..accepted]);
        if self.block.len() == BUFFER {
            self.out.write_all(&self.block)?;
            self.block.clear();
        }
        Ok(accepted)
    }

    /// Keeps an incomplete block.
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl VolumeWriter {
    /// Creates a writer for samples of `sample_type`. The extension determines the format: `.nii`,
    /// `.nii.gz`, `.nrrd`, `.mha` or `.npy`. Nothing appears under the name yet.
    ///
    /// # Errors
    /// [`FileError`] for an unknown extension, dims whose product overflows, a sample type other
    /// than `i32` with [unsigned samples](VolumeWriteOptions::unsigned), and a folder in which no
    /// file can be created.
    pub fn create(
        path: impl AsRef<Path>,
        dims: [usize; 3],
        geometry: &Geometry,
        sample_type: SampleType,
        options: &VolumeWriteOptions,
    ) -> Result<Self, FileError> {
        let path = path.as_ref();
        Self::begin(path, dims, geometry, sample_type, options)
            .map_err(|problem| FileError::new(path, problem))
    }

    fn begin(
        path: &Path,
        dims: [usize; 3],
        geometry: &Geometry,
        sample_type: SampleType,
        options: &VolumeWriteOptions,
    ) -> Result<Self, FileProblem> {
        let extension = VolumeFormat::writable_extension(path).ok_or_else(|| {
            FileProblem::UnknownExtension {
                extension: extension(path),
                known: VolumeFormat::written_as(),
            }
        })?;
        let content = VolumeContent {
            dims,
            geometry: *geometry,
            stored: stored_type(sample_type, options)?,
            order: options.byte_order,
        };
        let samples = sample_count(dims)?;
        let body = SampleWriter::begin(path, &extension, &content, options)?;
        Ok(Self {
            path: path.to_owned(),
            content,
            samples,
            written: 0,
            has_failed: false,
            body,
        })
    }

    /// Appends the next samples, x fastest: whole planes, or any number.
    ///
    /// # Errors
    /// [`FileError`] for samples of another type, more samples than the volume has, a negative
    /// sample with unsigned storage, and errors of the operating system such as a full disk. After
    /// an error of the operating system the file cannot be finished; after the others the writer is
    /// unchanged.
    pub fn append<T: Sample>(&mut self, samples: &[T]) -> Result<(), FileError> {
        self.write(samples)
            .map_err(|problem| FileError::new(&self.path, problem))
    }

    fn write<T: Sample>(&mut self, samples: &[T]) -> Result<(), FileProblem> {
        self.check_usable()?;
        if T::TYPE != self.content.stored.sample_type() {
            return Err(FileProblem::SampleTypeMismatch {
                requested: self.content.stored.sample_type(),
                found: T::TYPE,
            });
        }
        let written = self.written.saturating_add(samples.len());
        if written > self.samples {
            return Err(self.mismatch(written));
        }
        if self.content.stored == StoredType::U32 {
            check_unsigned(samples, self.written)?;
        }
        if let Err(error) = write_samples(samples, self.content.order, &mut self.body) {
            self.has_failed = true;
            return Err(FileProblem::from_io("write", error));
        }
        self.written = written;
        Ok(())
    }

    /// Completes the file and renames it to its path.
    ///
    /// # Errors
    /// [`FileError`] if samples are missing, earlier ones were not written completely, or the
    /// operating system reports an error. An existing file is then unchanged.
    pub fn finish(self) -> Result<(), FileError> {
        write_alone(|group| self.finish_in(group))
    }

    /// Completes the file, which is renamed together with the others of the group.
    ///
    /// # Errors
    /// The errors of [`finish`](Self::finish).
    pub fn finish_in(self, group: &mut FileGroup) -> Result<(), FileError> {
        let Self {
            path,
            content,
            body,
            ..
        } = match self.check_complete() {
            Ok(()) => self,
            Err(problem) => return Err(FileError::new(&self.path, problem)),
        };
        body.finish(&content)
            .map_err(|error| FileProblem::from_io("write", error))
            .and_then(|file| group.add(&path, file))
            .map_err(|problem| FileError::new(&path, problem))
    }

    fn check_complete(&self) -> Result<(), FileProblem> {
        self.check_usable()?;
        if self.written < self.samples {
            return Err(self.mismatch(self.written));
        }
        Ok(())
    }

    fn check_usable(&self) -> Result<(), FileProblem> {
        if !self.has_failed {
            return Ok(());
        }
        Err(FileProblem::Io {
            action: "continue writing",
            source: io::Error::other(
                "earlier samples were not written completely; write the volume again",
            ),
        })
    }

    fn mismatch(&self, found: usize) -> FileProblem {
        VolumeError::LengthMismatch {
            dims: self.content.dims,
            expected: self.samples,
            found,
        }
        .into()
    }
}

impl SampleWriter {
    /// Creates the file and writes everything before the samples.
    fn begin(
        path: &Path,
        extension: &str,
        content: &VolumeContent,
        options: &VolumeWriteOptions,
    ) -> Result<Self, FileProblem> {
        let file = Replacement::create(path)?;
        if extension == "mha" && options.compress {
            let folder = temporary_folder(path)?;
            let spool = tempfile::tempfile_in(folder).map_err(create_problem)?;
            let out = BufWriter::with_capacity(BUFFER, spool);
            let encoder = ZlibEncoder::new(out, Compression::new(LEVEL));
            return Ok(Self::Zlib(
                file,
                BlockWriter::new(encoder).map_err(create_problem)?,
            ));
        }
        let mut out = BufWriter::with_capacity(BUFFER, file);
        let gzip = |out| BlockWriter::new(GzEncoder::new(out, Compression::new(LEVEL)));
        let begin = || match extension {
            "nii" => {
                out.write_all(&nifti::header_to_write(content))?;
                Ok(Self::Plain(out))
            }
            "nii.gz" => {
                let mut encoder = gzip(out)?;
                encoder.write_all(&nifti::header_to_write(content))?;
                Ok(Self::Gzip(encoder))
            }
            "nrrd" => {
                out.write_all(&nrrd::header_to_write(content, options.compress))?;
                Ok(if options.compress {
                    Self::Gzip(gzip(out)?)
                } else {
                    Self::Plain(out)
                })
            }
            "mha" => {
                out.write_all(&metaimage::header_to_write(content, None))?;
                Ok(Self::Plain(out))
            }
            _ => {
                out.write_all(&npy::header_to_write(content))?;
                Ok(Self::Plain(out))
            }
        };
        begin().map_err(|error| FileProblem::from_io("write", error))
    }

    /// Writes everything after the samples.
    fn finish(self, content: &VolumeContent) -> io::Result<Replacement> {
        match self {
            Self::Plain(out) => Ok(out.into_inner()?),
            Self::Gzip(encoder) => Ok(encoder.into_inner()?.finish()?.into_inner()?),
            Self::Zlib(mut file, encoder) => {
                let mut spool = encoder.into_inner()?.finish()?.into_inner()?;
                let bytes = spool.stream_position()?;
                file.write_all(&metaimage::header_to_write(content, Some(bytes)))?;
                spool.rewind()?;
                let copied = io::copy(&mut spool, file.file()?)?;
                if copied == bytes {
                    Ok(file)
                } else {
                    Err(io::Error::other(
                        "a temporary file changed; write the volume again",
                    ))
                }
            }
        }
    }
}

impl Write for SampleWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Zlib(_, encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zlib(_, encoder) => encoder.flush(),
        }
    }
}

/// Returns the type of the samples in the file.
fn stored_type(
    sample_type: SampleType,
    options: &VolumeWriteOptions,
) -> Result<StoredType, FileProblem> {
    match (options.unsigned, sample_type) {
        (false, _) => Ok(sample_type.into()),
        (true, SampleType::I32) => Ok(StoredType::U32),
        (true, found) => Err(FileProblem::SampleTypeMismatch {
            requested: SampleType::I32,
            found,
        }),
    }
}

/// Fails at the first negative sample. The samples are `i32`; `first` is the index of the first.
fn check_unsigned<T: Sample>(samples: &[T], first: usize) -> Result<(), FileProblem> {
    let samples: &[i32] = bytemuck::cast_slice(samples);
    match samples.iter().position(|&sample| sample < 0) {
        None => Ok(()),
        Some(index) => Err(FileProblem::NegativeSample {
            index: (first + index) as u64,
            value: samples[index],
        }),
    }
}

/// Writes samples in the given byte order.
fn write_samples<T: Sample>(
    samples: &[T],
    order: ByteOrder,
    out: &mut impl Write,
) -> io::Result<()> {
    if order == ByteOrder::NATIVE {
        return out.write_all(bytemuck::cast_slice(samples));
    }
    for chunk in samples.chunks(1 << 16) {
        let swapped: Vec<T> = chunk.iter().map(|sample| sample.swap_bytes()).collect();
        out.write_all(bytemuck::cast_slice(&swapped))?;
    }
    Ok(())
}
