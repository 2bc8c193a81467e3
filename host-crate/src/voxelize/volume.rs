//! Masks as volumes.

use crate::{
    device::{DeviceError, Stream},
    grid::{DeviceMask, Volume},
    memory,
};
use rayon::prelude::*;

/// A mask as a volume on the host: 1 where the voxel is in it, else 0. Synchronises the stream.
///
/// # Errors
/// Errors of the device.
///
/// ```
/// use ferrovox::{device::Device, grid::{DeviceMask, Geometry}, voxelize::volume_of};
///
/// let stream = Device::best().stream()?;
/// let mask = DeviceMask::from_indices(&stream, &[0, 5], [3, 2, 1], Geometry::default())?;
/// assert_eq!(volume_of(&stream, &mask)?.samples(), [1, 0, 0, 0, 0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn volume_of(stream: &Stream, mask: &DeviceMask) -> Result<Volume<u8>, DeviceError> {
    let dims = mask.dims();
    let words = mask.download(stream)?;
    let mut samples = memory::zeroed::<u8>("voxels", dims.iter().product())?;
    if !samples.is_empty() {
        let rows = samples.par_chunks_mut(dims[0]);
        let words = words.par_chunks(dims[0].div_ceil(32));
        rows.zip(words).for_each(|(row, words)| {
            for (voxels, word) in row.chunks_mut(32).zip(words) {
                for (bit, voxel) in voxels.iter_mut().enumerate() {
                    *voxel = (word >> bit & 1) as u8;
                }
            }
        });
    }
    Ok(Volume::new(samples, dims, *mask.geometry()).expect("as many as there are voxels"))
}
