//! Settings of the current context: limits, cache and bank preferences, stream priorities.

use std::ffi::c_int;

use crate::driver::Driver;
use crate::error::{CudaResult, check};

impl Driver {
    /// `cuCtxGetLimit`: one limit of the current context, by its number.
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

    /// `cuCtxSetLimit`: sets one limit of the current context.
    ///
    /// # Errors
    /// [`CudaError::UnsupportedLimit`](crate::CudaError::UnsupportedLimit).
    pub fn set_context_limit(&self, limit: i32, value: usize) -> CudaResult<()> {
        let set_limit = self.table.ctx_set_limit.get()?;
        // SAFETY: plain numbers, checked by the driver.
        check(unsafe { set_limit(limit, value) })
    }

    /// `cuCtxGetCacheConfig`: how L1 cache and shared memory divide their storage.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) where none is current.
    pub fn context_cache_config(&self) -> CudaResult<i32> {
        let get_config = self.table.ctx_get_cache_config.get()?;
        let mut config: c_int = 0;
        // SAFETY: `config` is live for the call.
        check(unsafe { get_config(&mut config) })?;
        Ok(config)
    }

    /// `cuCtxSetCacheConfig`.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    pub fn set_context_cache_config(&self, config: i32) -> CudaResult<()> {
        let set_config = self.table.ctx_set_cache_config.get()?;
        // SAFETY: a plain number, checked by the driver.
        check(unsafe { set_config(config) })
    }

    /// `cuCtxGetSharedMemConfig`: the width of a shared-memory bank.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) where none is current.
    pub fn context_shared_memory_config(&self) -> CudaResult<i32> {
        let get_config = self.table.ctx_get_shared_mem_config.get()?;
        let mut config: c_int = 0;
        // SAFETY: `config` is live for the call.
        check(unsafe { get_config(&mut config) })?;
        Ok(config)
    }

    /// `cuCtxSetSharedMemConfig`.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    pub fn set_context_shared_memory_config(&self, config: i32) -> CudaResult<()> {
        let set_config = self.table.ctx_set_shared_mem_config.get()?;
        // SAFETY: a plain number, checked by the driver.
        check(unsafe { set_config(config) })
    }

    /// `cuCtxGetStreamPriorityRange`: (least, greatest); greater priorities are smaller numbers.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::CudaError::InvalidContext) where none is current.
    pub fn stream_priority_range(&self) -> CudaResult<(i32, i32)> {
        let get_range = self.table.ctx_get_stream_priority_range.get()?;
        let (mut least, mut greatest): (c_int, c_int) = (0, 0);
        // SAFETY: both out-parameters are live for the call.
        check(unsafe { get_range(&mut least, &mut greatest) })?;
        Ok((least, greatest))
    }
}
