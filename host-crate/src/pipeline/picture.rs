//! Pictures as files.

use super::PipelineError;
use crate::{
    io::{FileError, FileProblem, Replacement},
    render::Picture,
};
use std::{
    io::{BufWriter, Write},
    path::Path,
};

/// Writes a PNG file, which appears under its name when it is complete and on the disk.
pub(super) fn write_picture(path: &Path, picture: &Picture) -> Result<(), PipelineError> {
    let write = || {
        let mut replacement = Replacement::begin(path)?;
        let mut buffered = BufWriter::new(replacement.file());
        picture
            .write_png(&mut buffered)
            .and_then(|()| buffered.flush())
            .map_err(|error| FileProblem::from_io("write the picture", error))?;
        drop(buffered);
        replacement.finish()
    };
    write().map_err(|problem| FileError::new(path, problem).into())
}
