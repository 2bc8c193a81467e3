//! Settings of the current context: resource limits, cache configuration, stream priorities.

use std::ffi::c_int;

use crate::driver::Driver;
use crate::error::{CudaResult, check};

impl Driver {
    /// Returns a limit of the current context, by its `CUlimit` number (`cuCtxGetLimit`).
    ///
    /// # Errors
    /// [`CudaError::UnsupportedLimit`](crate::CudaError::UnsupportedLimit).
    pub fn context_limit(&self, limit: i32) -> CudaResult<usize> {
        let get_limit = self.table.ctx_get_limit.get()?;
        let mut value = 0usize;
        // SAFETY: `value` is live for the call; the driver checks the number.
        check(unsafe { get_limit(&mut value, limit) })?;
        Ok(value)
    }

    /// Sets a limit of the current context (`cuCtxSetLimit`).
    ///
    /// # Errors
    /// [`CudaError::UnsupportedLimit`](crate::CudaError::UnsupportedLimit).
    pub fn set_context_limit(&self, limit: i32, value: usize) -> CudaResult<()> {
        let set_limit = self.table.ctx_set_limit.get()?;
        // SAFETY: plain numbers, checked by the driver.
        check(unsafe { set_limit(limit, value) })
    }

    /// Returns the preferred split between L1 cache and shared memory (`cuCtxGetCacheConfig`).
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) if no context is current.
    pub fn context_cache_config(&self) -> CudaResult<i32> {
        let get_config = self.table.ctx_get_cache_config.get()?;
        let mut config: c_int = 0;
        // SAFETY: `config` is live for the call.
        check(unsafe { get_config(&mut config) })?;
        Ok(config)
    }

    /// Sets the preferred split between L1 cache and shared memory (`cuCtxSetCacheConfig`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    pub fn set_context_cache_config(&self, config: i32) -> CudaResult<()> {
        let set_config = self.table.ctx_set_cache_config.get()?;
        // SAFETY: a plain number, checked by the driver.
        check(unsafe { set_config(config) })
    }

    /// Returns the width of shared-memory banks (`cuCtxGetSharedMemConfig`).
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) if no context is current.
    pub fn context_shared_memory_config(&self) -> CudaResult<i32> {
        let get_config = self.table.ctx_get_shared_mem_config.get()?;
        let mut config: c_int = 0;
        // SAFETY: `config` is live for the call.
        check(unsafe { get_config(&mut config) })?;
        Ok(config)
    }

    /// Sets the width of shared-memory banks (`cuCtxSetSharedMemConfig`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    pub fn set_context_shared_memory_config(&self, config: i32) -> CudaResult<()> {
        let set_config = self.table.ctx_set_shared_mem_config.get()?;
        // SAFETY: a plain number, checked by the driver.
        check(unsafe { set_config(config) })
    }

    /// Returns the lowest and the highest stream priority (`cuCtxGetStreamPriorityRange`); smaller
    /// numbers are higher priorities.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) if no context is current.
    pub fn stream_priority_range(&self) -> CudaResult<(i32, i32)> {
        let get_range = self.table.ctx_get_stream_priority_range.get()?;
        let (mut lowest, mut highest): (c_int, c_int) = (0, 0);
        // SAFETY: both out-parameters are live for the call.
        check(unsafe { get_range(&mut lowest, &mut highest) })?;
        Ok((lowest, highest))
    }
}
