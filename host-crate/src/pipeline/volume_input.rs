//! The volume file that a pipeline reads.

use super::{Note, PipelineError, error::at};
use crate::{
    grid::{AnyVolume, Geometry, SampleType},
    io::{HeaderInfo, ReadOptions, VolumeFile, VolumeReader, read_volume},
};
use std::path::PathBuf;

/// A volume file, and what the user says about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeInput {
    /// The file.
    pub path: PathBuf,
    /// How to read it.
    pub options: ReadOptions,
    /// The distance between samples along each axis, in place of the file's. The axes are the world's then.
    pub spacing: Option<[f64; 3]>,
    /// The position of the first sample, in place of the file's.
    pub origin: Option<[f64; 3]>,
}

impl VolumeInput {
    /// A file, read as it says.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }

    /// Reads the file; its grid lies where it is said to.
    ///
    /// # Errors
    /// What is wrong with the file, and with the spacing or origin that are to stand in for its own.
    pub fn read(&self) -> Result<VolumeFile, PipelineError> {
        let mut file = read_volume(&self.path, &self.options)?;
        let geometry = self.place(file.volume.geometry())?;
        file.volume = file.volume.with_geometry(geometry);
        Ok(file)
    }

    /// The same with samples of a type that kernels read, and with what there is to know: what the reader noted, and a conversion of
    /// samples.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub fn read_for_kernels(&self, notes: &mut Vec<Note>) -> Result<AnyVolume, PipelineError> {
        let VolumeFile { volume, header } = self.read()?;
        notes.extend(self.notes(&header));
        let sample_type = volume.sample_type();
        let (volume, inexact) = volume.into_kernel_type();
        if matches!(sample_type, SampleType::I32 | SampleType::F64) {
            notes.push(Note::Converted {
                path: self.path.clone(),
                stored: header.stored_type,
                inexact,
            });
        }
        Ok(volume)
    }

    /// Opens the file, to read it plane by plane. Its [geometry](VolumeReader::geometry) is the file's own; see [`place`](Self::place).
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn open(&self) -> Result<VolumeReader<'static>, PipelineError> {
        Ok(VolumeReader::open(&self.path, &self.options)?)
    }

    /// Where the grid lies: where the file says, but for the spacing and origin that stand in for its own.
    ///
    /// # Errors
    /// [`VolumeError`](crate::grid::VolumeError) for numbers that make no map, with the file's name.
    pub fn place(&self, file: &Geometry) -> Result<Geometry, PipelineError> {
        if self.spacing.is_none() && self.origin.is_none() {
            return Ok(*file);
        }
        let origin = self.origin.unwrap_or(file.origin().into());
        let geometry = match self.spacing {
            Some(spacing) => Geometry::from_spacing(spacing, origin),
            None => Geometry::new(*file.axes(), origin.into()),
        };
        geometry.map_err(at(&self.path))
    }

    /// What the file's reader noted.
    pub fn notes(&self, header: &HeaderInfo) -> impl Iterator<Item = Note> {
        header.notes.iter().map(|text| Note::Reader {
            path: self.path.clone(),
            text: text.clone(),
        })
    }
}
