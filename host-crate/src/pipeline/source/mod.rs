//! Volume inputs of jobs.

mod read_box;
#[cfg(test)]
mod tests;

use super::{
    PipelineError, Problem, SourceFilter, Warning, at,
    error::ObjectError,
    file_header::reader_notes,
    read_ahead::ReadAhead,
    source_filter::{FileGrid, ResampledMaskGrid},
};
use crate::{
    device::Device,
    grid::{Geometry, SampleType, VoxelBox},
    io::{HeaderInfo, ReadOptions, VolumeFile, VolumeReader, read_volume},
};
use std::path::PathBuf;

/// A volume file, read options, and overrides of the geometry.
///
/// ```
/// use ferrovox::grid::{Geometry, Volume};
/// use ferrovox::io::{VolumeWriteOptions, write_volume};
/// use ferrovox::pipeline::VolumeSource;
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
    /// Path of the file.
    pub path: PathBuf,
    /// Options of the reader.
    pub options: ReadOptions,
    /// Spacing along x, y and z that replaces the one of the file. The axes are then aligned with
    /// the world.
    pub spacing: Option<[f64; 3]>,
    /// Position of the first sample that replaces the one of the file.
    pub origin: Option<[f64; 3]>,
    /// Box of voxels that stands for the volume; `None` for all of them. World positions do not
    /// change: the [origin](Self::origin) is that of the first sample of the file.
    pub crop: Option<VoxelBox>,
    /// Smoothing and resampling of the volume, after it is cropped.
    pub filter: SourceFilter,
    /// `true` to round integers that `f32` cannot represent, with a warning. Otherwise they are an
    /// error ([`WideSamples`](super::WideSamples)).
    pub round_samples: bool,
    /// Background read started by [`read_ahead`](Self::read_ahead).
    pub ahead: ReadAhead,
}

impl VolumeSource {
    /// Creates a source with default options and the geometry of the file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }

    /// Starts to read the file on another thread, while the caller does something else, such as
    /// opening a device; [`read`](Self::read) returns the result of that thread. Does nothing if
    /// the volume is cropped, if the path is not a regular file, or if the volume may need more
    /// than 1 GiB or a quarter of the free memory.
    #[must_use]
    pub fn read_ahead(self) -> Self {
        if self.crop.is_some() {
            return self;
        }
        let ahead = ReadAhead::begin(&self.path, &self.options);
        Self { ahead, ..self }
    }

    /// Sets the device that smooths and resamples the volume; `None` for the CPU.
    #[must_use]
    pub fn filter_device(mut self, device: Option<&Device>) -> Self {
        self.filter.device = device.cloned();
        self
    }

    /// Returns `true` for a file or a folder, which can be opened more than once, unlike pipes.
    pub fn is_file(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|it| it.is_file() || it.is_dir())
    }

    /// Reads the volume, with the geometry of the file or its overrides, smoothed and resampled.
    ///
    /// # Errors
    /// Errors of the file, of an invalid spacing or origin, and of the [filter](Self::filter).
    pub fn read(&self) -> Result<VolumeFile, PipelineError> {
        Ok(self.read_with_file_grid()?.0)
    }

    /// Reads the volume as [`read`](Self::read), and returns the grid of the file as well.
    pub(crate) fn read_with_file_grid(&self) -> Result<(VolumeFile, FileGrid), PipelineError> {
        let mut file = match (self.crop, self.ahead.take(&self.path, &self.options)) {
            (Some(part), _) => self.read_box(part)?,
            (None, Some(read)) => read?,
            (None, None) => read_volume(&self.path, &self.options)?,
        };
        let own = *file.volume.geometry();
        let dims = file.volume.dims();
        if let Some(geometry) = self.replaced_geometry(&own)? {
            file.volume = file.volume.with_geometry(geometry);
        }
        let geometry = *file.volume.geometry();
        let file = self.filter.apply(file).map_err(self.error())?;
        let grid = FileGrid {
            dims,
            geometry: own,
            masks: self.mask_grid(dims, &geometry)?,
        };
        Ok((file, grid))
    }

    /// Opens the file for reading in parts. The reader has the geometry of the file. A volume that
    /// is cropped, smoothed or resampled is read first, and then kept in memory.
    ///
    /// # Errors
    /// Errors of the header, and for a volume that is kept in memory those of [`read`](Self::read).
    pub fn open(&self) -> Result<VolumeReader<'static>, PipelineError> {
        Ok(self.open_with_file_grid()?.0)
    }

    /// Opens the file as [`open`](Self::open), and returns the grid of the file as well.
    pub(crate) fn open_with_file_grid(
        &self,
    ) -> Result<(VolumeReader<'static>, FileGrid), PipelineError> {
        if !self.filter.keeps_all() {
            let (VolumeFile { volume, header }, grid) = self.read_with_file_grid()?;
            return Ok((VolumeReader::from_volume(&self.path, header, volume), grid));
        }
        let reader = match self.crop {
            Some(part) => {
                let VolumeFile { volume, header } = self.read_box(part)?;
                VolumeReader::from_volume(&self.path, header, volume)
            }
            None => VolumeReader::open(&self.path, &self.options)?,
        };
        let grid = FileGrid {
            dims: reader.dims(),
            geometry: *reader.geometry(),
            masks: None,
        };
        Ok((reader, grid))
    }

    /// Returns the number of samples along x, y and z and their type, without reading samples.
    ///
    /// # Errors
    /// Errors of the header; a box that exceeds the volume; invalid parameters of the filter.
    pub(crate) fn shape(&self) -> Result<([usize; 3], SampleType), PipelineError> {
        let (dims, geometry, sample_type) = self.unfiltered_shape()?;
        let plan = self.filter.filter.plan(dims, &geometry, sample_type);
        let plan = plan.map_err(self.error())?;
        Ok((plan.dims, plan.sample_type))
    }

    /// Returns the dims, the geometry and the sample type before smoothing and resampling, without
    /// reading samples.
    pub(super) fn unfiltered_shape(
        &self,
    ) -> Result<([usize; 3], Geometry, SampleType), PipelineError> {
        let reader = VolumeReader::open(&self.path, &self.options)?;
        let (mut dims, mut geometry) = (reader.dims(), *reader.geometry());
        if let Some(part) = self.crop {
            part.check(dims).map_err(self.error())?;
            dims = part.dims();
            geometry = geometry.shifted(part.start.map(|index| index as i64));
        }
        let geometry = self.replaced_geometry(&geometry)?.unwrap_or(geometry);
        Ok((dims, geometry, reader.sample_type()))
    }

    /// Checks that smoothing and resampling need at most `limit` bytes, as they keep the volume in
    /// memory as a whole.
    ///
    /// # Errors
    /// [`Problem::VolumeFilterMemory`]; errors of the header and of the parameters of the filter.
    pub(crate) fn check_filter_memory(&self, limit: Option<u64>) -> Result<(), PipelineError> {
        let Some(limit) = limit.filter(|_| !self.filter.keeps_all()) else {
            return Ok(());
        };
        let (dims, geometry, sample_type) = self.unfiltered_shape()?;
        let filter = &self.filter.filter;
        let plan = filter.plan(dims, &geometry, sample_type);
        let plan = plan.map_err(self.error())?;
        let bytes = filter.bytes(dims, sample_type, &plan);
        if bytes > limit {
            let dims = plan.dims;
            return Err(self.error()(Problem::VolumeFilterMemory {
                dims,
                bytes,
                limit,
            }));
        }
        Ok(())
    }

    /// Returns the grid that masks of this volume are resampled to, if the volume is.
    fn mask_grid(
        &self,
        dims: [usize; 3],
        geometry: &Geometry,
    ) -> Result<Option<ResampledMaskGrid>, PipelineError> {
        let Some(spacing) = self.filter.filter.spacing else {
            return Ok(None);
        };
        let grid = ResampledMaskGrid::new(dims, geometry, spacing, &self.filter);
        Ok(Some(grid.map_err(self.error())?))
    }

    /// Returns the smallest box that contains all samples that are not zero, grown by `margin`
    /// samples within the volume. The samples are read as a whole.
    ///
    /// # Errors
    /// Errors of the file; [`ObjectError::EmptyMask`] if all samples are zero.
    pub fn nonzero_box(&self, margin: usize) -> Result<VoxelBox, PipelineError> {
        let volume = self.read()?.volume;
        let part = volume.nonzero_box();
        let part = part.map(|part| part.grown(margin, volume.dims()));
        part.ok_or(ObjectError::EmptyMask).map_err(self.error())
    }

    /// Returns the geometry of the file with the overrides applied, or `None` if there are none, or
    /// if the [reader](Self::open) has applied them before it smoothed or resampled the volume.
    ///
    /// # Errors
    /// A spacing that is not positive, or an origin that is not finite.
    pub fn geometry(&self, file: &Geometry) -> Result<Option<Geometry>, PipelineError> {
        if self.filter.keeps_all() {
            self.replaced_geometry(file)
        } else {
            Ok(None)
        }
    }

    /// Returns the geometry of the file with the overrides applied, or `None` if there are none.
    pub(super) fn replaced_geometry(
        &self,
        file: &Geometry,
    ) -> Result<Option<Geometry>, PipelineError> {
        if self.spacing.is_none() && self.origin.is_none() {
            return Ok(None);
        }
        let first = self.crop.map(|part| part.start.map(|index| index as i64));
        let whole = first.map_or(*file, |first| file.shifted(first.map(|index| -index)));
        let origin = self.origin.unwrap_or(whole.origin().into());
        let geometry = match self.spacing {
            Some(spacing) => Geometry::from_spacing(spacing, origin),
            None => Geometry::new(*whole.axes(), origin.into()),
        };
        let geometry = geometry.map_err(at(&self.path))?;
        Ok(Some(
            first.map_or(geometry, |first| geometry.shifted(first)),
        ))
    }

    /// Returns the notes of the reader as warnings.
    pub fn notes(&self, header: &HeaderInfo) -> Vec<Warning> {
        reader_notes(&self.path, header)
    }

    /// Returns the warning about samples that were rounded to `f32`, if there were any.
    pub fn conversion(&self, header: &HeaderInfo, inexact: usize) -> Option<Warning> {
        (inexact > 0).then(|| Warning::Converted {
            path: self.path.clone(),
            stored: header.stored_type,
            is_scaled: header.scaling.is_some(),
            inexact,
        })
    }

    /// Adds the path of the volume to a problem with its contents.
    pub(crate) fn error<P: Into<Problem>>(&self) -> impl FnOnce(P) -> PipelineError {
        at(&self.path)
    }
}
