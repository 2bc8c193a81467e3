//! Conversion of masks to volumes.

use crate::{
    device::{DeviceError, Stream},
    grid::{DeviceMask, Volume, words_to_volume},
};

/// Downloads a mask as a volume: 1 for voxels in the mask, else 0. Synchronises the stream.
///
/// # Errors
/// [`DeviceError`] if the download failed or host memory is insufficient.
///
/// ```
/// use ferrovox::{device::Device, grid::{DeviceMask, Geometry}, voxelize::mask_to_volume};
///
/// let stream = Device::best().stream()?;
/// let mask = DeviceMask::from_indices(&stream, &[0, 5], [3, 2, 1], Geometry::default())?;
/// assert_eq!(mask_to_volume(&stream, &mask)?.samples(), [1, 0, 0, 0, 0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn mask_to_volume(stream: &Stream, mask: &DeviceMask) -> Result<Volume<u8>, DeviceError> {
    let words = mask.download(stream)?;
    Ok(words_to_volume(&words, mask.dims(), *mask.geometry())?)
}
