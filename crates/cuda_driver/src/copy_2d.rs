//! Two-dimensional (pitched) copies and allocations.

use std::ffi::{c_uint, c_void};
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUdeviceptr, CUstream, Memcpy2d, Memcpy2dEnd};

/// Rows of equal length at a constant distance in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Rows in host memory.
    Host {
        /// Address of the first row.
        start: *mut c_void,
        /// Distance between the starts of consecutive rows, in bytes.
        pitch: usize,
    },
    /// Rows in device memory.
    Device {
        /// Address of the first row.
        start: CUdeviceptr,
        /// Distance between the starts of consecutive rows, in bytes.
        pitch: usize,
    },
}

impl Rows {
    fn to_endpoint<P>(self, as_host: impl FnOnce(*mut c_void) -> P) -> Memcpy2dEnd<P> {
        const HOST: i32 = 1;
        const DEVICE: i32 = 2;
        let (memory_type, host, device, pitch) = match self {
            Rows::Host { start, pitch } => (HOST, start, 0, pitch),
            Rows::Device { start, pitch } => (DEVICE, ptr::null_mut(), start, pitch),
        };
        Memcpy2dEnd {
            x_bytes: 0,
            y: 0,
            memory_type,
            host: as_host(host),
            device,
            array: ptr::null_mut(),
            pitch,
        }
    }
}

fn copy_descriptor(destination: Rows, source: Rows, width_bytes: usize, height: usize) -> Memcpy2d {
    Memcpy2d {
        source: source.to_endpoint(<*mut c_void>::cast_const),
        destination: destination.to_endpoint(|host| host),
        width_bytes,
        height,
    }
}

impl Driver {
    /// Copies `height` rows of `width_bytes` bytes each (`cuMemcpy2D`). Completes like
    /// [`Driver::copy_to_device`], [`Driver::copy_to_host`] or [`Driver::copy_on_device`],
    /// depending on the direction.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for a pitch below the width or
    /// above the device's maximum, and for unallocated device ranges.
    ///
    /// # Safety
    /// 1. Each row of the source is readable, and each of the destination writable, for
    ///    `width_bytes` bytes; they do not overlap.
    /// 2. No work uses the destination or writes the source during the copy.
    pub unsafe fn copy_2d(
        &self,
        destination: Rows,
        source: Rows,
        width_bytes: usize,
        height: usize,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_2d.get()?;
        let descriptor = copy_descriptor(destination, source, width_bytes, height);
        // SAFETY: the caller's guarantees (1, 2); the descriptor is live for the call.
        check(unsafe { copy(&descriptor) })
    }

    /// Queues a 2D copy in `stream` (`cuMemcpy2DAsync`); see [`Driver::copy_2d`].
    ///
    /// # Errors
    /// See [`Driver::copy_2d`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. The conditions of [`Driver::copy_2d`] hold until the copy is complete.
    pub unsafe fn copy_2d_async(
        &self,
        destination: Rows,
        source: Rows,
        width_bytes: usize,
        height: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_2d_async.get()?;
        let descriptor = copy_descriptor(destination, source, width_bytes, height);
        // SAFETY: the caller's guarantees (1, 2); the driver reads the descriptor before it
        // returns.
        check(unsafe { copy(&descriptor, stream) })
    }

    /// Allocates device memory for `height` rows of `width_bytes` bytes and returns the address and
    /// the pitch in bytes (`cuMemAllocPitch`). The pitch aligns every row for coalesced access.
    /// `element_bytes` is the largest access of a thread: 4, 8 or 16.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::CudaError::OutOfMemory);
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for 0 bytes and for other
    /// element sizes.
    pub fn mem_alloc_pitch(
        &self,
        width_bytes: usize,
        height: usize,
        element_bytes: u32,
    ) -> CudaResult<(CUdeviceptr, usize)> {
        let alloc = self.table.mem_alloc_pitch.get()?;
        let (mut address, mut pitch): (CUdeviceptr, usize) = (0, 0);
        let element: c_uint = element_bytes;
        // SAFETY: both out-parameters are live for the call.
        check(unsafe { alloc(&mut address, &mut pitch, width_bytes, height, element) })?;
        Ok((address, pitch))
    }
}
