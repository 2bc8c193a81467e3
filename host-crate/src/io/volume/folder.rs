//! Folders in place of a file: DICOM series, stacks of slices and Zarr.

use std::path::Path;

use crate::io::volume::dicom;
use crate::io::volume::file_list::list_files;
use crate::io::volume::opened::OpenedVolume;
use crate::io::volume::png;
use crate::io::volume::tiff;
use crate::io::volume::zarr;
use crate::io::{FileProblem, ReadOptions};

/// Opens the volume in a folder.
pub(crate) fn open<'a>(
    folder: &Path,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    if zarr::is_zarr(folder) {
        return zarr::open_folder(folder, options);
    }
    let files = list_files(folder)?;
    if dicom::has_images(&files) {
        return dicom::open_folder(folder, options);
    }
    if tiff::has_slices(&files) {
        return tiff::open_slices(folder);
    }
    if png::has_slices(&files) {
        return png::open_folder(folder);
    }
    Err(FileProblem::UnknownFolder { files: files.len() })
}
