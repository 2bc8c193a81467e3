//! Resampling of volumes.

use super::{ResampleGrid, VolumeFilterError};
use crate::{
    device::{Buffer, DeviceError, Element, Stream, rows, rows_launch},
    grid::{DeviceSample, DeviceVolume, Sample, Volume, kernel_grid},
    memory,
};
use ferrovox_kernels::{
    sample::Count,
    volume_filter::{resample_linear, resample_nearest as copy_nearest},
};

/// Interpolates a volume trilinearly at the samples of another grid.
///
/// The volume is not smoothed before. Where the new spacing is much larger,
/// [`smooth`](super::smooth) with about half of it as the standard deviation avoids aliasing.
///
/// ```
/// use ferrovox::{device::Device, grid::Geometry, synthetic};
/// use ferrovox::volume_filter::{self, ResampleGrid, TargetSpacing};
///
/// let stream = Device::best().stream()?;
/// let ball = synthetic::sphere(&stream, [16; 3], 5.0)?;
/// let spacing = TargetSpacing::Given([0.5; 3]);
/// let grid = ResampleGrid::new(ball.dims(), ball.geometry(), spacing)?;
/// assert_eq!(volume_filter::resample(&stream, &ball, &grid)?.dims(), [32; 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`VolumeFilterError::TooLarge`] if the device has no memory for the result,
/// [`DeviceError::LengthMismatch`] for a grid of another volume, and errors of the device.
pub fn resample<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    grid: &ResampleGrid,
) -> Result<DeviceVolume<f32>, VolumeFilterError> {
    check_source(volume.dims(), grid)?;
    stream.check_device(volume.samples())?;
    let (lows, fractions) = grid.linear_table()?;
    let (lows, fractions) = (stream.upload(&lows)?, stream.upload(&fractions)?);
    let target = kernel_grid(grid.dims())?;
    let mut resampled = alloc::<f32>(stream, grid)?;
    let extent = rows(stream, [target.nx, target.ny, target.nz], 1);
    // SAFETY: the buffers have an element for every sample of their grid, the rows cover the target
    // grid, and the tables have an entry for each of its samples along the axes, within the source.
    unsafe {
        let args = (
            volume.grid(),
            target,
            extent,
            lows.view(),
            fractions.view(),
            volume.samples().view(),
            resampled.view_mut(),
        );
        stream.launch::<resample_linear<T>>(rows_launch(extent), args)?;
    }
    Ok(DeviceVolume::from_buffer(
        resampled,
        grid.dims(),
        *grid.geometry(),
    )?)
}

/// Copies the nearest sample of a volume to each sample of another grid: for labels, which cannot
/// be interpolated. Of two equally near samples, the one with the lower index is taken. Samples of
/// all types keep their bits.
///
/// # Errors
/// As [`resample`].
pub fn resample_nearest<T: Sample>(
    stream: &Stream,
    volume: &Volume<T>,
    grid: &ResampleGrid,
) -> Result<Volume<T>, VolumeFilterError> {
    check_source(volume.dims(), grid)?;
    let samples = match size_of::<T>() {
        1 => nearest_words::<T, u8>(stream, volume.samples(), grid),
        2 => nearest_words::<T, u16>(stream, volume.samples(), grid),
        4 => nearest_words::<T, u32>(stream, volume.samples(), grid),
        _ => nearest_words::<T, u64>(stream, volume.samples(), grid),
    }?;
    Ok(Volume::new(samples, grid.dims(), *grid.geometry())?)
}

/// Copies the nearest of samples that have the size of the words `W`.
fn nearest_words<T: Sample, W: Count + Element>(
    stream: &Stream,
    samples: &[T],
    grid: &ResampleGrid,
) -> Result<Vec<T>, VolumeFilterError> {
    let table = stream.upload(&grid.nearest_table()?)?;
    let source = kernel_grid(grid.source_dims())?;
    let target = kernel_grid(grid.dims())?;
    let words = stream.upload::<W>(bytemuck::cast_slice(samples))?;
    let mut resampled = alloc::<W>(stream, grid)?;
    let extent = rows(stream, [target.nx, target.ny, target.nz], 1);
    // SAFETY: the buffers have an element for every sample of their grid, the rows cover the target
    // grid, and the table has an index of the source for each of its samples along the axes.
    unsafe {
        let args = (
            source,
            target,
            extent,
            table.view(),
            words.view(),
            resampled.view_mut(),
        );
        stream.launch::<copy_nearest<W>>(rows_launch(extent), args)?;
    }
    let words = stream.download(&resampled)?;
    let mut samples = memory::try_zeroed::<T>("resampled samples", words.len())?;
    samples.copy_from_slice(bytemuck::cast_slice(&words));
    Ok(samples)
}

/// Checks that a grid was created for a volume of these dims.
fn check_source(dims: [usize; 3], grid: &ResampleGrid) -> Result<(), DeviceError> {
    if dims == grid.source_dims() {
        return Ok(());
    }
    Err(DeviceError::LengthMismatch {
        from: dims.iter().product(),
        to: grid.source_dims().iter().product(),
    })
}

/// Allocates the samples of a grid.
fn alloc<W: Element>(stream: &Stream, grid: &ResampleGrid) -> Result<Buffer<W>, VolumeFilterError> {
    let bytes = grid.len().saturating_mul(size_of::<W>() as u64);
    match stream.require(bytes) {
        Err(DeviceError::OutOfMemory { .. }) => return Err(grid.too_large(bytes)),
        required => required?,
    }
    let len = usize::try_from(grid.len()).map_err(|_| grid.too_large(bytes))?;
    Ok(stream.alloc(len)?)
}
