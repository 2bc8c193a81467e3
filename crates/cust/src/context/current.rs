//! The context that is current on the calling thread.

use super::owner::{self, Owner};
use super::unowned::UnownedContext;
use super::{
    CacheConfig, ContextFlags, ContextHandle, ResourceLimit, SharedMemoryConfig,
    StreamPriorityRange,
};
use crate::device::Device;
use crate::driver;
use crate::error::CudaResult;

/// The context current on the calling thread, whichever it is.
///
/// Every function fails with [`CudaError::InvalidContext`](crate::error::CudaError::InvalidContext)
/// where none is, and with [`CudaError::NoDriver`](crate::error::CudaError::NoDriver) on a machine
/// without a driver.
#[derive(Debug)]
pub struct CurrentContext;

impl CurrentContext {
    /// How L1 cache and shared memory divide their storage.
    ///
    /// # Errors
    /// Where no context is current.
    pub fn get_cache_config() -> CudaResult<CacheConfig> {
        Ok(CacheConfig::from_number(driver()?.context_cache_config()?))
    }

    /// The device of the context.
    ///
    /// # Errors
    /// Where no context is current.
    pub fn get_device() -> CudaResult<Device> {
        Ok(Device::from_raw(driver()?.current_device()?))
    }

    /// The flags the context was made with.
    ///
    /// # Errors
    /// Where no context is current.
    pub fn get_flags() -> CudaResult<ContextFlags> {
        Ok(ContextFlags::from_bits_truncate(
            driver()?.current_context_flags()?,
        ))
    }

    /// The value of a limit.
    ///
    /// # Errors
    /// [`CudaError::UnsupportedLimit`](crate::error::CudaError::UnsupportedLimit).
    pub fn get_resource_limit(resource: ResourceLimit) -> CudaResult<usize> {
        driver()?.context_limit(resource as i32)
    }

    /// The width of a shared-memory bank.
    ///
    /// # Errors
    /// Where no context is current.
    pub fn get_shared_memory_config() -> CudaResult<SharedMemoryConfig> {
        Ok(SharedMemoryConfig::from_number(
            driver()?.context_shared_memory_config()?,
        ))
    }

    /// The priorities streams of the context can have.
    ///
    /// # Errors
    /// Where no context is current.
    pub fn get_stream_priority_range() -> CudaResult<StreamPriorityRange> {
        let (least, greatest) = driver()?.stream_priority_range()?;
        Ok(StreamPriorityRange { least, greatest })
    }

    /// How L1 cache and shared memory should divide their storage.
    ///
    /// # Errors
    /// Where no context is current.
    pub fn set_cache_config(cfg: CacheConfig) -> CudaResult<()> {
        driver()?.set_context_cache_config(cfg as i32)
    }

    /// Sets a limit; the driver may round it, so ask afterwards.
    ///
    /// # Errors
    /// [`CudaError::UnsupportedLimit`](crate::error::CudaError::UnsupportedLimit), and others where
    /// the value cannot be had.
    pub fn set_resource_limit(resource: ResourceLimit, limit: usize) -> CudaResult<()> {
        driver()?.set_context_limit(resource as i32, limit)
    }

    /// Sets the width of a shared-memory bank, on devices where it can be chosen.
    ///
    /// # Errors
    /// Where no context is current.
    pub fn set_shared_memory_config(cfg: SharedMemoryConfig) -> CudaResult<()> {
        driver()?.set_context_shared_memory_config(cfg as i32)
    }

    /// The context, whoever made it. (In the published crate a function of the legacy one only.)
    ///
    /// # Errors
    /// Where no context is current.
    pub fn get_current() -> CudaResult<UnownedContext> {
        Ok(UnownedContext::of(Owner::current()?))
    }

    /// Makes a context current on this thread.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::error::CudaError::InvalidContext) where it was reset,
    /// [`CudaError::ContextIsDestroyed`](crate::error::CudaError::ContextIsDestroyed) for another
    /// library's that is not current.
    pub fn set_current<C: ContextHandle>(c: &C) -> CudaResult<()> {
        let _keep = owner::keep(c.get_inner())?;
        // SAFETY: the context is there.
        unsafe { driver()?.set_current_context(c.get_inner()) }
    }

    /// Waits for everything in the context.
    ///
    /// # Errors
    /// Also those of the work.
    pub fn synchronize() -> CudaResult<()> {
        driver()?.synchronize_context()
    }
}
