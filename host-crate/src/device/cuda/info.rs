//! Properties of CUDA devices that are not opened.

use super::{CudaDevice, Driver};
use crate::device::{Memory, modules};
use cust::device::DeviceAttribute;

/// Value of the attribute `ComputeMode` of a device on which any process may create a context.
const DEFAULT_MODE: i32 = 0;

/// Properties of a device that the driver reports without a context.
pub struct CudaProperties {
    pub name: String,
    pub multiprocessors: u32,
    pub memory: Memory,
}

impl CudaDevice {
    /// Returns the properties of a device without opening it. Returns `None` if its free memory is
    /// not known, if it cannot run the kernels, or if another process may use it exclusively.
    pub fn properties(index: usize) -> Option<CudaProperties> {
        let driver = Driver::get_device(u32::try_from(index).ok()?).ok()?;
        let (major, minor) = driver.compute_capability().ok()?;
        modules::for_capability(u32::try_from(major * 10 + minor).ok()?)?;
        if driver.get_attribute(DeviceAttribute::ComputeMode).ok()? != DEFAULT_MODE {
            return None;
        }
        let multiprocessors = driver.get_attribute(DeviceAttribute::MultiprocessorCount);
        Some(CudaProperties {
            name: driver.name().ok()?,
            multiprocessors: u32::try_from(multiprocessors.ok()?).ok()?,
            memory: Memory {
                free: driver.free_memory()? as u64,
                total: driver.total_memory().ok()? as u64,
            },
        })
    }
}
