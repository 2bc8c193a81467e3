//! Pinned host memory.

use super::{
    Device, DeviceError, Element, Inner,
    cuda::CudaHostMemory,
    pinned_registry::{forget, remember},
};
use std::{
    fmt,
    ops::{Deref, DerefMut},
};

/// `len` elements of page-locked host memory: copies to and from a CUDA device are asynchronous and
/// overlap with kernels. Pinned memory is a limited resource of the machine; free it as soon as
/// possible. For the CPU it is ordinary memory.
///
/// ```
/// use ferrovox::device::Device;
///
/// let mut samples = Device::best().pinned::<u32>(1000)?;
/// samples[7] = 1;
/// assert_eq!(samples.iter().sum::<u32>(), 1);
/// # Ok::<(), ferrovox::device::DeviceError>(())
/// ```
pub struct HostBuffer<T> {
    memory: HostMemory<T>,
}

enum HostMemory<T> {
    Ordinary(Vec<T>),
    Pinned { memory: CudaHostMemory, len: usize },
}

impl<T: Element> HostBuffer<T> {
    pub(super) fn new(device: &Device, len: usize) -> Result<Self, DeviceError> {
        let bytes = super::Buffer::<T>::bytes_for(len)?;
        let memory = match device.inner() {
            Inner::Cuda(cuda) if bytes > 0 => {
                let mut memory = cuda.host_memory(bytes)?;
                memory.bytes_mut().fill(0);
                remember(memory.bytes());
                HostMemory::Pinned { memory, len }
            }
            _ => HostMemory::Ordinary(bytemuck::allocation::zeroed_vec(len)),
        };
        Ok(Self { memory })
    }
}

impl<T: Element> Deref for HostBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.memory {
            HostMemory::Ordinary(elements) => elements,
            // page-aligned, and exactly as long as the elements
            HostMemory::Pinned { memory, len } => &bytemuck::cast_slice(memory.bytes())[..*len],
        }
    }
}

impl<T: Element> DerefMut for HostBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.memory {
            HostMemory::Ordinary(elements) => elements,
            HostMemory::Pinned { memory, len } => {
                &mut bytemuck::cast_slice_mut(memory.bytes_mut())[..*len]
            }
        }
    }
}

impl<T> Drop for HostBuffer<T> {
    fn drop(&mut self) {
        if let HostMemory::Pinned { memory, .. } = &self.memory {
            forget(memory.bytes());
        }
    }
}

impl<T> fmt::Debug for HostBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = match &self.memory {
            HostMemory::Ordinary(elements) => elements.len(),
            HostMemory::Pinned { len, .. } => *len,
        };
        write!(f, "HostBuffer({len} × {})", std::any::type_name::<T>())
    }
}
