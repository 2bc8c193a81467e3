//! DICOM files in a folder and its subfolders.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::io::source::Source;
use crate::io::volume::data_files::wrap;
use crate::io::volume::dicom::image::{Image, read_image};
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
    let (images, copies) = remove_copies(images.into_iter().flatten());
    if images.is_empty() {
        return Err(unsupported(
            "a folder without DICOM images".to_owned(),
            "name a folder of DICOM files, slices in TIFF or PNG, or Zarr",
        ));
    }
    let mut opened = open_images(images, options)?;
    if copies > 0 {
        let note = format!("{copies} files are copies of others (of one SOP instance); skipped");
        opened.header.notes.insert(0, note);
    }
    Ok(opened)
}

/// Removes images with the identifier, the positions and the numbers of an earlier one. Returns the
/// others, and the number of those that were removed.
fn remove_copies<'a>(images: impl Iterator<Item = Image<'a>>) -> (Vec<Image<'a>>, usize) {
    let mut kept: Vec<Image<'a>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut copies = 0;
    for image in images {
        if !image.uid.is_empty() {
            match known.get(&image.uid) {
                Some(&index) if is_copy(&kept[index], &image) => {
                    copies += 1;
                    continue;
                }
                Some(_) => {}
                None => {
                    known.insert(image.uid.clone(), kept.len());
                }
            }
        }
        kept.push(image);
    }
    (kept, copies)
}

fn is_copy(a: &Image<'_>, b: &Image<'_>) -> bool {
    let mut pairs = a.frames.iter().zip(&b.frames);
    a.series == b.series
        && a.format == b.format
        && a.frames.len() == b.frames.len()
        && pairs.all(|(a, b)| a.position == b.position && a.order == b.order)
}
