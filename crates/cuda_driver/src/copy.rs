//! Copies between host and device, within a device, and between devices. All sizes are bytes.

use std::ffi::c_void;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUcontext, CUdeviceptr, CUstream};

impl Driver {
    /// Copies from host to device (`cuMemcpyHtoD`). Returns when the host memory may be reused.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for an unallocated device range,
    /// and errors of earlier work.
    ///
    /// # Safety
    /// 1. `source` is readable for `bytes` bytes.
    /// 2. `destination` is a device range of `bytes` bytes that no work uses during the copy.
    pub unsafe fn copy_to_device(
        &self,
        destination: CUdeviceptr,
        source: *const c_void,
        bytes: usize,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_htod.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { copy(destination, source, bytes) })
    }

    /// Copies from device to host (`cuMemcpyDtoH`). Returns when the copy is complete.
    ///
    /// # Errors
    /// See [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. `destination` is writable for `bytes` bytes.
    /// 2. `source` is a device range of `bytes` bytes that no work writes during the copy.
    pub unsafe fn copy_to_host(
        &self,
        destination: *mut c_void,
        source: CUdeviceptr,
        bytes: usize,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_dtoh.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { copy(destination, source, bytes) })
    }

    /// Copies within a device, ordered with the default stream (`cuMemcpyDtoD`). May return before
    /// the copy is complete.
    ///
    /// # Errors
    /// See [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. Both are device ranges of `bytes` bytes that do not overlap.
    /// 2. No work uses the destination or writes the source during the copy.
    pub unsafe fn copy_on_device(
        &self,
        destination: CUdeviceptr,
        source: CUdeviceptr,
        bytes: usize,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_dtod.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { copy(destination, source, bytes) })
    }

    /// Queues a copy from host to device in `stream` (`cuMemcpyHtoDAsync`).
    ///
    /// # Errors
    /// See [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `source` is readable for `bytes` bytes and unchanged until the copy is complete.
    /// 3. `destination` is a device range of `bytes` bytes that no other work uses until then.
    pub unsafe fn copy_to_device_async(
        &self,
        destination: CUdeviceptr,
        source: *const c_void,
        bytes: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_htod_async.get()?;
        // SAFETY: the caller's guarantees (1 to 3).
        check(unsafe { copy(destination, source, bytes, stream) })
    }

    /// Queues a copy from device to host in `stream` (`cuMemcpyDtoHAsync`).
    ///
    /// # Errors
    /// See [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `destination` is writable for `bytes` bytes and not accessed until the copy is complete.
    /// 3. `source` is a device range of `bytes` bytes that no other work writes until then.
    pub unsafe fn copy_to_host_async(
        &self,
        destination: *mut c_void,
        source: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_dtoh_async.get()?;
        // SAFETY: the caller's guarantees (1 to 3).
        check(unsafe { copy(destination, source, bytes, stream) })
    }

    /// Queues a copy within a device in `stream` (`cuMemcpyDtoDAsync`).
    ///
    /// # Errors
    /// See [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. Both are device ranges of `bytes` bytes that do not overlap.
    /// 3. No other work uses the destination or writes the source until the copy is complete.
    pub unsafe fn copy_on_device_async(
        &self,
        destination: CUdeviceptr,
        source: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_dtod_async.get()?;
        // SAFETY: the caller's guarantees (1 to 3).
        check(unsafe { copy(destination, source, bytes, stream) })
    }

    /// Copies between two contexts, each address being paired with its context; waits for both
    /// devices (`cuMemcpyPeer`). Does not require peer access: without it, the data passes through
    /// the host.
    ///
    /// # Errors
    /// See [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. Both contexts are live, and each address is a range of `bytes` bytes of its context.
    /// 2. No work uses the destination or writes the source during the copy.
    pub unsafe fn copy_peer(
        &self,
        destination: (CUdeviceptr, CUcontext),
        source: (CUdeviceptr, CUcontext),
        bytes: usize,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_peer.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { copy(destination.0, destination.1, source.0, source.1, bytes) })
    }

    /// Queues a copy between two contexts in `stream` (`cuMemcpyPeerAsync`); see
    /// [`Driver::copy_peer`].
    ///
    /// # Errors
    /// See [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. `stream` is live, and its context is current.
    /// 2. Both contexts are live, and each address is a range of `bytes` bytes of its context,
    ///    until the copy is complete.
    /// 3. No other work uses the destination or writes the source until then.
    pub unsafe fn copy_peer_async(
        &self,
        destination: (CUdeviceptr, CUcontext),
        source: (CUdeviceptr, CUcontext),
        bytes: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_peer_async.get()?;
        // SAFETY: the caller's guarantees (1 to 3).
        check(unsafe {
            copy(
                destination.0,
                destination.1,
                source.0,
                source.1,
                bytes,
                stream,
            )
        })
    }
}
