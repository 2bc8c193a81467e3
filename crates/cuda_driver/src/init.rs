//! The start of the driver, and its version.

use crate::driver::Driver;
use crate::error::{CudaResult, check};

impl Driver {
    /// `cuInit`: must have succeeded once in the process before anything but [`Driver::version`] is
    /// called.
    ///
    /// # Errors
    /// [`CudaError::NoDevice`](crate::CudaError::NoDevice) where a driver is installed but no GPU
    /// is present, and others.
    pub fn init(&self, flags: u32) -> CudaResult<()> {
        let cu_init = self.table.init.get()?;
        // SAFETY: cuInit takes a plain number and may be called at any time from any thread.
        check(unsafe { cu_init(flags) })
    }

    /// The newest CUDA version this driver supports, as 1000 × major + 10 × minor: 12040 is CUDA
    /// 12.4.
    ///
    /// # Errors
    /// What the driver answers; none in practice.
    pub fn version(&self) -> CudaResult<i32> {
        let (status, version) = self.ask_version()?;
        check(status)?;
        Ok(version)
    }
}
