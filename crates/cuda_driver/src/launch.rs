//! Launches of kernels and host functions.

use std::ffi::c_void;
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUfunction, CUstream, LaunchDims};

impl Driver {
    /// Queues a kernel launch in `stream` (`cuLaunchKernel`). `arguments` contains the address of
    /// each parameter's value, in the kernel's order; the driver copies the values before it
    /// returns.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for launch dimensions that the
    /// device does not support,
    /// [`CudaError::LaunchOutOfResources`](crate::CudaError::LaunchOutOfResources), and errors of
    /// earlier work.
    ///
    /// # Safety
    /// 1. `function` belongs to a loaded module and `stream` (null is the default stream) is live,
    ///    both in the current context.
    /// 2. `arguments` contains one address for each parameter of the kernel, in order, readable for
    ///    the parameter's size and aligned for it.
    /// 3. Memory that the kernel accesses through its parameters is valid until the launch is
    ///    complete, and is free of data races with other work and the host until then.
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
        // SAFETY: the caller's guarantees (1 to 3).
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

    /// Queues a cooperative launch, whose blocks are all resident at the same time and can
    /// synchronize with each other (`cuLaunchCooperativeKernel`).
    ///
    /// # Errors
    /// [`CudaError::CooperativeLaunchTooLarge`](crate::CudaError::CooperativeLaunchTooLarge) if the
    /// grid does not fit on the device; otherwise see [`Driver::launch_kernel`].
    ///
    /// # Safety
    /// 1. The three conditions of [`Driver::launch_kernel`] hold.
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
        // SAFETY: the caller's guarantee (1).
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

    /// Queues a call of a host function in `stream`, to be executed by a thread of the driver
    /// (`cuLaunchHostFunc`).
    ///
    /// # Errors
    /// Errors of the stream; [`CudaError::MissingFunction`](crate::CudaError::MissingFunction)
    /// before CUDA 10.0.
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
        // SAFETY: the caller's guarantees (1 to 3).
        check(unsafe { launch(stream, function, data) })
    }
}
