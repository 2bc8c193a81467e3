//! Launching kernels and host functions.

use std::ffi::c_void;
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUfunction, CUstream, LaunchDims};

impl Driver {
    /// `cuLaunchKernel`: queues one launch. `arguments` holds, in the kernel's order, the address
    /// of each parameter's value; the driver copies the values before it returns.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for a shape the device cannot
    /// run, [`CudaError::LaunchOutOfResources`](crate::CudaError::LaunchOutOfResources), and those
    /// of earlier work.
    ///
    /// # Safety
    /// 1. `function` belongs to a loaded module and `stream` (null is the default stream) is live,
    ///    both of the current context.
    /// 2. `arguments` holds one address for each parameter of the kernel, in order, each readable
    ///    for the parameter's size and aligned for it.
    /// 3. What the kernel reads and writes through its parameters is valid until the launch has
    ///    run, and nothing else writes there, or reads what it writes, in that time.
    pub unsafe fn launch_kernel(
        &self,
        function: CUfunction,
        dims: LaunchDims,
        stream: CUstream,
        arguments: &[*mut c_void],
    ) -> CudaResult<()> {
        let launch = self.table.launch_kernel.get()?;
        let ([gx, gy, gz], [bx, by, bz]) = (dims.grid, dims.block);
        // The driver's signature takes the array as mutable; it only reads it.
        let addresses = arguments.as_ptr().cast_mut();
        // SAFETY: the caller's promises (1 to 3).
        check(unsafe {
            launch(
                function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                dims.dynamic_shared_bytes,
                stream,
                addresses,
                ptr::null_mut(),
            )
        })
    }

    /// `cuLaunchCooperativeKernel`: a launch whose blocks all run at the same time, so that they
    /// may wait for each other.
    ///
    /// # Errors
    /// [`CudaError::CooperativeLaunchTooLarge`](crate::CudaError::CooperativeLaunchTooLarge) where
    /// the device cannot hold the grid, and as [`Driver::launch_kernel`].
    ///
    /// # Safety
    /// 1. As [`Driver::launch_kernel`], all three.
    pub unsafe fn launch_cooperative_kernel(
        &self,
        function: CUfunction,
        dims: LaunchDims,
        stream: CUstream,
        arguments: &[*mut c_void],
    ) -> CudaResult<()> {
        let launch = self.table.launch_cooperative_kernel.get()?;
        let ([gx, gy, gz], [bx, by, bz]) = (dims.grid, dims.block);
        let addresses = arguments.as_ptr().cast_mut();
        // SAFETY: the caller's promises (1).
        check(unsafe {
            launch(
                function,
                gx,
                gy,
                gz,
                bx,
                by,
                bz,
                dims.dynamic_shared_bytes,
                stream,
                addresses,
            )
        })
    }

    /// `cuLaunchHostFunc`: queues a call of a host function, run by a thread of the driver.
    ///
    /// # Errors
    /// Those of the stream; [`CudaError::DriverLacks`](crate::CudaError::DriverLacks) before CUDA
    /// 10.0.
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `data` may be passed to `function` once, at any later time, on another thread.
    /// 3. `function` does not unwind and does not call the driver.
    pub unsafe fn launch_host_function(
        &self,
        stream: CUstream,
        function: unsafe extern "system" fn(*mut c_void),
        data: *mut c_void,
    ) -> CudaResult<()> {
        let launch = self.table.launch_host_func.get()?;
        // SAFETY: the caller's promises (1 to 3).
        check(unsafe { launch(stream, function, data) })
    }
}
