//! Memory of a CUDA device.
//!
//! Freed memory is kept by its stream and reused: the driver's own pool takes microseconds per
//! allocation, and occasionally a tenth of a millisecond to map memory again.
//! `FERROVOX_MEMORY_POOL=off` disables this for tools that trace allocations.

use super::{
    Shared,
    owner::StreamOwner,
    pool::{block_size, is_enabled},
    users,
};
use crate::device::DeviceError;
use cust::{
    error::CudaError,
    memory::{DeviceBuffer, DeviceSlice, LockedBuffer, mem_get_info},
};
use std::sync::Arc;

/// Bytes on the device. When dropped they return to the stream that allocated them, in stream
/// order.
pub(in crate::device) struct CudaMemory {
    /// `None` only during drop.
    buffer: Option<DeviceBuffer<u8>>,
    bytes: usize,
    owner: Arc<StreamOwner>,
}

impl CudaMemory {
    pub(super) fn new(owner: &Arc<StreamOwner>, bytes: usize) -> Result<Self, DeviceError> {
        let shared = &owner.shared;
        let size = block_size(bytes);
        let pooled = if size == 0 {
            None
        } else {
            owner.pool.acquire(size)
        };
        let allocate = || {
            // SAFETY: nothing reads the bytes before they are written: the contents of an
            // allocation are documented as unspecified.
            unsafe { DeviceBuffer::<u8>::uninitialized_async(size, &owner.stream) }
        };
        let allocated = match pooled {
            Some(buffer) => Ok(buffer),
            None => match allocate() {
                // retry once with the memory that the pools of this device's streams hold
                Err(CudaError::OutOfMemory) => shared.clear_pools().and_then(|()| allocate()),
                result => result,
            },
        };
        match allocated {
            Ok(buffer) => {
                users::register_memory(buffer.as_device_ptr().as_raw(), bytes, owner);
                Ok(Self {
                    buffer: Some(buffer),
                    bytes,
                    owner: owner.clone(),
                })
            }
            Err(CudaError::OutOfMemory) => Err(out_of_memory(shared, bytes)),
            Err(error) => Err(shared.error(format!("allocating {bytes} bytes"), error)),
        }
    }

    /// Returns the device address of the first byte.
    pub fn pointer(&self) -> u64 {
        self.slice().as_device_ptr().as_raw()
    }

    pub(super) fn slice(&self) -> DeviceSlice<u8> {
        let buffer = self.buffer.as_ref().expect("taken only when dropped");
        // a pooled block may be larger than requested; a buffer is freed in its own context, even
        // if another one is current
        buffer.index(0..self.bytes)
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        let Some(buffer) = self.buffer.take() else {
            return;
        };
        users::unregister_memory(buffer.as_device_ptr().as_raw(), self.bytes, &self.owner);
        if is_enabled() && !buffer.is_empty() {
            self.owner.pool.release(buffer);
        }
    }
}

/// Pinned bytes on the host.
pub(in crate::device) struct CudaHostMemory {
    buffer: LockedBuffer<u8>,
}

impl CudaHostMemory {
    pub(super) fn new(shared: &Shared, bytes: usize) -> Result<Self, DeviceError> {
        let what = format!("pinning {bytes} bytes on the host");
        // SAFETY: the one caller writes every byte before it gives the memory out.
        let buffer = shared.with(&what, || unsafe { LockedBuffer::uninitialized(bytes) })?;
        Ok(Self { buffer })
    }

    pub fn bytes(&self) -> &[u8] {
        self.buffer.as_slice()
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.buffer.as_mut_slice()
    }
}

fn out_of_memory(shared: &Shared, bytes: usize) -> DeviceError {
    let Ok((free, total)) = shared.with("asking for its memory", mem_get_info) else {
        let what = format!("allocating {bytes} bytes");
        return shared.error(what, CudaError::OutOfMemory);
    };
    DeviceError::OutOfMemory {
        device: shared.id.clone(),
        requested: bytes as u64,
        free: free as u64,
        total: total as u64,
    }
}
