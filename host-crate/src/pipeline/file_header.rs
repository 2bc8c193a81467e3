//! Headers of volume files: grids, and notes as warnings.

use super::{PipelineError, Warning};
use crate::{
    grid::Geometry,
    io::{FileError, FileProblem, HeaderInfo, ReadOptions, SelectionProblem, VolumeReader},
};
use std::path::Path;

/// Returns the grid of a volume file, of which only the header is read. Of several volumes or
/// components, which have one grid, the first is opened.
pub(super) fn grid_like(
    path: &Path,
    warnings: &mut Vec<Warning>,
) -> Result<([usize; 3], Geometry), PipelineError> {
    let options = ReadOptions {
        volume: Some(0),
        ..ReadOptions::default()
    };
    let reader = match VolumeReader::open(path, &options) {
        Err(error) if lacks_component(&error) => {
            let component = Some(0);
            VolumeReader::open(
                path,
                &ReadOptions {
                    component,
                    ..options
                },
            )?
        }
        reader => reader?,
    };
    warnings.extend(reader_notes(path, reader.header()));
    Ok((reader.dims(), *reader.geometry()))
}

/// Returns `true` if the file was not opened because it has several components per sample and none
/// is selected.
pub(super) fn lacks_component(error: &FileError) -> bool {
    matches!(
        error.problem,
        FileProblem::Selection(SelectionProblem::SeveralComponents { .. })
    )
}

/// Returns the notes of the reader of a file as warnings.
pub(super) fn reader_notes(path: &Path, header: &HeaderInfo) -> Vec<Warning> {
    let notes = header.notes.iter().cloned();
    notes
        .map(|note| Warning::Note {
            path: path.to_owned(),
            note,
        })
        .collect()
}
