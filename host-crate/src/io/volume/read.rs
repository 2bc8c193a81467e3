//! Reading of volume files: detection of the format and dispatch to its reader.

use std::path::{Path, PathBuf};
use std::thread;

use crate::io::catch_panic::{catch_panic, read_file};
use crate::io::error::show_bytes;
use crate::io::source::Source;
use crate::io::volume::afni;
use crate::io::volume::data_files::{DataFiles, HeaderFolder, MemoryDataFile};
use crate::io::volume::dicom;
use crate::io::volume::file_list;
use crate::io::volume::folder;
use crate::io::volume::inr;
use crate::io::volume::metaimage;
use crate::io::volume::mgh;
use crate::io::volume::mrc;
use crate::io::volume::nifti;
use crate::io::volume::npy;
use crate::io::volume::npz;
use crate::io::volume::nrrd;
use crate::io::volume::opened::{OpenedVolume, in_data_file};
use crate::io::volume::png;
use crate::io::volume::raw;
use crate::io::volume::sample_stream::SampleStream;
use crate::io::volume::samples::SAMPLES;
use crate::io::volume::tiff;
use crate::io::volume::transpose::{PlaneBuffer, in_volume_order};
use crate::io::volume::vti;
use crate::io::volume::zarr;
use crate::io::{
    ByteCount, Compression, FileError, FileProblem, ReadOptions, SampleProblem, VolumeFile,
    VolumeFormat,
};
use crate::{
    grid::{AnyVolume, Geometry, Sample, SampleType, Volume, with_sample_type},
    memory,
};

/// Number of bytes that suffices to identify every format.
const SIGNATURE_BYTES: usize = 348;
/// Number of integers that are checked at a time.
const CHUNK: usize = 1 << 20;

/// Reads a volume file.
///
/// The format is detected from the first bytes of the file, or from the extension if these identify
/// no format. A contradiction between the two is a [note](crate::io::HeaderInfo::notes). Headerless
/// files are detected by their extension only. A file that is compressed with gzip as a whole is
/// decompressed. World coordinates are RAS in all formats (see [the formats](crate::io#formats)).
///
/// # Errors
/// [`FileError`] with the path and the problem. Damaged files never cause a panic, and the memory
/// that is allocated is bounded by the length of the file or of the data that have been decoded.
///
/// ```no_run
/// use ferrovox::io::{ReadOptions, read_volume};
///
/// let file = read_volume("brain.nii.gz", &ReadOptions::default())?;
/// println!("{:?} of {}", file.volume.dims(), file.volume.sample_type());
/// # Ok::<(), ferrovox::io::FileError>(())
/// ```
pub fn read_volume(path: impl AsRef<Path>, options: &ReadOptions) -> Result<VolumeFile, FileError> {
    let path = path.as_ref();
    let input = VolumeInput::Path(path.to_owned());
    read_file(path, || read_input(&input, options))
}

/// Reads a volume file from memory. `name` stands for the file name: its extension determines the
/// format, and errors quote it. A detached header has no data file here.
///
/// # Errors
/// The errors of [`read_volume`].
pub fn read_volume_bytes(
    name: impl AsRef<Path>,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<VolumeFile, FileError> {
    read_with_data(name.as_ref(), bytes, None, options)
}

/// Reads a header from memory, with `data` as the data file that it names.
pub(crate) fn read_with_data(
    name: &Path,
    bytes: &[u8],
    data: Option<&[u8]>,
    options: &ReadOptions,
) -> Result<VolumeFile, FileError> {
    let input = VolumeInput::Bytes {
        name: name.to_owned(),
        bytes,
        data,
    };
    read_file(name, || read_input(&input, options))
}

/// Input of a volume, which can be opened repeatedly.
#[derive(Clone)]
pub(crate) enum VolumeInput<'a> {
    Path(PathBuf),
    Bytes {
        name: PathBuf,
        bytes: &'a [u8],
        /// Contents of the data file that a detached header names.
        data: Option<&'a [u8]>,
    },
}

impl<'a> VolumeInput<'a> {
    /// Returns the path, for messages.
    pub fn name(&self) -> &Path {
        match self {
            Self::Path(name) | Self::Bytes { name, .. } => name,
        }
    }

    /// Opens the file, reads its header, selects the volume and checks the length.
    pub fn open(&self, options: &ReadOptions) -> Result<OpenedVolume<'a>, FileProblem> {
        let mut opened = self.open_unchecked(options)?;
        opened.check(options)?;
        Ok(opened)
    }

    /// Opens the file like [`open`](Self::open), and decodes all samples once to count them if they
    /// may be far fewer than the header states.
    pub fn open_counted(&self, options: &ReadOptions) -> Result<OpenedVolume<'a>, FileProblem> {
        let mut opened = self.open(options)?;
        if opened.needs_count {
            let mut again = self.open_unchecked(options)?;
            let expected = again.layout.total_bytes;
            let counted = again.source.skip(expected).and_then(|found| {
                let is_short = found < expected;
                let problem = || again.layout.too_short(ByteCount::Exactly(found));
                if is_short { Err(problem()) } else { Ok(()) }
            });
            counted.map_err(|problem| in_data_file(again.data_name.as_deref(), problem))?;
            opened.source.set_counted();
        }
        Ok(opened)
    }

    /// Returns a function that opens the file again.
    pub fn reopener(
        &self,
        options: &ReadOptions,
    ) -> impl Fn() -> Result<OpenedVolume<'a>, FileProblem> + Send + use<'a> {
        let (input, options) = (self.clone(), options.clone());
        move || input.open(&options)
    }

    fn open_unchecked(&self, options: &ReadOptions) -> Result<OpenedVolume<'a>, FileProblem> {
        match self {
            Self::Path(path) if path.is_dir() => folder::open(path, options),
            Self::Path(path) => {
                let path = &match options.raw {
                    None => header_path(path),
                    Some(_) => path.clone(),
                };
                let folder = HeaderFolder(path.parent().unwrap_or(Path::new("")));
                open_source(Source::open(path)?, path, &folder, options)
            }
            Self::Bytes { name, bytes, data } => open_source(
                Source::from_bytes(bytes),
                name,
                &MemoryDataFile(*data),
                options,
            ),
        }
    }
}

/// Returns the header that belongs to a data file, if it exists; otherwise `path` itself.
fn header_path(path: &Path) -> PathBuf {
    afni::header_path(&nifti::header_path(path))
}

/// Returns the other files that belong to a volume: the data files that a detached header names, or
/// the header of a data file. Empty if the header is not understood, and for pipes, which must not
/// be opened twice.
pub(crate) fn named_data_files(path: &Path) -> Vec<PathBuf> {
    find_data_files(path).unwrap_or_default()
}

fn find_data_files(path: &Path) -> Option<Vec<PathBuf>> {
    let metadata = std::fs::metadata(path).ok()?;
    if metadata.is_dir() {
        return file_list::list_files(path).ok();
    }
    if !metadata.is_file() {
        return None;
    }
    let header = header_path(path);
    if header != path {
        return Some(vec![header]);
    }
    let folder = HeaderFolder(path.parent().unwrap_or(Path::new("")));
    let source = Source::open(path).ok()?;
    let open = || open_source(source, path, &folder, &ReadOptions::default());
    Some(catch_panic(open).ok()?.header.data_files)
}

fn read_input(input: &VolumeInput<'_>, options: &ReadOptions) -> Result<VolumeFile, FileProblem> {
    let mut opened = input.open_counted(options)?;
    let header = opened.header.clone();
    let data_name = opened.data_name.clone();
    let can_repeat = opened.has_wide_integers();
    let in_order = |opened| {
        let reopen = input.reopener(options);
        in_volume_order(opened, reopen, options, PlaneBuffer::Whole)
    };
    let mut read = in_order(opened).and_then(|opened| read_samples(opened, options));
    for wider in [SampleType::F64, SampleType::I64] {
        if can_repeat && is_not_representable(&read) {
            opened = input.open(options)?;
            opened.layout.values = wider;
            read = in_order(opened).and_then(|opened| read_samples(opened, options));
        }
    }
    let volume = read.map_err(|problem| in_data_file(data_name.as_deref(), problem))?;
    Ok(VolumeFile { volume, header })
}

/// Returns the first of `i32`, `f64` and `i64` that represents all integers of the file. Reads the
/// samples once per type until one does; other errors are reported later, when planes are read.
pub(crate) fn find_integer_type(input: &VolumeInput<'_>, options: &ReadOptions) -> SampleType {
    if !is_not_representable(&decode_all::<i32>(input, options)) {
        SampleType::I32
    } else if !is_not_representable(&decode_all::<f64>(input, options)) {
        SampleType::F64
    } else {
        SampleType::I64
    }
}

/// Decodes all samples of a file as `T`, up to the first error.
fn decode_all<T: Sample>(
    input: &VolumeInput<'_>,
    options: &ReadOptions,
) -> Result<(), FileProblem> {
    let mut opened = input.open(options)?;
    opened.layout.values = T::TYPE;
    let samples = opened.layout.samples;
    let mut stream = SampleStream::start(opened, options)?;
    let mut chunk = memory::try_zeroed::<T>(SAMPLES, CHUNK.min(samples))?;
    while stream.next() < samples {
        let count = CHUNK.min(samples - stream.next());
        stream.read(&mut chunk[..count])?;
    }
    Ok(())
}

fn is_not_representable<T>(result: &Result<T, FileProblem>) -> bool {
    let problem = result.as_ref().err();
    matches!(
        problem,
        Some(FileProblem::Sample(SampleProblem::NotRepresentable { .. }))
    )
}

/// Reads the samples of a file whose length has been checked.
pub(crate) fn read_samples(
    opened: OpenedVolume<'_>,
    options: &ReadOptions,
) -> Result<AnyVolume, FileProblem> {
    thread::scope(|scope| {
        let mut opened = opened;
        opened.source = opened.source.decoded_ahead(scope);
        read_opened(opened, options)
    })
}

fn read_opened(opened: OpenedVolume<'_>, options: &ReadOptions) -> Result<AnyVolume, FileProblem> {
    let (dims, geometry) = (opened.layout.dims, opened.geometry);
    let sample_type = opened.layout.values;
    let mut stream = SampleStream::start(opened, options)?;
    let volume = with_sample_type!(sample_type, T => read_as::<T>(&mut stream, dims, geometry)?);
    stream.finish()?;
    Ok(volume)
}

fn read_as<T: Sample>(
    stream: &mut SampleStream<'_>,
    dims: [usize; 3],
    geometry: Geometry,
) -> Result<AnyVolume, FileProblem> {
    Ok(Volume::new(stream.read_rest::<T>()?, dims, geometry)?.into())
}

fn open_source<'a>(
    mut source: Source<'a>,
    name: &Path,
    data_files: &dyn DataFiles<'a>,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let named = options.format.or_else(|| VolumeFormat::from_path(name));
    // The samples of a headerless file may start like gzip by chance, so only the name counts
    // there.
    let is_headerless =
        named == Some(VolumeFormat::Raw) || (named.is_none() && options.raw.is_some());
    let may_be_gzip = !is_headerless || crate::io::file_extension::extension(name).ends_with("gz");
    let is_gzip = may_be_gzip && source.peek(2)? == [0x1f, 0x8b];
    if is_gzip {
        source = source.gunzip();
    }
    let start = source.peek(SIGNATURE_BYTES)?;
    let content = VolumeFormat::from_content(&start);
    let format = match (named, content) {
        (Some(_), Some(content)) if options.format.is_none() && !is_headerless => Some(content),
        (named, content) => named.or(content),
    };
    let format = format
        .or(options.raw.as_ref().map(|_| VolumeFormat::Raw))
        .ok_or_else(|| FileProblem::UnknownFormat {
            start: show_bytes(&start),
        })?;
    let mut opened = match format {
        VolumeFormat::Nifti => nifti::open(source, name, data_files)?,
        VolumeFormat::Nrrd => nrrd::open(source, data_files, options)?,
        VolumeFormat::MetaImage => metaimage::open(source, data_files, options)?,
        VolumeFormat::Npy => npy::open(source, options)?,
        VolumeFormat::Npz => npz::open(source, options)?,
        VolumeFormat::Dicom => dicom::open(source, options)?,
        VolumeFormat::Raw => raw::open(source, options)?,
        VolumeFormat::Mrc => mrc::open(source)?,
        VolumeFormat::Mgh => mgh::open(source)?,
        VolumeFormat::Afni => afni::open(source, name, data_files, options)?,
        VolumeFormat::Inr => inr::open(source)?,
        VolumeFormat::Vti => vti::open(source)?,
        VolumeFormat::Tiff => tiff::open(source)?,
        VolumeFormat::Png => png::open(source)?,
        VolumeFormat::Zarr => zarr::open(source, options)?,
    };
    if let Some(axes) = options
        .axes
        .filter(|_| !matches!(format, VolumeFormat::Npy | VolumeFormat::Npz))
    {
        opened.header.notes.push(format!(
            "the axes {} are not used: {format} defines those of its files",
            axes.name()
        ));
    }
    if let Some(named) = named.filter(|&named| named != format) {
        opened.header.notes.push(format!(
            "the extension is that of {named}, but the contents are {format}: the file is read as {format}"
        ));
    }
    if is_gzip && opened.header.compression == Compression::None {
        opened.header.compression = Compression::Gzip;
    }
    Ok(opened)
}
