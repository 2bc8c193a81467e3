//! The volume that a job reads.

use super::{PipelineError, Problem, Warning, at, read_ahead::ReadAhead};
use crate::{
    grid::Geometry,
    io::{HeaderInfo, ReadOptions, VolumeFile, VolumeReader, read_volume},
};
use std::path::{Path, PathBuf};

/// A volume file, how it is read, and what replaces the place that the file states.
///
/// ```
/// use ferrovox::{grid::{Geometry, Volume}, io::{VolumeWriteOptions, write_volume}, pipeline::VolumeSource};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("ramp.npy");
/// let ramp = Volume::from_fn([4, 4, 4], Geometry::default(), |x, _, _| x as f32)?;
/// write_volume(&path, &ramp.into(), &VolumeWriteOptions::default())?;
///
/// let source = VolumeSource { spacing: Some([2.0, 2.0, 3.0]), ..VolumeSource::new(&path) };
/// assert_eq!(source.read()?.volume.geometry().spacing().z, 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeSource {
    /// The file.
    pub path: PathBuf,
    /// How it is read.
    pub options: ReadOptions,
    /// The distance between samples along x, y and z, in place of the file's. The axes are the
    /// world's then.
    pub spacing: Option<[f64; 3]>,
    /// The position of the first sample, in place of the file's.
    pub origin: Option<[f64; 3]>,
    /// Integers that kernels do not read exactly are rounded to `f32`, with a warning. Otherwise
    /// they are an error ([`WideSamples`](super::WideSamples)).
    pub round_samples: bool,
    /// What is being read already, by [`read_ahead`](Self::read_ahead).
    pub ahead: ReadAhead,
}

impl VolumeSource {
    /// A file whose own place counts.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }

    /// Begins to read the file on a thread of its own, for who has something else to do before the
    /// job begins, such as opening a device; [`read`](Self::read) gives what that thread has read.
    /// Nothing is begun for what is no plain file, or could take more than 1 GiB of memory, or a
    /// quarter of what is free.
    #[must_use]
    pub fn read_ahead(self) -> Self {
        let ahead = ReadAhead::begin(&self.path, &self.options);
        Self { ahead, ..self }
    }

    /// Whether the file can be opened more than once: a pipe cannot.
    pub fn is_file(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|it| it.is_file())
    }

    /// Reads the volume. Its place is that of this source, or else that of the file.
    ///
    /// # Errors
    /// What is wrong with the file, or with the spacing or the origin.
    pub fn read(&self) -> Result<VolumeFile, PipelineError> {
        Ok(self.read_with_file_geometry()?.0)
    }

    /// The volume at the place of this source, and the place that its file states.
    pub(crate) fn read_with_file_geometry(&self) -> Result<(VolumeFile, Geometry), PipelineError> {
        let mut file = match self.ahead.take(&self.path, &self.options) {
            Some(read) => read?,
            None => read_volume(&self.path, &self.options)?,
        };
        let own = *file.volume.geometry();
        if let Some(geometry) = self.geometry(&own)? {
            file.volume = file.volume.with_geometry(geometry);
        }
        Ok((file, own))
    }

    /// Opens the file to read it plane by plane. The reader has the file's own geometry.
    ///
    /// # Errors
    /// What is wrong with the file's header.
    pub fn open(&self) -> Result<VolumeReader<'static>, PipelineError> {
        Ok(VolumeReader::open(&self.path, &self.options)?)
    }

    /// The file's geometry with what this source puts in its place, if anything.
    ///
    /// # Errors
    /// A spacing that is not positive, or an origin that is not finite.
    pub fn geometry(&self, file: &Geometry) -> Result<Option<Geometry>, PipelineError> {
        if self.spacing.is_none() && self.origin.is_none() {
            return Ok(None);
        }
        let origin = self.origin.unwrap_or(file.origin().into());
        let geometry = match self.spacing {
            Some(spacing) => Geometry::from_spacing(spacing, origin),
            None => Geometry::new(*file.axes(), origin.into()),
        };
        geometry.map(Some).map_err(at(&self.path))
    }

    /// What the reader of the file noted.
    pub fn notes(&self, header: &HeaderInfo) -> Vec<Warning> {
        notes_of(&self.path, header)
    }

    /// The warning about samples that were rounded to f32, if any were: of `f64`, or of `i32` that
    /// may be.
    pub fn conversion(&self, header: &HeaderInfo, inexact: usize) -> Option<Warning> {
        (inexact > 0).then(|| Warning::Converted {
            path: self.path.clone(),
            stored: header.stored_type,
            inexact,
        })
    }

    /// Puts what went wrong with the volume into the file's name.
    pub(crate) fn error<P: Into<Problem>>(&self) -> impl FnOnce(P) -> PipelineError {
        at(&self.path)
    }
}

/// What the reader of a file noted.
pub(super) fn notes_of(path: &Path, header: &HeaderInfo) -> Vec<Warning> {
    let notes = header.notes.iter().cloned();
    notes
        .map(|note| Warning::Note {
            path: path.to_owned(),
            note,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grid::Volume,
        io::{VolumeWriteOptions, write_volume},
    };
    use std::fs;

    #[test]
    fn what_was_begun_is_read_once_and_only_for_its_own_file() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["first.npy", "second.npy"].map(|name| folder.path().join(name));
        for (path, value) in [(&first, 1_u8), (&second, 2)] {
            let volume = Volume::from_fn([3, 4, 5], Geometry::default(), |_, _, _| value).unwrap();
            write_volume(path, &volume.into(), &VolumeWriteOptions::default()).unwrap();
        }
        let taken = |source: &VolumeSource| source.ahead.take(&source.path, &source.options);
        let maximum = |source: &VolumeSource| source.read().unwrap().volume.summary().max;
        let source = VolumeSource::new(&first).read_ahead();
        let other = VolumeSource {
            path: second.clone(),
            ..source.clone()
        };
        assert_eq!(maximum(&other), maximum(&VolumeSource::new(&second)));
        assert!(taken(&source).is_some_and(|read| read.is_ok()));
        assert!(taken(&source).is_none());
        // and then it is read anew
        assert_eq!(maximum(&source), maximum(&VolumeSource::new(&first)));
    }

    #[test]
    fn what_cannot_be_read_ahead_fails_when_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("damaged.npy");
        fs::write(&path, b"\x93NUMPY").unwrap();
        for path in [
            path,
            folder.path().join("missing.nii"),
            folder.path().into(),
        ] {
            let source = VolumeSource::new(path);
            let expected = source.read().map(|_| ()).unwrap_err().to_string();
            let found = source.read_ahead().read().map(|_| ()).unwrap_err();
            assert_eq!(found.to_string(), expected);
        }
    }
}
