//! Fills of device memory with one value. `count` counts values, not bytes.

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUdeviceptr, CUstream};

impl Driver {
    /// `cuMemsetD8`: in order with the default stream; may return before it is done.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for a range that is not
    /// allocated.
    ///
    /// # Safety
    /// 1. `address` is a device range of `count` bytes that no work uses meanwhile.
    pub unsafe fn fill_8(&self, address: CUdeviceptr, value: u8, count: usize) -> CudaResult<()> {
        let fill = self.table.memset_d8.get()?;
        // SAFETY: the caller's promise (1).
        check(unsafe { fill(address, value, count) })
    }

    /// `cuMemsetD16`: as [`Driver::fill_8`] with 2-byte values.
    ///
    /// # Errors
    /// As [`Driver::fill_8`]; also where the address is odd.
    ///
    /// # Safety
    /// 1. `address` is a device range of 2 × `count` bytes that no work uses meanwhile.
    pub unsafe fn fill_16(&self, address: CUdeviceptr, value: u16, count: usize) -> CudaResult<()> {
        let fill = self.table.memset_d16.get()?;
        // SAFETY: the caller's promise (1).
        check(unsafe { fill(address, value, count) })
    }

    /// `cuMemsetD32`: as [`Driver::fill_8`] with 4-byte values.
    ///
    /// # Errors
    /// As [`Driver::fill_8`]; also where the address is no multiple of 4.
    ///
    /// # Safety
    /// 1. `address` is a device range of 4 × `count` bytes that no work uses meanwhile.
    pub unsafe fn fill_32(&self, address: CUdeviceptr, value: u32, count: usize) -> CudaResult<()> {
        let fill = self.table.memset_d32.get()?;
        // SAFETY: the caller's promise (1).
        check(unsafe { fill(address, value, count) })
    }

    /// `cuMemsetD8Async`: queued in `stream`.
    ///
    /// # Errors
    /// As [`Driver::fill_8`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `address` is a device range of `count` bytes that no other work uses until the fill is
    ///    done.
    pub unsafe fn fill_8_async(
        &self,
        address: CUdeviceptr,
        value: u8,
        count: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let fill = self.table.memset_d8_async.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { fill(address, value, count, stream) })
    }

    /// `cuMemsetD16Async`: queued in `stream`.
    ///
    /// # Errors
    /// As [`Driver::fill_16`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `address` is a device range of 2 × `count` bytes that no other work uses until the fill
    ///    is done.
    pub unsafe fn fill_16_async(
        &self,
        address: CUdeviceptr,
        value: u16,
        count: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let fill = self.table.memset_d16_async.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { fill(address, value, count, stream) })
    }

    /// `cuMemsetD32Async`: queued in `stream`.
    ///
    /// # Errors
    /// As [`Driver::fill_32`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. `address` is a device range of 4 × `count` bytes that no other work uses until the fill
    ///    is done.
    pub unsafe fn fill_32_async(
        &self,
        address: CUdeviceptr,
        value: u32,
        count: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let fill = self.table.memset_d32_async.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { fill(address, value, count, stream) })
    }
}
