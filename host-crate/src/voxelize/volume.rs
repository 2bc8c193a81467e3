//! Conversion of masks to volumes.

use crate::{
    device::{DeviceError, Stream},
    grid::{DeviceMask, Volume},
    memory, parallel,
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
    let dims = mask.dims();
    let words = mask.download(stream)?;
    let mut samples = memory::try_zeroed::<u8>("voxels", dims.iter().product())?;
    if !samples.is_empty() {
        let nx = dims[0];
        // number of rows that a thread converts at a time
        let rows = parallel::CHUNK_LEN.div_ceil(nx);
        parallel::for_each_chunk_mut(&mut samples, rows * nx, |first, samples| {
            let words = words.chunks(nx.div_ceil(32)).skip(first / nx);
            for (row, words) in samples.chunks_mut(nx).zip(words) {
                for (voxels, word) in row.chunks_mut(32).zip(words) {
                    for (bit, voxel) in voxels.iter_mut().enumerate() {
                        *voxel = (word >> bit & 1) as u8;
                    }
                }
            }
        });
    }
    Ok(Volume::new(samples, dims, *mask.geometry()).expect("as many as there are voxels"))
}
