//! Volumes on a device with a sample type known only at run time.

use super::{
    AnyVolume, DeviceMask, DevicePoints, DeviceVolume, Geometry, GridError, Inside, SampleType,
};
use crate::device::{Device, DeviceError, Stream};

/// A volume of any sample type that kernels read, on a device.
#[derive(Debug)]
pub enum AnyDeviceVolume {
    /// Samples of type u8.
    U8(DeviceVolume<u8>),
    /// Samples of type i8.
    I8(DeviceVolume<i8>),
    /// Samples of type u16.
    U16(DeviceVolume<u16>),
    /// Samples of type i16.
    I16(DeviceVolume<i16>),
    /// Samples of type f32.
    F32(DeviceVolume<f32>),
}

/// Evaluates an expression with the typed volume inside an [`AnyDeviceVolume`].
///
/// ```
/// use ferrovox::{device::Device, grid::{AnyDeviceVolume, AnyVolume, Geometry, Volume}};
/// use ferrovox::isosurface::{self, IsosurfaceParams};
/// use ferrovox::with_device_volume;
///
/// let stream = Device::best().stream()?;
/// let ramp = AnyVolume::from(Volume::from_fn([4, 4, 9], Geometry::default(), |_, _, z| z as u8)?);
/// let volume = AnyDeviceVolume::upload(&stream, &ramp)?;
/// let params = IsosurfaceParams { iso: 3.5, ..IsosurfaceParams::default() };
/// let mesh = with_device_volume!(&volume, volume => isosurface::extract(&stream, volume, None,
///     &params))?;
/// assert_eq!(mesh.triangle_count(), 18);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! with_device_volume {
    ($any:expr, $volume:ident => $body:expr) => {
        match $any {
            $crate::grid::AnyDeviceVolume::U8($volume) => $body,
            $crate::grid::AnyDeviceVolume::I8($volume) => $body,
            $crate::grid::AnyDeviceVolume::U16($volume) => $body,
            $crate::grid::AnyDeviceVolume::I16($volume) => $body,
            $crate::grid::AnyDeviceVolume::F32($volume) => $body,
        }
    };
}

impl AnyDeviceVolume {
    /// Copies a volume to the device of the stream. Samples of `i32` and `f64`, which kernels do
    /// not read, are converted to `f32` first; [`AnyVolume::into_kernel_type`] converts once for
    /// several uploads, and returns the number of rounded samples.
    ///
    /// # Errors
    /// Errors of [`DeviceVolume::upload`].
    pub fn upload(stream: &Stream, volume: &AnyVolume) -> Result<Self, DeviceError> {
        Ok(match volume {
            AnyVolume::U8(volume) => Self::U8(DeviceVolume::upload(stream, volume.view())?),
            AnyVolume::I8(volume) => Self::I8(DeviceVolume::upload(stream, volume.view())?),
            AnyVolume::U16(volume) => Self::U16(DeviceVolume::upload(stream, volume.view())?),
            AnyVolume::I16(volume) => Self::I16(DeviceVolume::upload(stream, volume.view())?),
            AnyVolume::F32(volume) => Self::F32(DeviceVolume::upload(stream, volume.view())?),
            AnyVolume::I32(_) | AnyVolume::F64(_) => {
                let (volume, _) = volume.to_f32()?;
                Self::F32(DeviceVolume::upload(stream, volume.view())?)
            }
        })
    }

    /// Returns the number of samples along x, y and z.
    pub fn dims(&self) -> [usize; 3] {
        with_device_volume!(self, volume => volume.dims())
    }

    /// Returns the position of the samples in the world.
    pub fn geometry(&self) -> &Geometry {
        with_device_volume!(self, volume => volume.geometry())
    }

    /// Returns the sample type.
    pub fn sample_type(&self) -> SampleType {
        match self {
            Self::U8(_) => SampleType::U8,
            Self::I8(_) => SampleType::I8,
            Self::U16(_) => SampleType::U16,
            Self::I16(_) => SampleType::I16,
            Self::F32(_) => SampleType::F32,
        }
    }

    /// Returns the device of the samples.
    pub fn device(&self) -> &Device {
        with_device_volume!(self, volume => volume.samples().device())
    }

    /// Returns the voxels whose sample is not 0, as [`DeviceMask::from_mask`].
    ///
    /// # Errors
    /// Errors of the device.
    pub fn not_zero(&self, stream: &Stream) -> Result<DeviceMask, GridError> {
        with_device_volume!(self, volume => DeviceMask::from_mask(stream, volume))
    }

    /// Returns the voxels whose sample is from `low` to `high`, both included, as
    /// [`DeviceMask::between`].
    ///
    /// # Errors
    /// Errors of the device.
    pub fn between(&self, stream: &Stream, low: f32, high: f32) -> Result<DeviceMask, GridError> {
        with_device_volume!(self, volume => DeviceMask::between(stream, volume, low, high))
    }

    /// Returns the voxels whose sample is at least `level`, as [`DeviceMask::above`].
    ///
    /// # Errors
    /// [`GridError::Level`] for a level that is not finite; errors of the device.
    pub fn above(&self, stream: &Stream, level: f32) -> Result<DeviceMask, GridError> {
        with_device_volume!(self, volume => DeviceMask::above(stream, volume, level))
    }

    /// Returns the voxels whose sample is less than `level`, as [`DeviceMask::below`].
    ///
    /// # Errors
    /// [`GridError::Level`] for a level that is not finite; errors of the device.
    pub fn below(&self, stream: &Stream, level: f32) -> Result<DeviceMask, GridError> {
        with_device_volume!(self, volume => DeviceMask::below(stream, volume, level))
    }

    /// Returns the voxels on one side of a level, as [`above`](Self::above) or
    /// [`below`](Self::below).
    ///
    /// # Errors
    /// [`GridError::Level`] for a level that is not finite; errors of the device.
    pub fn inside(
        &self,
        stream: &Stream,
        level: f32,
        inside: Inside,
    ) -> Result<DeviceMask, GridError> {
        match inside {
            Inside::Above => self.above(stream, level),
            Inside::Below => self.below(stream, level),
        }
    }

    /// Returns the points on grid edges where the samples cross a level, as
    /// [`DevicePoints::from_crossings`].
    ///
    /// # Errors
    /// [`GridError::Level`] for a level that is not finite; errors of the device.
    pub fn crossings(&self, stream: &Stream, level: f32) -> Result<DevicePoints, GridError> {
        with_device_volume!(self, volume => DevicePoints::from_crossings(stream, volume, level))
    }
}
