//! Writing volume files.

use std::path::Path;

use super::group::alone;
use super::{FileError, FileGroup, VolumeWriteOptions, VolumeWriter};
use crate::grid::{AnyVolume, with_volume};

/// Writes a volume file; the extension determines the format: `.nii`, `.nii.gz`, `.nrrd`, `.mha` or
/// `.npy`. A device, a pipe or standard output (`-`) without one gets NRRD.
///
/// The file appears under its name when it is complete; until then, and after any failure, what
/// stood there before is untouched. The geometry is carried by all formats but `.npy`; NIfTI-1
/// rounds it to f32.
///
/// # Errors
/// [`FileError`] for an extension that is none of these, for a sample that is not unsigned where
/// that was asked for, and for what the operating system refuses.
///
/// ```no_run
/// use ferrovox::io::{VolumeWriteOptions, write_volume};
/// use ferrovox::grid::{Geometry, Volume};
///
/// let ramp = Volume::from_fn([64, 64, 64], Geometry::default(), |x, _, _| x as f32)?;
/// write_volume("ramp.nrrd", &ramp.into(), &VolumeWriteOptions::default())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_volume(
    path: impl AsRef<Path>,
    volume: &AnyVolume,
    options: &VolumeWriteOptions,
) -> Result<(), FileError> {
    alone(|group| group.write_volume(path, volume, options))
}

impl FileGroup {
    /// Writes a volume file, as [`write_volume`].
    ///
    /// # Errors
    /// Those of [`write_volume`].
    pub fn write_volume(
        &mut self,
        path: impl AsRef<Path>,
        volume: &AnyVolume,
        options: &VolumeWriteOptions,
    ) -> Result<(), FileError> {
        let mut writer = VolumeWriter::create(
            path,
            volume.dims(),
            volume.geometry(),
            volume.sample_type(),
            options,
        )?;
        with_volume!(volume, volume => writer.append(volume.samples()))?;
        writer.finish_in(self)
    }
}
