//! The current context of the calling thread.

use super::owner::{self, Owner};
use super::unowned::UnownedContext;
use super::{
    CacheConfig, ContextFlags, ContextHandle, ResourceLimit, SharedMemoryConfig,
    StreamPriorityRange,
};
use crate::device::Device;
use crate::driver;
use crate::error::CudaResult;

/// The current context of the calling thread.
///
/// All functions fail with [`CudaError::InvalidContext`](crate::error::CudaError::InvalidContext)
/// if no context is current, and with [`CudaError::NoDriver`](crate::error::CudaError::NoDriver) if
/// no driver is installed.
#[derive(Debug)]
pub struct CurrentContext;

impl CurrentContext {
    /// Returns the preferred split between L1 cache and shared memory.
    ///
    /// # Errors
    /// If no context is current.
    pub fn get_cache_config() -> CudaResult<CacheConfig> {
        Ok(CacheConfig::from_number(driver()?.context_cache_config()?))
    }

    /// Returns the device of the context.
    ///
    /// # Errors
    /// If no context is current.
    pub fn get_device() -> CudaResult<Device> {
        Ok(Device::from_raw(driver()?.current_device()?))
    }

    /// Returns the flags with which the context was created.
    ///
    /// # Errors
    /// If no context is current.
    pub fn get_flags() -> CudaResult<ContextFlags> {
        Ok(ContextFlags::from_bits_truncate(
            driver()?.current_context_flags()?,
        ))
    }

    /// Returns the value of a resource limit.
    ///
    /// # Errors
    /// [`CudaError::UnsupportedLimit`](crate::error::CudaError::UnsupportedLimit).
    pub fn get_resource_limit(resource: ResourceLimit) -> CudaResult<usize> {
        driver()?.context_limit(resource as i32)
    }

    /// Returns the width of shared-memory banks.
    ///
    /// # Errors
    /// If no context is current.
    pub fn get_shared_memory_config() -> CudaResult<SharedMemoryConfig> {
        Ok(SharedMemoryConfig::from_number(
            driver()?.context_shared_memory_config()?,
        ))
    }

    /// Returns the range of stream priorities.
    ///
    /// # Errors
    /// If no context is current.
    pub fn get_stream_priority_range() -> CudaResult<StreamPriorityRange> {
        let (least, greatest) = driver()?.stream_priority_range()?;
        Ok(StreamPriorityRange { least, greatest })
    }

    /// Sets the preferred split between L1 cache and shared memory.
    ///
    /// # Errors
    /// If no context is current.
    pub fn set_cache_config(cfg: CacheConfig) -> CudaResult<()> {
        driver()?.set_context_cache_config(cfg as i32)
    }

    /// Sets a resource limit; the driver may round the value.
    ///
    /// # Errors
    /// [`CudaError::UnsupportedLimit`](crate::error::CudaError::UnsupportedLimit), and others if
    /// the value is out of range.
    pub fn set_resource_limit(resource: ResourceLimit, limit: usize) -> CudaResult<()> {
        driver()?.set_context_limit(resource as i32, limit)
    }

    /// Sets the width of shared-memory banks, on devices that support it.
    ///
    /// # Errors
    /// If no context is current.
    pub fn set_shared_memory_config(cfg: SharedMemoryConfig) -> CudaResult<()> {
        driver()?.set_context_shared_memory_config(cfg as i32)
    }

    /// Returns the current context, regardless of who created it. (In Rust-CUDA, only a function of
    /// the legacy module.)
    ///
    /// # Errors
    /// If no context is current.
    pub fn get_current() -> CudaResult<UnownedContext> {
        Ok(UnownedContext::from_owner(Owner::current()?))
    }

    /// Makes a context current on this thread.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::error::CudaError::InvalidContext) if it was reset,
    /// [`CudaError::ContextIsDestroyed`](crate::error::CudaError::ContextIsDestroyed) if it belongs
    /// to another library and is not current.
    pub fn set_current<C: ContextHandle>(c: &C) -> CudaResult<()> {
        let _keep = owner::keep_alive(c.get_inner())?;
        // SAFETY: the context is alive.
        unsafe { driver()?.set_current_context(c.get_inner()) }
    }

    /// Waits for all work in the context.
    ///
    /// # Errors
    /// Errors of earlier work.
    pub fn synchronize() -> CudaResult<()> {
        driver()?.synchronize_context()
    }
}
