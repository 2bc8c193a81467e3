//! Copies of rows that lie apart, and memory for them.

use std::ffi::{c_uint, c_void};
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUdeviceptr, CUstream, Memcpy2d, Memcpy2dEnd};

/// Rows in memory: where the first begins, and the bytes from the begin of one to the begin of the
/// next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// On the host.
    Host {
        /// Where the first row begins.
        start: *mut c_void,
        /// Bytes from row to row.
        pitch: usize,
    },
    /// On the device.
    Device {
        /// Where the first row begins.
        start: CUdeviceptr,
        /// Bytes from row to row.
        pitch: usize,
    },
}

impl Rows {
    fn end<P>(self, as_host: impl FnOnce(*mut c_void) -> P) -> Memcpy2dEnd<P> {
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

fn copy_of(destination: Rows, source: Rows, width_bytes: usize, height: usize) -> Memcpy2d {
    Memcpy2d {
        source: source.end(<*mut c_void>::cast_const),
        destination: destination.end(|host| host),
        width_bytes,
        height,
    }
}

impl Driver {
    /// `cuMemcpy2D`: copies `height` rows of `width_bytes` bytes; returns as
    /// [`Driver::copy_to_device`], [`Driver::copy_to_host`] and [`Driver::copy_on_device`] do.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for a pitch below the width or
    /// beyond what the device can have, and for device ranges that are not allocated.
    ///
    /// # Safety
    /// 1. Each row of the source is readable, and each of the destination writable, for
    ///    `width_bytes` bytes; they do not overlap.
    /// 2. No work uses the destination, or writes the source, meanwhile.
    pub unsafe fn copy_2d(
        &self,
        destination: Rows,
        source: Rows,
        width_bytes: usize,
        height: usize,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_2d.get()?;
        let what = copy_of(destination, source, width_bytes, height);
        // SAFETY: the caller's promises (1, 2); the description is live for the call.
        check(unsafe { copy(&what) })
    }

    /// `cuMemcpy2DAsync`: [`Driver::copy_2d`], queued in `stream`.
    ///
    /// # Errors
    /// As [`Driver::copy_2d`].
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    /// 2. As [`Driver::copy_2d`], until the copy is done.
    pub unsafe fn copy_2d_async(
        &self,
        destination: Rows,
        source: Rows,
        width_bytes: usize,
        height: usize,
        stream: CUstream,
    ) -> CudaResult<()> {
        let copy = self.table.memcpy_2d_async.get()?;
        let what = copy_of(destination, source, width_bytes, height);
        // SAFETY: the caller's promises (1, 2); the driver reads the description before it returns.
        check(unsafe { copy(&what, stream) })
    }

    /// `cuMemAllocPitch`: device memory for `height` rows of `width_bytes` bytes, and the bytes
    /// from row to row: as many as let each row begin where the device reads best. `element_bytes`
    /// is 4, 8 or 16: the most that a thread reads at a time.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::CudaError::OutOfMemory);
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for 0 bytes and for other
    /// elements.
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
