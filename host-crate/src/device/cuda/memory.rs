//! Memory of a CUDA device.

use super::{Shared, stream::StreamOwner};
use crate::device::DeviceError;
use cust::{
    error::CudaError,
    memory::{DeviceBuffer, DeviceSlice, LockedBuffer, mem_get_info},
};

/// Bytes on the device, allocated and freed in the order of a stream.
pub(in crate::device) struct CudaMemory {
    /// Freed in the order of its stream when dropped.
    buffer: DeviceBuffer<u8>,
}

impl CudaMemory {
    pub(super) fn new(stream: &StreamOwner, bytes: usize) -> Result<Self, DeviceError> {
        let shared = &stream.shared;
        // SAFETY: nothing reads the bytes before they are written: what an allocation holds is documented as unspecified.
        let allocated = unsafe { DeviceBuffer::<u8>::uninitialized_async(bytes, &stream.stream) };
        match allocated {
            Ok(buffer) => Ok(Self { buffer }),
            Err(CudaError::OutOfMemory) => Err(out_of_memory(shared, bytes)),
            Err(error) => Err(shared.error(format!("allocating {bytes} bytes"), error)),
        }
    }

    /// The address of the first byte, on the device.
    pub fn pointer(&self) -> u64 {
        self.buffer.as_device_ptr().as_raw()
    }

    pub(super) fn slice(&self) -> DeviceSlice<u8> {
        *self.buffer
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
    let (free, total) = shared
        .with("asking for its memory", mem_get_info)
        .unwrap_or_default();
    DeviceError::OutOfMemory {
        device: shared.id.clone(),
        requested: bytes as u64,
        free: free as u64,
        total: total as u64,
    }
}
