//! Initialization and version of the driver.

use crate::driver::Driver;
use crate::error::{CudaResult, check};

impl Driver {
    /// Initializes the driver API (`cuInit`). Required once per process before any call except
    /// [`Driver::version`].
    ///
    /// # Errors
    /// [`CudaError::NoDevice`](crate::CudaError::NoDevice) if a driver is installed but no GPU is
    /// present, and others.
    pub fn init(&self, flags: u32) -> CudaResult<()> {
        let cu_init = self.table.init.get()?;
        // SAFETY: cuInit takes a plain number and may be called at any time from any thread.
        check(unsafe { cu_init(flags) })
    }

    /// Returns the newest CUDA version that the driver supports, as 1000 × major + 10 × minor:
    /// 12040 is CUDA 12.4.
    ///
    /// # Errors
    /// Errors of the driver, which do not occur in practice.
    pub fn version(&self) -> CudaResult<i32> {
        let (status, version) = self.query_version()?;
        check(status)?;
        Ok(version)
    }
}
