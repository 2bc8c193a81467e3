//! Devices: how many there are, and what each can do.

use std::ops::Range;

use crate::driver;
use crate::error::CudaResult;
use crate::sys::CUdevice;

mod attribute;

pub use attribute::DeviceAttribute;

/// A GPU.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct Device {
    raw: CUdevice,
}

impl Device {
    /// How many devices there are.
    ///
    /// # Errors
    /// [`CudaError::NoDriver`](crate::error::CudaError::NoDriver) on a machine without a driver;
    /// [`CudaError::NotInitialized`](crate::error::CudaError::NotInitialized) before
    /// [`init`](crate::init).
    ///
    /// ```
    /// match cust::device::Device::num_devices() {
    ///     Ok(count) => println!("{count} devices"),
    ///     Err(error) => println!("none: {error}"),
    /// }
    /// ```
    pub fn num_devices() -> CudaResult<u32> {
        driver()?.device_count()
    }

    /// The device with an ordinal, from 0.
    ///
    /// # Errors
    /// [`CudaError::InvalidDevice`](crate::error::CudaError::InvalidDevice) where there is none.
    pub fn get_device(ordinal: u32) -> CudaResult<Device> {
        Ok(Device {
            raw: driver()?.device(ordinal)?,
        })
    }

    /// All devices, in the order of their ordinals.
    ///
    /// # Errors
    /// As [`Device::num_devices`].
    pub fn devices() -> CudaResult<Devices> {
        Ok(Devices {
            range: 0..Device::num_devices()?,
        })
    }

    /// Bytes of device memory.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn total_memory(self) -> CudaResult<usize> {
        driver()?.device_total_memory(self.raw)
    }

    /// Such as "NVIDIA H200".
    ///
    /// # Errors
    /// Those of the driver.
    pub fn name(self) -> CudaResult<String> {
        driver()?.device_name(self.raw)
    }

    /// The 16 bytes that identify the device everywhere. (An addition to the published names.)
    ///
    /// # Errors
    /// [`CudaError::MissingFunction`](crate::error::CudaError::MissingFunction) before CUDA 9.2.
    pub fn uuid(self) -> CudaResult<[u8; 16]> {
        Ok(driver()?.device_uuid(self.raw)?.bytes)
    }

    /// (9, 0) for sm_90. (An addition to the published names.)
    ///
    /// # Errors
    /// Those of the driver.
    pub fn compute_capability(self) -> CudaResult<(i32, i32)> {
        driver()?.compute_capability(self.raw)
    }

    /// One figure of the device.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::error::CudaError::InvalidValue) where the driver is older
    /// than the attribute.
    pub fn get_attribute(self, attr: DeviceAttribute) -> CudaResult<i32> {
        driver()?.device_attribute(self.raw, attr as i32)
    }

    /// Whether kernels on this device can reach the memory of `peer`, once
    /// [`Context::enable_peer_access`](crate::context::Context::enable_peer_access) has switched it
    /// on. (An addition to the published names.)
    ///
    /// # Errors
    /// Those of the driver.
    pub fn can_access_peer(self, peer: Device) -> CudaResult<bool> {
        driver()?.can_access_peer(self.raw, peer.raw)
    }

    /// The driver's number for the device.
    pub fn as_raw(&self) -> CUdevice {
        self.raw
    }

    pub(crate) fn from_raw(raw: CUdevice) -> Device {
        Device { raw }
    }
}

/// The devices of a machine, one after the other; made by [`Device::devices`].
#[derive(Clone, Debug)]
pub struct Devices {
    range: Range<u32>,
}

impl Iterator for Devices {
    type Item = CudaResult<Device>;

    fn next(&mut self) -> Option<CudaResult<Device>> {
        self.range.next().map(Device::get_device)
    }
}
