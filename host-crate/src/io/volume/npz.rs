//! NumPy's `.npz`: a zip archive of arrays, of which one is read.

use crate::io::source::{Remaining, Source};
use crate::io::volume::npy;
use crate::io::volume::opened::OpenedVolume;
use crate::io::zip::ZipArchive;
use crate::io::{Compression, FileProblem, ReadOptions, SelectionProblem, VolumeFormat};

/// Largest number of names that an error lists.
const MAX_NAMES: usize = 20;

/// Opens an archive and reads the header of its only array, or of the one that the options select.
pub(crate) fn open<'a>(
    mut source: Source<'a>,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let (Some(bytes), Remaining::Exactly(length)) = (source.positioned(), source.remaining())
    else {
        return Err(FileProblem::Unsupported {
            what: "an npz archive in a pipe or compressed with gzip".to_owned(),
            advice: "save it to a file",
        });
    };
    let archive = ZipArchive::open(bytes, length)?;
    let arrays = archive.names().filter_map(|it| it.strip_suffix(".npy"));
    let mut arrays: Vec<&str> = arrays.collect();
    arrays.sort_unstable();
    let selected = match &options.series {
        None => (arrays.len() == 1).then_some(0),
        Some(selector) => {
            let text = selector.0.trim();
            let named = arrays.iter().position(|name| *name == text);
            named.or_else(|| {
                let number = text.parse::<usize>().ok()?.checked_sub(1)?;
                (number < arrays.len()).then_some(number)
            })
        }
    };
    let Some(name) = selected.map(|index| arrays[index]) else {
        let names = arrays.iter().take(MAX_NAMES).copied();
        let names = names.collect::<Vec<_>>().join(", ");
        let count = arrays.len();
        return Err(SelectionProblem::Array { count, names }.into());
    };
    let file_name = format!("{name}.npy");
    let entry = archive.entry(&file_name);
    let entry = entry.ok_or_else(|| FileProblem::Archive("an array is missing".to_owned()))?;
    let start = archive.content_offset(entry)?;
    source.skip(start)?;
    source = source.limited(entry.compressed);
    if entry.is_deflated {
        source = source.inflate_raw();
    }
    let mut opened = npy::open(source, options)?;
    opened.header.format = VolumeFormat::Npz;
    if entry.is_deflated {
        opened.header.compression = Compression::Named("deflate");
    }
    Ok(opened)
}
