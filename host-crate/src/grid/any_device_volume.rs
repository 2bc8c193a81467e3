//! Volumes on a device with a sample type known only at run time.

use super::{
    AnyVolume, DeviceMask, DevicePoints, DeviceVolume, Geometry, GridError, Inside, Sample,
    SampleType, with_kernel_volume,
};
use crate::device::{Device, DeviceError, Stream};

macro_rules! declare_any_device_volume {
    ([$(($variant:ident, $type:ident)),+]) => {
        /// A volume of any sample type that kernels read, on a device.
        #[derive(Debug)]
        pub enum AnyDeviceVolume {
            $(
                #[doc = concat!("Samples of type ", stringify!($type), ".")]
                $variant(DeviceVolume<$type>),
            )+
        }

        $(
            impl From<DeviceVolume<$type>> for AnyDeviceVolume {
                fn from(volume: DeviceVolume<$type>) -> Self {
                    Self::$variant(volume)
                }
            }
        )+
    };
}
crate::for_kernel_sample_types! { [declare_any_device_volume] }

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
        $crate::for_kernel_sample_types! {
            [$crate::match_device_volume] $any, $volume => $body
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! match_device_volume {
    ([$(($variant:ident, $type:ident)),+] $any:expr, $volume:ident => $body:expr) => {
        match $any {
            $($crate::grid::AnyDeviceVolume::$variant($volume) => $body,)+
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
        with_kernel_volume!(
            volume,
            volume => Ok(DeviceVolume::upload(stream, volume.view())?.into()),
            _ => {
                let (volume, _) = volume.to_f32()?;
                Ok(DeviceVolume::upload(stream, volume.view())?.into())
            }
        )
    }

    /// Moves a volume to the device of the stream like [`DeviceVolume::from_volume`], converting
    /// samples as [`upload`](Self::upload) does.
    ///
    /// # Errors
    /// Errors of [`DeviceVolume::upload`].
    pub fn from_volume(stream: &Stream, volume: AnyVolume) -> Result<Self, DeviceError> {
        with_kernel_volume!(
            volume,
            volume => Ok(DeviceVolume::from_volume(stream, volume)?.into()),
            _ => {
                let (volume, _) = volume.to_f32()?;
                Ok(DeviceVolume::from_volume(stream, volume)?.into())
            }
        )
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
        fn sample_type<T: Sample>(_: &DeviceVolume<T>) -> SampleType {
            T::TYPE
        }
        with_device_volume!(self, volume => sample_type(volume))
    }

    /// Returns the device of the samples.
    pub fn device(&self) -> &Device {
        with_device_volume!(self, volume => volume.samples().device())
    }

    /// Returns the voxels whose sample is not 0, as [`DeviceMask::from_non_zero`].
    ///
    /// # Errors
    /// Errors of the device.
    pub fn not_zero(&self, stream: &Stream) -> Result<DeviceMask, GridError> {
        with_device_volume!(self, volume => DeviceMask::from_non_zero(stream, volume))
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
