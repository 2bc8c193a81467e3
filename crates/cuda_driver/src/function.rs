//! Attributes of kernels.

use std::ffi::c_int;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::CUfunction;

impl Driver {
    /// Returns an attribute of a kernel, by its `CUfunction_attribute` number
    /// (`cuFuncGetAttribute`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for an attribute unknown to the
    /// driver.
    ///
    /// # Safety
    /// 1. `function` belongs to a loaded module.
    pub unsafe fn function_attribute(
        &self,
        function: CUfunction,
        attribute: i32,
    ) -> CudaResult<i32> {
        let get_attribute = self.table.func_get_attribute.get()?;
        let mut value: c_int = 0;
        // SAFETY: a live function (1) and out-parameter.
        check(unsafe { get_attribute(&mut value, attribute, function) })?;
        Ok(value)
    }

    /// Sets an attribute of a kernel, such as the maximum dynamic shared memory in bytes (8) or the
    /// preferred carveout in percent (9) (`cuFuncSetAttribute`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) if the device does not support
    /// the value.
    ///
    /// # Safety
    /// 1. `function` belongs to a loaded module.
    pub unsafe fn set_function_attribute(
        &self,
        function: CUfunction,
        attribute: i32,
        value: i32,
    ) -> CudaResult<()> {
        let set_attribute = self.table.func_set_attribute.get()?;
        // SAFETY: a live function (1); the driver checks the numbers.
        check(unsafe { set_attribute(function, attribute, value) })
    }

    /// Sets the preferred split between L1 cache and shared memory for a kernel
    /// (`cuFuncSetCacheConfig`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `function` belongs to a loaded module.
    pub unsafe fn set_function_cache_config(
        &self,
        function: CUfunction,
        config: i32,
    ) -> CudaResult<()> {
        let set_config = self.table.func_set_cache_config.get()?;
        // SAFETY: a live function (1).
        check(unsafe { set_config(function, config) })
    }

    /// Sets the width of shared-memory banks for a kernel (`cuFuncSetSharedMemConfig`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue).
    ///
    /// # Safety
    /// 1. `function` belongs to a loaded module.
    pub unsafe fn set_function_shared_memory_config(
        &self,
        function: CUfunction,
        config: i32,
    ) -> CudaResult<()> {
        let set_config = self.table.func_set_shared_mem_config.get()?;
        // SAFETY: a live function (1).
        check(unsafe { set_config(function, config) })
    }
}
