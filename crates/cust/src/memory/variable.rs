//! Value on the host with a copy on the device.

use std::ops::{Deref, DerefMut};

use super::{CopyDestination, DeviceBox, DeviceCopy, DevicePointer};
use crate::error::CudaResult;

/// Value on the host with a copy on the device; the two are synchronized explicitly.
#[derive(Debug)]
pub struct DeviceVariable<T: DeviceCopy> {
    on_device: DeviceBox<T>,
    on_host: T,
}

impl<T: DeviceCopy> DeviceVariable<T> {
    /// Creates the variable and copies `var` to the device.
    ///
    /// # Errors
    /// See [`DeviceBox::new`].
    pub fn new(var: T) -> CudaResult<Self> {
        Ok(DeviceVariable {
            on_device: DeviceBox::new(&var)?,
            on_host: var,
        })
    }

    /// Copies the host's value to the device.
    ///
    /// # Errors
    /// Errors of earlier work.
    pub fn copy_htod(&mut self) -> CudaResult<()> {
        self.on_device.copy_from(&self.on_host)
    }

    /// Copies the device's value to the host.
    ///
    /// # Errors
    /// Errors of earlier work.
    pub fn copy_dtoh(&mut self) -> CudaResult<()> {
        self.on_device.copy_to(&mut self.on_host)
    }

    /// Returns the device address.
    pub fn as_device_ptr(&self) -> DevicePointer<T> {
        self.on_device.as_device_ptr()
    }
}

impl<T: DeviceCopy> Deref for DeviceVariable<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.on_host
    }
}

impl<T: DeviceCopy> DerefMut for DeviceVariable<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.on_host
    }
}
