//! Smoothing and resampling in turn, for volumes of any type on the host.

use super::{
    ResampleGrid, TargetSpacing, VolumeFilterError, gaussian::check_sigma, resample,
    resample_nearest, smooth,
};
use crate::{
    device::Stream,
    grid::{AnyDeviceVolume, AnyVolume, DeviceVolume, Geometry, SampleType, Volume, with_volume},
    with_device_volume,
};

/// Smoothing and resampling of a volume.
///
/// ```
/// use ferrovox::{device::Device, grid::{AnyVolume, Geometry, Volume}};
/// use ferrovox::volume_filter::{TargetSpacing, VolumeFilter};
///
/// let geometry = Geometry::from_spacing([1.0, 1.0, 3.0], [0.0; 3])?;
/// let volume = Volume::from_fn([6, 6, 4], geometry, |x, _, _| x as u8)?;
/// let spacing = Some(TargetSpacing::Isotropic);
/// let filter = VolumeFilter { spacing, ..VolumeFilter::default() };
/// let filtered = filter.apply(&Device::best().stream()?, volume.into())?;
/// assert_eq!(filtered.volume.dims(), [6, 6, 12]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VolumeFilter {
    /// Standard deviation of a Gaussian that the samples are smoothed with, in world units.
    pub sigma: Option<f64>,
    /// Spacing that the volume is resampled to, after smoothing.
    pub spacing: Option<TargetSpacing>,
    /// Interpolation of the resampling.
    pub interpolation: Interpolation,
}

/// Interpolation between samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Trilinear; the result has samples of `f32`.
    #[default]
    Linear,
    /// The nearest sample, for labels and masks; the result has the sample type of the volume.
    Nearest,
}

/// A volume after smoothing and resampling.
#[derive(Clone, Debug, PartialEq)]
pub struct FilteredVolume {
    /// The volume.
    pub volume: AnyVolume,
    /// Number of samples that were rounded to `f32` before.
    pub inexact: usize,
}

impl VolumeFilter {
    /// Returns `true` if the filter keeps volumes as they are.
    pub fn keeps_all(&self) -> bool {
        self.sigma.is_none() && self.spacing.is_none()
    }

    /// Checks the standard deviation and the spacing for a volume of this grid, and returns the
    /// grid and the sample type of the result.
    ///
    /// # Errors
    /// The errors of [`smooth`] and [`ResampleGrid::new`] about parameters;
    /// [`VolumeFilterError::SmoothLabels`] for smoothing with [`Interpolation::Nearest`].
    pub fn plan(
        &self,
        dims: [usize; 3],
        geometry: &Geometry,
        sample_type: SampleType,
    ) -> Result<FilteredGrid, VolumeFilterError> {
        if let Some(sigma) = self.sigma {
            if self.interpolation == Interpolation::Nearest {
                return Err(VolumeFilterError::SmoothLabels);
            }
            check_sigma(sigma, dims, geometry.spacing().into())?;
        }
        let resampled = self
            .spacing
            .map(|spacing| ResampleGrid::new(dims, geometry, spacing))
            .transpose()?;
        Ok(FilteredGrid {
            dims: resampled.map_or(dims, |grid| grid.dims()),
            geometry: resampled.map_or(*geometry, |grid| *grid.geometry()),
            sample_type: match self.interpolation {
                _ if self.keeps_all() => sample_type,
                Interpolation::Nearest => sample_type,
                Interpolation::Linear => SampleType::F32,
            },
            resampled,
        })
    }

    /// Smooths and resamples a volume on the device of the stream.
    ///
    /// Memory: on the host and on the device the volume and the result, on the device also a volume
    /// of `f32` for smoothing.
    ///
    /// # Errors
    /// The errors of [`plan`](Self::plan), [`smooth`] and [`resample`].
    pub fn apply(
        &self,
        stream: &Stream,
        volume: AnyVolume,
    ) -> Result<FilteredVolume, VolumeFilterError> {
        let plan = self.plan(volume.dims(), volume.geometry(), volume.sample_type())?;
        if self.keeps_all() {
            return Ok(FilteredVolume { volume, inexact: 0 });
        }
        if let (Interpolation::Nearest, Some(grid)) = (self.interpolation, &plan.resampled) {
            let volume =
                with_volume!(&volume, volume => resample_nearest(stream, volume, grid)?.into());
            return Ok(FilteredVolume { volume, inexact: 0 });
        }
        let (volume, inexact) = volume.try_into_kernel_type()?;
        let on_device = AnyDeviceVolume::from_volume(stream, volume)?;
        let smooth = match self.sigma {
            Some(sigma) => {
                with_device_volume!(&on_device, volume => smooth(stream, volume, sigma)?.into())
            }
            None => on_device,
        };
        let filtered: DeviceVolume<f32> = match (&plan.resampled, smooth) {
            (Some(grid), smooth) => {
                with_device_volume!(&smooth, volume => resample(stream, volume, grid)?)
            }
            (None, AnyDeviceVolume::F32(smooth)) => smooth,
            (None, _) => unreachable!("smoothing results in samples of f32"),
        };
        let samples = stream.download(filtered.samples())?;
        let volume = Volume::new(samples, filtered.dims(), *filtered.geometry())?;
        Ok(FilteredVolume {
            volume: volume.into(),
            inexact,
        })
    }

    /// Estimates the bytes that [`apply`](Self::apply) needs on the host if the device is the CPU,
    /// which is the larger of both estimates.
    pub(crate) fn bytes(
        &self,
        dims: [usize; 3],
        sample_type: SampleType,
        plan: &FilteredGrid,
    ) -> u64 {
        let count = |dims: [usize; 3]| {
            dims.iter()
                .fold(1, |product: u64, &n| product.saturating_mul(n as u64))
        };
        let stored = sample_type.bytes() as u64;
        let smooth = if self.sigma.is_some() { 8 } else { 0 };
        let result = 2 * plan.sample_type.bytes() as u64;
        let before = count(dims).saturating_mul(2 * stored + smooth);
        before.saturating_add(count(plan.dims).saturating_mul(result))
    }
}

/// The grid and the sample type of a filtered volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilteredGrid {
    /// Number of samples along x, y and z.
    pub dims: [usize; 3],
    /// Position of the samples in the world.
    pub geometry: Geometry,
    /// Type of the samples.
    pub sample_type: SampleType,
    /// The grid that is resampled to, if it is another one.
    pub resampled: Option<ResampleGrid>,
}
