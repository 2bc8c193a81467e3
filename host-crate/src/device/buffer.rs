//! Typed memory on a device.

use super::{Device, DeviceError, cpu::CpuMemory, cuda::CudaMemory};
use cuda_std::{View, ViewMut};
use std::{fmt, marker::PhantomData};

/// What a buffer can hold: plain data without padding, any bytes of which are a value.
pub trait Element: bytemuck::Pod + Send + Sync {}

impl<T: bytemuck::Pod + Send + Sync> Element for T {}

/// `len` elements on a device, freed when dropped (in the order of the stream that allocated it).
///
/// Kernels see it as a [`View`] or [`ViewMut`], which borrow the buffer: one that is written by a
/// launch is read or written by nothing else in that launch.
///
/// It belongs to the stream that allocated it, and may be used by others of its device: what they
/// do with it waits for what its other users had to do by then, and it goes back to its stream when
/// all of them are done.
pub struct Buffer<T> {
    memory: BufferMemory,
    len: usize,
    device: Device,
    element: PhantomData<T>,
}

pub(super) enum BufferMemory {
    Cpu(CpuMemory),
    Cuda(CudaMemory),
}

impl<T: Element> Buffer<T> {
    pub(super) fn new(device: Device, memory: BufferMemory, len: usize) -> Self {
        device.usage().add((len * size_of::<T>()) as u64);
        Self {
            memory,
            len,
            device,
            element: PhantomData,
        }
    }

    /// How many bytes `len` elements take.
    pub(super) fn bytes_for(len: usize) -> Result<usize, DeviceError> {
        let size = size_of::<T>();
        match len.checked_mul(size) {
            Some(bytes) if bytes <= isize::MAX as usize => Ok(bytes),
            _ => Err(DeviceError::TooLarge { len, size }),
        }
    }

    /// How many elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes it takes on the device.
    pub fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The device it is on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The buffer as a kernel reads it: an argument of a launch. Using its elements elsewhere on
    /// the host panics.
    pub fn view(&self) -> View<'_, T> {
        View::for_launch(self.pointer(), self.len)
    }

    /// The buffer as a kernel writes it; as [`view`](Self::view).
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut::for_launch(self.pointer(), self.len)
    }

    /// The address of the first element, on the device.
    pub fn pointer(&self) -> *mut T {
        match &self.memory {
            BufferMemory::Cpu(memory) => memory.pointer().cast(),
            BufferMemory::Cuda(memory) => memory.pointer() as *mut T,
        }
    }

    pub(super) fn memory(&self) -> &BufferMemory {
        &self.memory
    }

    /// The elements in the CPU's memory, if that is where they are.
    pub(super) fn as_slice(&self) -> Option<&[T]> {
        let BufferMemory::Cpu(memory) = &self.memory else {
            return None;
        };
        // SAFETY: `len` elements, initialised by the allocation; any bytes are a `T`.
        Some(unsafe { std::slice::from_raw_parts(memory.pointer().cast(), self.len) })
    }

    pub(super) fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        let BufferMemory::Cpu(memory) = &self.memory else {
            return None;
        };
        // SAFETY: as above, and the borrow is exclusive.
        Some(unsafe { std::slice::from_raw_parts_mut(memory.pointer().cast(), self.len) })
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        let bytes = self.len * size_of::<T>();
        self.device.usage().subtract(bytes as u64);
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = std::any::type_name::<T>();
        write!(
            f,
            "Buffer({} × {element} on {})",
            self.len,
            self.device.id()
        )
    }
}
