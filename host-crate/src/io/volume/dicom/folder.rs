//! DICOM files in a folder and its subfolders.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::io::source::Source;
use crate::io::volume::data_files::wrap;
use crate::io::volume::dicom::image::read_image;
use crate::io::volume::dicom::{open_images, unsupported};
use crate::io::volume::file_list::list_files;
use crate::io::volume::opened::OpenedVolume;
use crate::io::volume::plane_file::PlaneFile;
use crate::io::{FileProblem, ReadOptions};
use crate::parallel;

/// Returns `true` for a file that starts as DICOM does.
fn is_image(path: &Path) -> Result<bool, FileProblem> {
    let start = Source::open(path)?.peek(132)?;
    Ok(start.get(128..) == Some(b"DICM"))
}

/// Returns `true` if one of the files is DICOM.
pub(in crate::io) fn has_images(files: &[PathBuf]) -> bool {
    files.iter().any(|path| is_image(path).unwrap_or(false))
}

/// Opens a series of the files in a folder. Files that are not DICOM are ignored, as are those
/// without images.
pub(in crate::io) fn open_folder<'a>(
    folder: &Path,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let files = list_files(folder)?;
    let images = parallel::try_map(files.len(), |index| {
        let path = &files[index];
        let wrapped = |problem| wrap(&path.display().to_string(), problem);
        // A file that cannot be opened may be a slice.
        if !is_image(path).map_err(wrapped)? {
            return Ok(None);
        }
        let later = PlaneFile::Path(Arc::new(path.clone()));
        let image = Source::open(path).and_then(|source| read_image(source, later));
        image.map_err(wrapped)
    })?;
    let images: Vec<_> = images.into_iter().flatten().collect();
    if images.is_empty() {
        return Err(unsupported(
            "a folder without DICOM images".to_owned(),
            "name a folder of DICOM files, TIFF slices or Zarr",
        ));
    }
    let mut opened = open_images(images, options)?;
    opened.header.data_files = files;
    Ok(opened)
}
