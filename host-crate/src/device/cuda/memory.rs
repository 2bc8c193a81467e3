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
    memory::{DeviceBuffer, DevicePointer, DeviceSlice, LockedBuffer, mem_get_info},
};
use std::sync::Arc;

/// Bytes on the device. When dropped they return to the stream that allocated them, in stream
/// order.
pub(in crate::device) struct CudaMemory {
    storage: Storage,
    bytes: usize,
    owner: Arc<StreamOwner>,
}

/// Owner of the bytes.
enum Storage {
    /// Allocated here; `None` only during drop.
    Owned(Option<DeviceBuffer<u8>>),
    /// Memory of another library, which a [`Borrowed`](crate::device::Borrowed) buffer only reads.
    Borrowed(DeviceSlice<u8>),
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
            unsafe {
                let pool = shared.memory_pool.as_deref();
                DeviceBuffer::<u8>::uninitialized_from_pool_async(size, pool, &owner.stream)
            }
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
                    storage: Storage::Owned(Some(buffer)),
                    bytes,
                    owner: owner.clone(),
                })
            }
            Err(CudaError::OutOfMemory) => Err(out_of_memory(shared, bytes)),
            Err(error) => Err(shared.error(format!("allocating {bytes} bytes"), error)),
        }
    }

    /// Creates memory that refers to `bytes` bytes at an address of the device.
    ///
    /// # Safety
    /// The bytes must stay allocated and unchanged until the memory is dropped and the work that
    /// uses it has finished.
    pub(super) unsafe fn borrow(
        owner: &Arc<StreamOwner>,
        address: u64,
        bytes: usize,
    ) -> Result<Self, DeviceError> {
        let slice = owner.shared.with("borrowing memory", || {
            // SAFETY: guaranteed by the caller.
            Ok(unsafe { DeviceSlice::from_raw_parts(DevicePointer::from_raw(address), bytes) })
        })?;
        users::register_borrow(address, bytes, owner);
        Ok(Self {
            storage: Storage::Borrowed(slice),
            bytes,
            owner: owner.clone(),
        })
    }

    /// Returns `false` if the memory belongs to another library.
    pub fn is_owned(&self) -> bool {
        matches!(self.storage, Storage::Owned(_))
    }

    /// Returns the device address of the first byte.
    pub fn pointer(&self) -> u64 {
        self.slice().as_device_ptr().as_raw()
    }

    pub(super) fn slice(&self) -> DeviceSlice<u8> {
        match &self.storage {
            Storage::Owned(buffer) => {
                let buffer = buffer.as_ref().expect("taken only when dropped");
                // a pooled block may be larger than requested; a buffer is freed in its own
                // context, even if another one is current
                buffer.index(0..self.bytes)
            }
            Storage::Borrowed(slice) => *slice,
        }
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        let Storage::Owned(buffer) = &mut self.storage else {
            users::unregister_borrow(self.pointer(), self.bytes, &self.owner);
            return;
        };
        let Some(buffer) = buffer.take() else {
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
