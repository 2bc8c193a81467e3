//! Fills of device memory with a value. `count` is a number of values, not bytes.

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUdeviceptr, CUstream};

impl Driver {
    /// Fills memory with 1-byte values, ordered with the default stream (`cuMemsetD8`). May return
    /// before the fill is complete.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for an unallocated range.
    ///
    /// # Safety
    /// 1. `address` is a device range of `count` bytes that no work uses during the fill.
    pub unsafe fn fill_8(&self, address: CUdeviceptr, value: u8, count: usize) -> CudaResult<()> {
        let fill = self.table.memset_d8.get()?;
        // SAFETY: the caller's guarantee (1).
        check(unsafe { fill(address, value, count) })
    }

    /// Fills memory with 2-byte values (`cuMemsetD16`); see [`Driver::fill_8`].
    ///
    /// # Errors
    /// See [`Driver::fill_8`]; also an error if the address is odd.
    ///
    /// # Safety
    /// 1. `address` is a device range of 2 × `count` bytes that no work uses during the fill.
    pub unsafe fn fill_16(&self, address: CUdeviceptr, value: u16, count: usize) -> CudaResult<()> {
        let fill = self.table.memset_d16.get()?;
        // SAFETY: the caller's guarantee (1).
        check(unsafe { fill(address, value, count) })
    }

    /// Fills memory with 4-byte values (`cuMemsetD32`); see [`Driver::fill_8`].
    ///
    /// # Errors
    /// See [`Driver::fill_8`]; also an error if the address is not a multiple of 4.
    ///
    /// # Safety
    /// 1. `address` is a device range of 4 × `count` bytes that no work uses during the fill.
    pub unsafe fn fill_32(&self, address: CUdeviceptr, value: u32, count: usize) -> CudaResult<()> {
        let fill = self.table.memset_d32.get()?;
        // SAFETY: the caller's guarantee (1).
        check(unsafe { fill(address, value, count) })
    }

    /// Queues a fill with 1-byte values in `stream` (`cuMemsetD8Async`).
    ///
    /// # Errors
    /// See [`Driver::fill_8`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `address` is a device range of `count` bytes that no other work uses until the fill is
    ///    complete.
    pub unsafe fn fill_8_async(
        &self,
        address: CUdeviceptr,
        value: u8,
        count: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let fill = self.table.memset_d8_async.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { fill(address, value, count, stream) })
    }

    /// Queues a fill with 2-byte values in `stream` (`cuMemsetD16Async`).
    ///
    /// # Errors
    /// See [`Driver::fill_16`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `address` is a device range of 2 × `count` bytes that no other work uses until the fill
    ///    is complete.
    pub unsafe fn fill_16_async(
        &self,
        address: CUdeviceptr,
        value: u16,
        count: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let fill = self.table.memset_d16_async.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { fill(address, value, count, stream) })
    }

    /// Queues a fill with 4-byte values in `stream` (`cuMemsetD32Async`).
    ///
    /// # Errors
    /// See [`Driver::fill_32`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `address` is a device range of 4 × `count` bytes that no other work uses until the fill
    ///    is complete.
    pub unsafe fn fill_32_async(
        &self,
        address: CUdeviceptr,
        value: u32,
        count: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let fill = self.table.memset_d32_async.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { fill(address, value, count, stream) })
    }
}
