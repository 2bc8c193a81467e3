//! Writing of a volume piece by piece, for files larger than memory.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::grid::{Geometry, Sample, SampleType, VolumeError, sample_count};
use crate::io::file_extension::extension;
use crate::io::output::group::write_alone;
use crate::io::volume::options::VolumeContent;
use crate::io::volume::sample_writer::SampleWriter;
use crate::io::{
    ByteOrder, FileError, FileGroup, FileProblem, SampleProblem, StoredType, VolumeFormat,
    VolumeWriteOptions,
};

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
        let requested = written_type(self.content.stored);
        if T::TYPE != requested {
            return Err(SampleProblem::TypeMismatch {
                requested,
                found: T::TYPE,
            }
            .into());
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

/// Returns the type of the samples that are written as a stored type.
const fn written_type(stored: StoredType) -> SampleType {
    match stored {
        // read as a narrower type if possible
        StoredType::I64 => SampleType::I64,
        other => other.sample_type(),
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
        (true, found) => Err(SampleProblem::TypeMismatch {
            requested: SampleType::I32,
            found,
        }
        .into()),
    }
}

/// Fails at the first negative sample. The samples are `i32`; `first` is the index of the first.
fn check_unsigned<T: Sample>(samples: &[T], first: usize) -> Result<(), FileProblem> {
    let samples: &[i32] = bytemuck::cast_slice(samples);
    match samples.iter().position(|&sample| sample < 0) {
        None => Ok(()),
        Some(index) => Err(SampleProblem::Negative {
            index: (first + index) as u64,
            value: samples[index],
        }
        .into()),
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
