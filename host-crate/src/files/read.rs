//! Reading a volume file: finds the format and hands over to its reader.

use std::path::Path;

use super::data_files::{DataFiles, Folder, InMemory};
use super::error::show_bytes;
use super::source::Source;
use super::{Compression, FileError, FileProblem, ReadOptions, VolumeFile, VolumeFormat};
use super::{metaimage, nifti, npy, nrrd, raw};

/// As many bytes as tell every format.
const START: usize = 348;

/// Reads a volume file.
///
/// The format is told by the extension, and without a known one by the content; gzip around the
/// whole file is undone. World coordinates are RAS whatever the file uses (see
/// [the formats](super#formats)).
///
/// # Errors
/// [`FileError`] names the file and what is wrong with it. Damaged files never panic, and
/// memory is asked for only as far as the file's length, or data that have arrived, warrant it.
///
/// ```no_run
/// use ferrovox::files::{ReadOptions, read_volume};
///
/// let file = read_volume("brain.nii.gz", &ReadOptions::default())?;
/// println!("{:?} of {}", file.volume.dims(), file.volume.sample_type());
/// # Ok::<(), ferrovox::files::FileError>(())
/// ```
pub fn read_volume(path: impl AsRef<Path>, options: &ReadOptions) -> Result<VolumeFile, FileError> {
    let path = path.as_ref();
    let folder = Folder(path.parent().unwrap_or(Path::new("")));
    Source::open(path)
        .and_then(|source| read_source(source, path, &folder, options))
        .map_err(|problem| FileError::new(path, problem))
}

/// Reads a volume file that lies in memory. `name` stands for the file's name: its extension tells
/// the format, and errors mention it. A detached header has no data file here.
///
/// # Errors
/// Those of [`read_volume`].
pub fn read_volume_bytes(
    name: impl AsRef<Path>,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<VolumeFile, FileError> {
    read_with_data(name.as_ref(), bytes, None, options)
}

/// Reads a header, and where it names a data file, `data` in its place.
pub(crate) fn read_with_data(
    name: &Path,
    bytes: &[u8],
    data: Option<&[u8]>,
    options: &ReadOptions,
) -> Result<VolumeFile, FileError> {
    read_source(Source::from_bytes(bytes), name, &InMemory(data), options)
        .map_err(|problem| FileError::new(name, problem))
}

fn read_source(
    mut source: Source<'_>,
    name: &Path,
    data_files: &dyn DataFiles,
    options: &ReadOptions,
) -> Result<VolumeFile, FileProblem> {
    let named = options.format.or_else(|| VolumeFormat::from_path(name));
    // The samples of a headerless file may happen to start like gzip, so there only the name counts.
    let headerless = named == Some(VolumeFormat::Raw) || (named.is_none() && options.raw.is_some());
    let may_be_gzip = !headerless || super::format::extension(name).ends_with("gz");
    let gzip = may_be_gzip && source.peek(2)? == [0x1f, 0x8b];
    if gzip {
        source = source.gunzip();
    }
    let start = source.peek(START)?;
    let format = named
        .or_else(|| VolumeFormat::from_content(&start))
        .or(options.raw.as_ref().map(|_| VolumeFormat::Raw))
        .ok_or_else(|| FileProblem::UnknownFormat {
            start: show_bytes(&start),
        })?;
    let mut file = match format {
        VolumeFormat::Nifti => nifti::read(source, options)?,
        VolumeFormat::Nrrd => nrrd::read(source, data_files, options)?,
        VolumeFormat::MetaImage => metaimage::read(source, data_files, options)?,
        VolumeFormat::Npy => npy::read(source, options)?,
        VolumeFormat::Raw => raw::read(source, options)?,
    };
    if gzip && file.header.compression == Compression::None {
        file.header.compression = Compression::Gzip;
    }
    Ok(file)
}
