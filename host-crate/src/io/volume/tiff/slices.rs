//! Folders of slices, one TIFF file per plane, in natural order of their names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::io::FileProblem;
use crate::io::file_extension::extension;
use crate::io::source::{Remaining, Source};
use crate::io::volume::file_list::list_slices;
use crate::io::volume::opened::OpenedVolume;
use crate::io::volume::plane_file::PlaneFile;
use crate::io::volume::tiff::decode::Plane;
use crate::io::volume::tiff::stack::Stack;
use crate::io::volume::tiff::{check_equal, damaged, open_planes, read_pages};
use crate::parallel;

fn is_slice(path: &Path) -> bool {
    matches!(extension(path).as_str(), "tif" | "tiff")
}

/// Returns `true` if one of the files is a slice.
pub(in crate::io) fn has_slices(files: &[PathBuf]) -> bool {
    files.iter().any(|path| is_slice(path))
}

/// Opens the slices in a folder, without its subfolders.
pub(in crate::io) fn open_slices<'a>(folder: &Path) -> Result<OpenedVolume<'a>, FileProblem> {
    let files = list_slices(folder, is_slice)?;
    let planes = parallel::try_map(files.len(), |index| {
        let path = &files[index];
        let file = PlaneFile::Path(Arc::new(path.clone()));
        let plane = open_slice(path, &file);
        plane.map_err(|problem| file.wrap(problem))
    })?;
    check_equal(&planes)?;
    let count = planes.len() as u64;
    let mut opened = open_planes(planes, [count, 1, 1], &Stack::from_pages(count))?;
    opened.header.data_files = files;
    Ok(opened)
}

fn open_slice<'a>(path: &Path, file: &PlaneFile<'a>) -> Result<Plane<'a>, FileProblem> {
    let source = Source::open(path)?;
    let (Some(bytes), Remaining::Exactly(length)) = (source.positioned(), source.remaining())
    else {
        return Err(damaged("it is no regular file".to_owned()));
    };
    let contents = read_pages(&bytes, length)?;
    match &contents.pages[..] {
        [page] => Ok(Plane {
            file: file.clone(),
            page: Arc::clone(page),
            shift: 0,
        }),
        pages => Err(damaged(format!(
            "it has {} pages; name this file instead of the folder, or keep one page per slice",
            pages.len()
        ))),
    }
}
