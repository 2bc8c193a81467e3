//! Managed (unified) memory, accessible by the host and by devices at the same address.

use std::ffi::{c_int, c_uint, c_void};

use crate::driver::Driver;
use crate::error::{CudaResult, check};
use crate::types::{CUdevice, CUdeviceptr, CUstream};

/// `CU_DEVICE_CPU`: device number of the host.
const HOST: CUdevice = -1;

/// Hint about the use of managed memory. Affects performance only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// The memory is mostly read, so that readers may be given copies; `false` withdraws the hint.
    ReadMostly(bool),
    /// The memory should reside on this device; `None` is the host.
    PreferredLocation(Option<CUdevice>),
    /// Withdraws the preferred location.
    NoPreferredLocation,
}

impl Driver {
    /// Allocates managed memory, accessible by the host and all devices at the same address
    /// (`cuMemAllocManaged`). The memory is uninitialized. Free it with [`Driver::mem_free`].
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::CudaError::OutOfMemory);
    /// [`CudaError::NotSupported`](crate::CudaError::NotSupported) on a device without managed
    /// memory; [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for 0 bytes.
    pub fn mem_alloc_managed(&self, bytes: usize) -> CudaResult<CUdeviceptr> {
        // CU_MEM_ATTACH_GLOBAL: accessible from any stream on any device
        const GLOBAL: c_uint = 1;
        let alloc = self.table.mem_alloc_managed.get()?;
        let mut address: CUdeviceptr = 0;
        // SAFETY: `address` is live for the call.
        check(unsafe { alloc(&mut address, bytes, GLOBAL) })?;
        Ok(address)
    }

    /// Returns `true` if the address belongs to managed memory (`cuPointerGetAttribute`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for an address unknown to the
    /// driver.
    pub fn is_managed(&self, address: CUdeviceptr) -> CudaResult<bool> {
        const IS_MANAGED: c_int = 8;
        let get_attribute = self.table.pointer_get_attribute.get()?;
        // the driver writes a boolean of one or four bytes, depending on its version
        let mut managed: c_uint = 0;
        // SAFETY: four bytes that are live for the call; the address is only looked up.
        check(unsafe { get_attribute((&raw mut managed).cast::<c_void>(), IS_MANAGED, address) })?;
        Ok(managed != 0)
    }

    /// Returns the index of the device whose memory contains the address
    /// (`cuPointerGetAttribute`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for an address unknown to the
    /// driver.
    pub fn pointer_device_ordinal(&self, address: CUdeviceptr) -> CudaResult<i32> {
        const DEVICE_ORDINAL: c_int = 9;
        let get_attribute = self.table.pointer_get_attribute.get()?;
        let mut ordinal: c_int = -1;
        // SAFETY: the value of this attribute is an `int`, which is live for the call; the address
        // is only looked up.
        let status =
            unsafe { get_attribute((&raw mut ordinal).cast::<c_void>(), DEVICE_ORDINAL, address) };
        check(status)?;
        Ok(ordinal)
    }

    /// Queues the migration of managed memory to a device, or to the host for `None`, in `stream`
    /// (`cuMemPrefetchAsync`).
    ///
    /// # Errors
    /// [`CudaError::InvalidValue`](crate::CudaError::InvalidValue) for memory that is not managed,
    /// [`CudaError::InvalidDevice`](crate::CudaError::InvalidDevice) for a device without
    /// concurrent managed access.
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
        // SAFETY: a live stream (1); the driver checks the range, and migration preserves the
        // contents.
        check(unsafe { prefetch(address, bytes, to.unwrap_or(HOST), stream) })
    }

    /// Gives the driver a hint about the use of managed memory (`cuMemAdvise`).
    ///
    /// # Errors
    /// See [`Driver::prefetch`].
    pub fn advise(&self, address: CUdeviceptr, bytes: usize, advice: Advice) -> CudaResult<()> {
        let advise = self.table.mem_advise.get()?;
        let (number, device) = match advice {
            Advice::ReadMostly(true) => (1, 0),
            Advice::ReadMostly(false) => (2, 0),
            Advice::PreferredLocation(device) => (3, device.unwrap_or(HOST)),
            Advice::NoPreferredLocation => (4, 0),
        };
        // SAFETY: plain numbers, checked by the driver; hints do not change the contents of the
        // memory.
        check(unsafe { advise(address, bytes, number, device) })
    }
}
