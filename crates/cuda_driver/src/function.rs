//! Attributes of a kernel.

use std::ffi::c_int;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::CUfunction;

impl Driver {
    /// `cuFuncGetAttribute`: one figure of a kernel, by the attribute's number.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for an attribute this driver
    /// does not know.
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

    /// `cuFuncSetAttribute`: sets one attribute of a kernel, such as the most dynamic shared memory
    /// (8) or the preferred carveout in per cent (9).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) where the device cannot do it.
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

    /// `cuFuncSetCacheConfig`: how L1 cache and shared memory should divide their storage while
    /// this kernel runs.
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

    /// `cuFuncSetSharedMemConfig`: the width of a shared-memory bank while this kernel runs.
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
