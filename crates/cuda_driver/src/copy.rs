//! Copies between host and device, within a device, and between devices. All sizes are bytes.

use std::ffi::c_void;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUcontext, CUdeviceptr, CUstream};

impl Driver {
    /// `cuMemcpyHtoD`: host to device; returns when the host memory may be reused.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for a device range that is not
    /// allocated, and those of earlier work.
    ///
    /// # Safety
    /// 1. `source` is readable for `bytes` bytes.
    /// 2. `destination` is a device range of `bytes` bytes that no work uses meanwhile.
    pub unsafe fn copy_to_device(
        &self,
        destination: CUdeviceptr,
        source: *const c_void,
        bytes: usize,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_htod.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { copy(destination, source, bytes) })
    }

    /// `cuMemcpyDtoH`: device to host; returns when the data has arrived.
    ///
    /// # Errors
    /// As [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. `destination` is writable for `bytes` bytes.
    /// 2. `source` is a device range of `bytes` bytes that no work writes meanwhile.
    pub unsafe fn copy_to_host(
        &self,
        destination: *mut c_void,
        source: CUdeviceptr,
        bytes: usize,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_dtoh.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { copy(destination, source, bytes) })
    }

    /// `cuMemcpyDtoD`: within a device, in order with the default stream; may return before it is
    /// done.
    ///
    /// # Errors
    /// As [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. Both are device ranges of `bytes` bytes that do not overlap.
    /// 2. No work uses the destination, or writes the source, meanwhile.
    pub unsafe fn copy_on_device(
        &self,
        destination: CUdeviceptr,
        source: CUdeviceptr,
        bytes: usize,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_dtod.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { copy(destination, source, bytes) })
    }

    /// `cuMemcpyHtoDAsync`: queued in `stream`.
    ///
    /// # Errors
    /// As [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `source` is readable for `bytes` bytes, and stays so unchanged, until the copy is done.
    /// 3. `destination` is a device range of `bytes` bytes that no other work uses until then.
    pub unsafe fn copy_to_device_async(
        &self,
        destination: CUdeviceptr,
        source: *const c_void,
        bytes: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_htod_async.get()?;
        // SAFETY: the caller's promises (1 to 3).
        check(unsafe { copy(destination, source, bytes, stream) })
    }

    /// `cuMemcpyDtoHAsync`: queued in `stream`.
    ///
    /// # Errors
    /// As [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `destination` is writable for `bytes` bytes, and nothing else uses it, until the copy is
    ///    done.
    /// 3. `source` is a device range of `bytes` bytes that no other work writes until then.
    pub unsafe fn copy_to_host_async(
        &self,
        destination: *mut c_void,
        source: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_dtoh_async.get()?;
        // SAFETY: the caller's promises (1 to 3).
        check(unsafe { copy(destination, source, bytes, stream) })
    }

    /// `cuMemcpyDtoDAsync`: queued in `stream`.
    ///
    /// # Errors
    /// As [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. Both are device ranges of `bytes` bytes that do not overlap.
    /// 3. No other work uses the destination, or writes the source, until the copy is done.
    pub unsafe fn copy_on_device_async(
        &self,
        destination: CUdeviceptr,
        source: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_dtod_async.get()?;
        // SAFETY: the caller's promises (1 to 3).
        check(unsafe { copy(destination, source, bytes, stream) })
    }

    /// `cuMemcpyPeer`: between two contexts, each address with its own; waits for both devices.
    /// Needs no peer access: without it, the data goes through the host.
    ///
    /// # Errors
    /// As [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. Both contexts are live, and each address is a range of `bytes` bytes of its context.
    /// 2. No work uses the destination, or writes the source, meanwhile.
    pub unsafe fn copy_peer(
        &self,
        destination: (CUdeviceptr, CUcontext),
        source: (CUdeviceptr, CUcontext),
        bytes: usize,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_peer.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { copy(destination.0, destination.1, source.0, source.1, bytes) })
    }

    /// `cuMemcpyPeerAsync`: [`Driver::copy_peer`], queued in `stream`.
    ///
    /// # Errors
    /// As [`Driver::copy_to_device`].
    ///
    /// # Safety
    /// 1. `stream` is live, and its context is current.
    /// 2. Both contexts are live, and each address is a range of `bytes` bytes of its context,
    ///    until the copy is done.
    /// 3. No other work uses the destination, or writes the source, until then.
    pub unsafe fn copy_peer_async(
        &self,
        destination: (CUdeviceptr, CUcontext),
        source: (CUdeviceptr, CUcontext),
        bytes: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_peer_async.get()?;
        // SAFETY: the caller's promises (1 to 3).
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
