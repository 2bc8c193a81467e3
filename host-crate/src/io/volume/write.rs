//! Writing of volumes that are in memory.

use std::path::Path;

use crate::grid::{AnyVolume, with_volume};
use crate::io::output::group::write_alone;
use crate::io::{FileError, FileGroup, VolumeWriteOptions, VolumeWriter};

/// Writes a volume file in the format of the extension: `.nii`, `.nii.gz`, `.nrrd`, `.mha` or
/// `.npy`. A device, a pipe or standard output (`-`) without an extension gets NRRD.
///
/// The file is replaced atomically: it appears under its name once it is complete. Until then, and
/// after any failure, an existing file is unchanged. All formats except `.npy` store the geometry;
/// NIfTI-1 rounds it to `f32`.
///
/// # Errors
/// [`FileError`] for an unknown extension, for a negative sample if [unsigned
/// samples](VolumeWriteOptions::unsigned) are requested, and for errors of the operating system.
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
    write_alone(|group| group.write_volume(path, volume, options))
}

impl FileGroup {
    /// Writes a volume file as one of the group; see [`write_volume`](fn@write_volume).
    ///
    /// # Errors
    /// The errors of [`write_volume`](fn@write_volume).
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
