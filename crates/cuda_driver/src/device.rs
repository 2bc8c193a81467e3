//! Device enumeration and attributes. All functions are safe, because the driver checks the numbers
//! passed to it.

use std::ffi::{c_char, c_int};

use crate::driver::Driver;
use crate::error::{CudaError, CudaResult, check};
use crate::types::{CUdevice, CUuuid};

impl Driver {
    /// Returns the number of devices (`cuDeviceGetCount`).
    ///
    /// # Errors
    /// [`CudaError::NotInitialized`] before [`Driver::init`].
    pub fn device_count(&self) -> CudaResult<u32> {
        let get_count = self.table.device_get_count.get()?;
        let mut count: c_int = 0;
        // SAFETY: `count` is live for the call.
        check(unsafe { get_count(&mut count) })?;
        Ok(u32::try_from(count).unwrap_or(0))
    }

    /// Returns the device with the given ordinal (`cuDeviceGet`).
    ///
    /// # Errors
    /// [`CudaError::InvalidDevice`] if there is no such device.
    pub fn device(&self, ordinal: u32) -> CudaResult<CUdevice> {
        let get_device = self.table.device_get.get()?;
        let ordinal = c_int::try_from(ordinal).map_err(|_| CudaError::InvalidDevice)?;
        let mut device: CUdevice = 0;
        // SAFETY: `device` is live for the call; the driver checks the ordinal.
        check(unsafe { get_device(&mut device, ordinal) })?;
        Ok(device)
    }

    /// Returns the product name, such as "NVIDIA H200" (`cuDeviceGetName`).
    ///
    /// # Errors
    /// [`CudaError::InvalidDevice`].
    pub fn device_name(&self, device: CUdevice) -> CudaResult<String> {
        let get_name = self.table.device_get_name.get()?;
        let mut name = [0u8; 256];
        // SAFETY: the buffer is live and has the length that is passed.
        check(unsafe {
            get_name(
                name.as_mut_ptr().cast::<c_char>(),
                name.len() as c_int,
                device,
            )
        })?;
        let length = name
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(name.len());
        Ok(String::from_utf8_lossy(&name[..length]).into_owned())
    }

    /// Returns the UUID of the device (`cuDeviceGetUuid`).
    ///
    /// # Errors
    /// [`CudaError::InvalidDevice`]; [`CudaError::MissingFunction`] before CUDA 9.2.
    pub fn device_uuid(&self, device: CUdevice) -> CudaResult<CUuuid> {
        let get_uuid = self.table.device_get_uuid.get()?;
        let mut uuid = CUuuid::default();
        // SAFETY: `uuid` is live and has the driver's layout, 16 bytes.
        check(unsafe { get_uuid(&mut uuid, device) })?;
        Ok(uuid)
    }

    /// Returns the total device memory, in bytes (`cuDeviceTotalMem`).
    ///
    /// # Errors
    /// [`CudaError::InvalidDevice`].
    pub fn device_total_memory(&self, device: CUdevice) -> CudaResult<usize> {
        let total_mem = self.table.device_total_mem.get()?;
        let mut bytes = 0usize;
        // SAFETY: `bytes` is live for the call.
        check(unsafe { total_mem(&mut bytes, device) })?;
        Ok(bytes)
    }

    /// Returns an attribute of a device, by its `CUdevice_attribute` number
    /// (`cuDeviceGetAttribute`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`] for an attribute unknown to the driver,
    /// [`CudaError::InvalidDevice`].
    pub fn device_attribute(&self, device: CUdevice, attribute: i32) -> CudaResult<i32> {
        let get_attribute = self.table.device_get_attribute.get()?;
        let mut value: c_int = 0;
        // SAFETY: `value` is live for the call; the driver checks attribute and device.
        check(unsafe { get_attribute(&mut value, attribute, device) })?;
        Ok(value)
    }

    /// Returns the device's compute capability, such as (9, 0) for sm_90.
    ///
    /// # Errors
    /// [`CudaError::InvalidDevice`].
    pub fn compute_capability(&self, device: CUdevice) -> CudaResult<(i32, i32)> {
        const MAJOR: i32 = 75;
        const MINOR: i32 = 76;
        Ok((
            self.device_attribute(device, MAJOR)?,
            self.device_attribute(device, MINOR)?,
        ))
    }
}
