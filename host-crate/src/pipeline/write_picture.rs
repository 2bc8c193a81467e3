//! Output of pictures.

use super::PipelineError;
use crate::{
    io::{FileError, FileGroup},
    render::Picture,
};
use std::{
    io::{BufWriter, Write},
    path::Path,
};

/// Writes a picture as PNG. The file appears under its name when it is complete; until then, and
/// after a failure, an existing file is left untouched.
///
/// # Errors
/// [`PipelineError::File`] for errors of the operating system.
///
/// ```
/// use ferrovox::{device::Device, pipeline, render::{self, RenderParams}, synthetic};
///
/// let stream = Device::cpu().stream()?;
/// let sphere = synthetic::sphere(&stream, [16; 3], 6.0)?;
/// let picture = render::isosurface(&stream, &sphere, &RenderParams { width: 32, height: 32,
///     ..Default::default() })?;
/// let folder = tempfile::tempdir()?;
/// pipeline::write_picture(folder.path().join("sphere.png"), &picture)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_picture(path: impl AsRef<Path>, picture: &Picture) -> Result<(), PipelineError> {
    let mut group = FileGroup::new();
    add_picture(&mut group, path, picture)?;
    Ok(group.finish()?)
}

/// Writes a picture as PNG, as one of the files of a group.
pub(crate) fn add_picture(
    group: &mut FileGroup,
    path: impl AsRef<Path>,
    picture: &Picture,
) -> Result<(), FileError> {
    group.write(path, |file| {
        let mut out = BufWriter::new(file);
        picture.write_png(&mut out)?;
        out.flush()
    })
}
