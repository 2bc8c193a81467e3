//! Smoothing with a Gaussian.

use super::VolumeFilterError;
use crate::{
    device::{Buffer, Element, Stream, rows, rows_launch},
    grid::{DeviceSample, DeviceVolume},
    memory,
};
use cuda_std::Kernel;
use ferrovox_kernels::{
    grid::{Grid, X, Y, Z},
    sample::Sample,
    volume_filter::convolve_axis,
};

/// Standard deviations at which the Gaussian is truncated, as by `scipy.ndimage`.
const TRUNCATE: f64 = 4.0;

/// Convolves a volume with a Gaussian of the standard deviation `sigma`, in world units.
///
/// Along each axis of the grid, the standard deviation is `sigma` divided by the spacing, so that
/// anisotropic spacings are smoothed equally; axes that are not orthogonal are smoothed along their
/// own directions. The weights are truncated at 4 standard deviations. Beyond the border of the
/// volume the outermost samples repeat (`mode="nearest"` of `scipy.ndimage`), and constant regions
/// keep their value exactly. A sample that is not finite makes all samples within the truncation
/// NaN.
///
/// Each axis takes `8 · sigma / spacing` operations per sample. Device memory: two volumes of
/// `f32`.
///
/// ```
/// use ferrovox::{device::Device, synthetic, volume_filter};
///
/// let stream = Device::best().stream()?;
/// let ball = synthetic::sphere(&stream, [16; 3], 5.0)?;
/// let smooth = volume_filter::smooth(&stream, &ball, 1.5)?;
/// assert_eq!(smooth.dims(), [16; 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`VolumeFilterError::Sigma`] and [`VolumeFilterError::SigmaTooLarge`] for a standard deviation
/// that is not positive, or exceeds the longest side of the volume; errors of the device.
pub fn smooth<T: DeviceSample>(
    stream: &Stream,
    volume: &DeviceVolume<T>,
    sigma: f64,
) -> Result<DeviceVolume<f32>, VolumeFilterError> {
    let dims = volume.dims();
    let spacing: [f64; 3] = volume.geometry().spacing().into();
    check_sigma(sigma, dims, spacing)?;
    stream.check_device(volume.samples()).and_then(|()| {
        stream.prepare(&[convolve_axis::<T>::entry(), convolve_axis::<f32>::entry()])
    })?;
    let grid = volume.grid();
    let convolution = |axis: u32| -> Result<Convolution<'_>, VolumeFilterError> {
        let weights = weights(sigma / spacing[axis as usize])?;
        Ok(Convolution {
            stream,
            grid,
            axis,
            weights: stream.upload(&weights)?,
        })
    };
    let along_x = convolution(X)?.apply(volume.samples())?;
    let along_y = convolution(Y)?.apply(&along_x)?;
    // the buffer of the first pass is freed before the last one is allocated
    drop(along_x);
    let filtered = convolution(Z)?.apply(&along_y)?;
    Ok(DeviceVolume::from_buffer(
        filtered,
        dims,
        *volume.geometry(),
    )?)
}

/// Checks that a standard deviation is positive, and not longer than the volume.
pub(super) fn check_sigma(
    found: f64,
    dims: [usize; 3],
    spacing: [f64; 3],
) -> Result<(), VolumeFilterError> {
    if !(found.is_finite() && found > 0.0) {
        return Err(VolumeFilterError::Sigma { found });
    }
    let lengths = [0, 1, 2].map(|axis| dims[axis] as f64 * spacing[axis]);
    let longest = lengths.into_iter().fold(0.0, f64::max);
    if found > longest && !dims.contains(&0) {
        return Err(VolumeFilterError::SigmaTooLarge { found, longest });
    }
    Ok(())
}

/// Returns the weights of a Gaussian by distance, in samples; their sum over both sides is 1.
fn weights(sigma: f64) -> Result<Vec<f32>, VolumeFilterError> {
    let radius = (TRUNCATE * sigma + 0.5).floor();
    let value = |step: usize| (-0.5 * (step as f64 / sigma).powi(2)).exp();
    let values = memory::try_collect("weights", (0..radius as usize + 1).map(value))?;
    let sum = values[0] + 2.0 * values[1..].iter().sum::<f64>();
    let normalized = values.iter().map(|value| (value / sum) as f32);
    Ok(memory::try_collect("weights", normalized)?)
}

/// A convolution along one axis of a grid.
struct Convolution<'a> {
    stream: &'a Stream,
    grid: Grid,
    axis: u32,
    weights: Buffer<f32>,
}

impl Convolution<'_> {
    fn apply<T: Sample + Element>(
        &self,
        samples: &Buffer<T>,
    ) -> Result<Buffer<f32>, VolumeFilterError> {
        let (stream, grid) = (self.stream, self.grid);
        let extent = rows(stream, [grid.nx, grid.ny, grid.nz], 1);
        let mut filtered = stream.alloc::<f32>(samples.len())?;
        let radius = (self.weights.len() - 1) as u32;
        // SAFETY: both buffers have an element for every grid point and are on this device, the
        // rows cover them, and there is a weight for every distance up to the radius.
        unsafe {
            let args = (
                grid,
                extent,
                self.axis,
                radius,
                self.weights.view(),
                samples.view(),
                filtered.view_mut(),
            );
            stream.launch::<convolve_axis<T>>(rows_launch(extent), args)?;
        }
        Ok(filtered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_a_gaussian_sum_to_one() {
        for sigma in [1e-3, 0.1, 0.5, 1.0, 7.3, 100.0] {
            let weights = weights(sigma).unwrap();
            let sides: f64 = weights[1..].iter().map(|&weight| f64::from(weight)).sum();
            let sum = f64::from(weights[0]) + 2.0 * sides;
            assert!((sum - 1.0).abs() < 1e-6, "{sigma}: {sum}");
            assert_eq!(weights.len(), (4.0 * sigma + 0.5) as usize + 1);
        }
    }

    #[test]
    fn standard_deviation_is_positive_and_within_the_volume() {
        let check = |sigma| check_sigma(sigma, [10, 4, 2], [1.0, 1.0, 7.0]);
        for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let error = check(sigma).unwrap_err().to_string();
            assert!(error.contains(&sigma.to_string()), "{error}");
        }
        assert!(check(14.0).is_ok());
        let error = check(14.5).unwrap_err().to_string();
        assert!(
            error.contains("14.5") && error.contains("longest side of the volume is 14"),
            "{error}"
        );
    }
}
