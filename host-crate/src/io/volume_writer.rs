//! Writing a volume plane by plane, for files larger than memory.

use crate::memory;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

use super::group::alone;
use super::options::VolumeContent;
use super::place::output_extension;
use super::replace::{Replacement, create_problem, temporary_folder};
use super::{ByteOrder, FileError, FileGroup, FileProblem, StoredType, VolumeWriteOptions};
use super::{metaimage, nifti, npy, nrrd};
use crate::grid::{Geometry, Sample, SampleType, VolumeError, sample_count};

/// Of compression. The first level of `zlib-rs` makes files a quarter to a half larger.
const LEVEL: u32 = 2;
/// Bytes that are collected before the system is asked to write them.
const BUFFER: usize = 1 << 18;

/// Writes a volume file, some samples after the others: [`write_volume`](super::write_volume) for
/// volumes that do not fit in memory. The file's bytes do not depend on how the samples are cut.
///
/// The file appears under its name when it is finished; until then, and after any failure, what
/// stood there before is untouched. Dropped before, it leaves nothing. Memory is a buffer of 256
/// KiB, and what a compressor needs. (The header of a MetaImage file says how long compressed
/// samples are, so that they go to a temporary file in the same folder first.)
///
/// ```
/// use ferrovox::io::{VolumeWriteOptions, VolumeWriter};
/// use ferrovox::grid::{Geometry, SampleType};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("ramp.nii.gz");
/// let (dims, options) = ([4, 3, 10], VolumeWriteOptions::default());
/// let mut writer = VolumeWriter::create(&path, dims, &Geometry::default(), SampleType::F32, &options)?;
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
    /// Samples of the volume.
    samples: usize,
    /// Samples that have come.
    written: usize,
    /// Bytes of the file may be missing.
    failed: bool,
    body: Body,
}

/// How samples become bytes of the file.
enum Body {
    Plain(BufWriter<Replacement>),
    Gzip(InBlocks<GzEncoder<BufWriter<Replacement>>>),
    /// Into a file of their own, which then comes behind the header.
    Zlib(Replacement, InBlocks<ZlibEncoder<BufWriter<File>>>),
}

/// Hands on bytes in blocks of one size: what a compressor makes of them depends on how it gets
/// them.
struct InBlocks<W> {
    out: W,
    block: Vec<u8>,
}

impl<W: Write> InBlocks<W> {
    fn new(out: W) -> io::Result<Self> {
        let mut block = Vec::new();
        memory::try_reserve("a block of the file", &mut block, BUFFER)?;
        Ok(Self { out, block })
    }

    /// Hands on what is left.
    fn into_inner(mut self) -> io::Result<W> {
        self.out.write_all(&self.block)?;
        Ok(self.out)
    }
}

impl<W: Write> Write for InBlocks<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(BUFFER - self.block.len());
        self.block.extend_from_slice(&bytes[..taken]);
        if self.block.len() == BUFFER {
            self.out.write_all(&self.block)?;
            self.block.clear();
        }
        Ok(taken)
    }

    /// Blocks that are not full stay.
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl VolumeWriter {
    /// Prepares to write a volume file with samples of `sample_type`; the extension determines the
    /// format: `.nii`, `.nii.gz`, `.nrrd`, `.mha` or `.npy`. Nothing appears under the name yet.
    ///
    /// # Errors
    /// [`FileError`] for an extension that is none of these, dims whose product overflows, samples
    /// of another type than i32 where [unsigned ones](VolumeWriteOptions::unsigned) are asked for,
    /// and a folder in which no file can be made.
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
        let kind = output_extension(path, "nrrd");
        if !matches!(kind.as_str(), "nii" | "nii.gz" | "nrrd" | "mha" | "npy") {
            let known = "volumes are written as .nii, .nii.gz, .nrrd, .mha and .npy";
            return Err(FileProblem::UnknownExtension {
                extension: kind,
                known,
            });
        }
        let content = VolumeContent {
            dims,
            geometry: *geometry,
            stored: stored_type(sample_type, options)?,
            order: options.byte_order,
        };
        let samples = sample_count(dims)?;
        let body = Body::begin(path, &kind, &content, options)?;
        Ok(Self {
            path: path.to_owned(),
            content,
            samples,
            written: 0,
            failed: false,
            body,
        })
    }

    /// Writes the next samples, x fastest: whole planes, or any number.
    ///
    /// # Errors
    /// [`FileError`] for samples of another type, more of them than the volume has, a negative one
    /// where unsigned ones were asked for, and what the operating system refuses, a full disk for
    /// one. After a refusal of the system the file cannot be finished; after the others it is as if
    /// nothing had been appended.
    pub fn append<T: Sample>(&mut self, samples: &[T]) -> Result<(), FileError> {
        self.write(samples)
            .map_err(|problem| FileError::new(&self.path, problem))
    }

    fn write<T: Sample>(&mut self, samples: &[T]) -> Result<(), FileProblem> {
        self.check_usable()?;
        if T::TYPE != self.content.stored.sample_type() {
            return Err(FileProblem::OtherType {
                asked: self.content.stored.sample_type(),
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
            self.failed = true;
            return Err(FileProblem::from_io("write", error));
        }
        self.written = written;
        Ok(())
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// [`FileError`] if there are fewer samples than the volume has, earlier ones were not written,
    /// or the operating system refuses. What stood under the name is untouched then.
    pub fn finish(self) -> Result<(), FileError> {
        alone(|group| self.finish_in(group))
    }

    /// Completes the file, which takes its place with the others of the group.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
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
        body.end(&content)
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
        if !self.failed {
            return Ok(());
        }
        Err(FileProblem::Io {
            action: "go on writing",
            source: io::Error::other("earlier samples were not written in full"),
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

impl Body {
    /// Writes all that stands before the samples.
    fn begin(
        path: &Path,
        kind: &str,
        content: &VolumeContent,
        options: &VolumeWriteOptions,
    ) -> Result<Self, FileProblem> {
        let file = Replacement::begin(path)?;
        if kind == "mha" && options.compress {
            let folder = temporary_folder(path)?;
            let spool = tempfile::tempfile_in(folder).map_err(create_problem)?;
            let out = BufWriter::with_capacity(BUFFER, spool);
            let encoder = ZlibEncoder::new(out, Compression::new(LEVEL));
            return Ok(Self::Zlib(
                file,
                InBlocks::new(encoder).map_err(create_problem)?,
            ));
        }
        let mut out = BufWriter::with_capacity(BUFFER, file);
        let gzip = |out| InBlocks::new(GzEncoder::new(out, Compression::new(LEVEL)));
        let begin = || match kind {
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

    /// Writes all that is left.
    fn end(self, content: &VolumeContent) -> io::Result<Replacement> {
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
                    Err(io::Error::other("a temporary file changed meanwhile"))
                }
            }
        }
    }
}

impl Write for Body {
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

/// The type that the samples have in the file.
fn stored_type(
    sample_type: SampleType,
    options: &VolumeWriteOptions,
) -> Result<StoredType, FileProblem> {
    match (options.unsigned, sample_type) {
        (false, _) => Ok(sample_type.into()),
        (true, SampleType::I32) => Ok(StoredType::U32),
        (true, found) => Err(FileProblem::OtherType {
            asked: SampleType::I32,
            found,
        }),
    }
}

/// Makes sure that no sample, which are of i32, is negative; `first` is the first one's index.
fn check_unsigned<T: Sample>(samples: &[T], first: usize) -> Result<(), FileProblem> {
    let samples: &[i32] = bytemuck::cast_slice(samples);
    match samples.iter().position(|&sample| sample < 0) {
        None => Ok(()),
        Some(index) => Err(FileProblem::Negative {
            index: (first + index) as u64,
            value: samples[index],
        }),
    }
}

/// Writes the samples' bytes in the given order.
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
