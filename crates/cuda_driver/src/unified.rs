//! Memory that host and devices reach at one address.

use std::ffi::{c_int, c_uint, c_void};

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUdevice, CUdeviceptr, CUstream};

/// The number that stands for the host where a device is asked for.
const HOST: CUdevice = -1;

/// What the driver may be told of how memory will be used. It changes how fast the memory is, and
/// nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// It is mostly read, so each reader may have a copy; or no longer so.
    ReadMostly(bool),
    /// It should be in this device's memory; `None` is the host's.
    PreferredLocation(Option<CUdevice>),
    /// It may be anywhere again.
    NoPreferredLocation,
}

impl Driver {
    /// `cuMemAllocManaged`: memory that the host and all devices use at one address, not cleared.
    /// [`Driver::mem_free`] frees it.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::CudaError::OutOfMemory);
    /// [`CudaError::NotSupported`](crate::CudaError::NotSupported) on a device without;
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for 0 bytes.
    pub fn mem_alloc_managed(&self, bytes: usize) -> CudaResult<CUdeviceptr> {
        // Any stream of any device may use it.
        const GLOBAL: c_uint = 1;
        let alloc = self.table.mem_alloc_managed.get()?;
        let mut address: CUdeviceptr = 0;
        // SAFETY: `address` is live for the call.
        check(unsafe { alloc(&mut address, bytes, GLOBAL) })?;
        Ok(address)
    }

    /// `cuPointerGetAttribute`, whether the address is of [`Driver::mem_alloc_managed`].
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for an address that is not the
    /// driver's.
    pub fn is_managed(&self, address: CUdeviceptr) -> CudaResult<bool> {
        const IS_MANAGED: c_int = 8;
        let get_attribute = self.table.pointer_get_attribute.get()?;
        // The driver writes a truth value, of one byte or of four.
        let mut managed: c_uint = 0;
        // SAFETY: four bytes that are live for the call; the address is only looked up.
        check(unsafe { get_attribute((&raw mut managed).cast::<c_void>(), IS_MANAGED, address) })?;
        Ok(managed != 0)
    }

    /// `cuMemPrefetchAsync`: queues in `stream` that managed memory moves to a device, or to the
    /// host for `None`.
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for memory that is not managed,
    /// [`CudaError::InvalidDevice`](crate::CudaError::InvalidDevice) for a device that does not use
    /// managed memory together with the host.
    ///
    /// # Safety
    /// 1. `stream` is live (null is the default stream), and its context is current.
    pub unsafe fn prefetch(
        &self,
        address: CUdeviceptr,
        bytes: usize,
        to: Option<CUdevice>,
        stream: CUstream,
    ) -> CudaResult<()> {
        let prefetch = self.table.mem_prefetch_async.get()?;
        // SAFETY: a live stream (1); the driver checks the range, and moving memory does not change
        // it.
        check(unsafe { prefetch(address, bytes, to.unwrap_or(HOST), stream) })
    }

    /// `cuMemAdvise`: tells the driver how managed memory will be used.
    ///
    /// # Errors
    /// As [`Driver::prefetch`].
    pub fn advise(&self, address: CUdeviceptr, bytes: usize, advice: Advice) -> CudaResult<()> {
        let advise = self.table.mem_advise.get()?;
        let (number, device) = match advice {
            Advice::ReadMostly(true) => (1, 0),
            Advice::ReadMostly(false) => (2, 0),
            Advice::PreferredLocation(device) => (3, device.unwrap_or(HOST)),
            Advice::NoPreferredLocation => (4, 0),
        };
        // SAFETY: plain numbers, checked by the driver; advice does not change what the memory
        // holds.
        check(unsafe { advise(address, bytes, number, device) })
    }
}
