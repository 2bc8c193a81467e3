//! Reading of masks from volume files.

use crate::io::{FileError, VolumeReader};
use crate::{
    error::ErrorKind,
    grid::{GridError, Mask, Sample, SamplePredicate, with_sample_type},
    memory::{self, OutOfMemory},
};

/// Samples read at a time, in bytes.
const STEP: usize = 64 << 20;

/// Reads a volume in steps and returns the mask of the samples for which `is_inside` is `true`.
///
/// Also returns the number of samples that `f32` cannot represent exactly. It matters if a
/// [`DeviceMask`](crate::grid::DeviceMask) must equal the mask, because devices have no samples of
/// `i32` and `f64`.
///
/// Memory: one bit per voxel, and 64 MiB of samples or one row, whichever is more.
///
/// # Errors
/// [`ReadMaskError::File`] for an error of the file, and [`ReadMaskError::Grid`] for a volume that
/// is too large.
pub fn read_mask(
    reader: &mut VolumeReader<'_>,
    is_inside: impl Fn(f64) -> bool + Sync,
) -> Result<(Mask, usize), ReadMaskError> {
    read_mask_by(reader, &is_inside)
}

/// Reads a mask as [`read_mask`].
pub(crate) fn read_mask_by(
    reader: &mut VolumeReader<'_>,
    predicate: &impl SamplePredicate,
) -> Result<(Mask, usize), ReadMaskError> {
    let mut mask = Mask::new(reader.dims(), *reader.geometry())?;
    let inexact =
        with_sample_type!(reader.sample_type(), T => read_all::<T>(&mut mask, reader, predicate))?;
    Ok((mask, inexact))
}

fn read_all<T: Sample>(
    mask: &mut Mask,
    reader: &mut VolumeReader<'_>,
    predicate: &impl SamplePredicate,
) -> Result<usize, FileError> {
    reader.set_overlap(0);
    let [nx, ny, nz] = reader.dims();
    if nx == 0 {
        return Ok(0);
    }
    // The mask has as many rows, so the product does not overflow.
    let rows = ny * nz;
    let step = (STEP / size_of::<T>() / nx).max(1).min(rows);
    let out_of_memory = |error: OutOfMemory| FileError::new(reader.path(), error.into());
    let mut samples = memory::try_zeroed::<T>("samples", step * nx).map_err(out_of_memory)?;
    let mut inexact = 0;
    for first in (0..rows).step_by(step.max(1)) {
        let samples = &mut samples[..step.min(rows - first) * nx];
        reader.read_samples_into(first * nx, samples)?;
        inexact += mask.set_rows_by(first, samples, predicate);
    }
    Ok(inexact)
}

/// Error of [`read_mask`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadMaskError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The volume is too large.
    #[error(transparent)]
    Grid(#[from] GridError),
}

impl ReadMaskError {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::File(error) => error.kind(),
            Self::Grid(error) => error.kind(),
        }
    }
}
