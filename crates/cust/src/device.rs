//! Device enumeration and attributes.

use std::ops::Range;

use crate::driver;
use crate::error::CudaResult;
use crate::sys::CUdevice;

mod attribute;

pub use attribute::DeviceAttribute;

/// CUDA device.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct Device {
    raw: CUdevice,
}

impl Device {
    /// Returns the number of devices.
    ///
    /// # Errors
    /// [`CudaError::NoDriver`](crate::error::CudaError::NoDriver) without a driver;
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

    /// Returns the device with the given ordinal, starting at 0.
    ///
    /// # Errors
    /// [`CudaError::InvalidDevice`](crate::error::CudaError::InvalidDevice) if there is no such
    /// device.
    pub fn get_device(ordinal: u32) -> CudaResult<Device> {
        Ok(Device {
            raw: driver()?.device(ordinal)?,
        })
    }

    /// Returns an iterator over all devices, ordered by ordinal.
    ///
    /// # Errors
    /// See [`Device::num_devices`].
    pub fn devices() -> CudaResult<Devices> {
        Ok(Devices {
            range: 0..Device::num_devices()?,
        })
    }

    /// Returns the total device memory, in bytes.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn total_memory(self) -> CudaResult<usize> {
        driver()?.device_total_memory(self.raw)
    }

    /// Returns the product name, such as "NVIDIA H200".
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn name(self) -> CudaResult<String> {
        driver()?.device_name(self.raw)
    }

    /// Returns the UUID of the device. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// [`CudaError::MissingFunction`](crate::error::CudaError::MissingFunction) before CUDA 9.2.
    pub fn uuid(self) -> CudaResult<[u8; 16]> {
        Ok(driver()?.device_uuid(self.raw)?.bytes)
    }

    /// Returns the free device memory, in bytes, without a context; `None` if the driver's
    /// management library does not report it, or for a part of a GPU (MIG). (Not part of
    /// Rust-CUDA.)
    pub fn free_memory(self) -> Option<usize> {
        let total = self.total_memory().ok()?;
        let memory = cuda_driver::device_memory(driver().ok()?.device_uuid(self.raw).ok()?)?;
        // the total of the management library includes what the driver reserves
        let gpu_total = usize::try_from(memory.total).ok()?;
        let is_whole = (total..=total + total / 8).contains(&gpu_total);
        let free = usize::try_from(memory.free).ok()?;
        is_whole.then_some(free.min(total))
    }

    /// Returns the compute capability, such as (9, 0) for sm_90. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn compute_capability(self) -> CudaResult<(i32, i32)> {
        driver()?.compute_capability(self.raw)
    }

    /// Returns an attribute of the device.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::error::CudaError::InvalidValue) if the driver does not
    /// support the attribute.
    pub fn get_attribute(self, attr: DeviceAttribute) -> CudaResult<i32> {
        driver()?.device_attribute(self.raw, attr as i32)
    }

    /// Returns `true` if kernels on this device can access the memory of `peer`, after
    /// [`Context::enable_peer_access`](crate::context::Context::enable_peer_access). (Not part of
    /// Rust-CUDA.)
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn can_access_peer(self, peer: Device) -> CudaResult<bool> {
        driver()?.can_access_peer(self.raw, peer.raw)
    }

    /// Returns the driver's device handle.
    pub fn as_raw(&self) -> CUdevice {
        self.raw
    }

    pub(crate) fn from_raw(raw: CUdevice) -> Device {
        Device { raw }
    }
}

/// Iterator over the devices of the machine; see [`Device::devices`].
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
