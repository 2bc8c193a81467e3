//! Typed memory on a device.

use super::{
    Device, DeviceError,
    cpu::{CpuMemory, MAX_ELEMENT_ALIGN},
    cuda::CudaMemory,
};
use cuda_std::{View, ViewMut};
use std::{fmt, marker::PhantomData};

/// Types that a buffer can hold: plain data without padding, for which every bit pattern is a
/// value, aligned to at most 4096 bytes.
///
/// A stricter alignment is a compile error:
///
/// ```compile_fail,E0080
/// #[derive(Clone, Copy)]
/// #[repr(C, align(8192))]
/// struct Large([u8; 8192]);
/// // SAFETY: plain bytes without padding.
/// unsafe impl bytemuck::Zeroable for Large {}
/// // SAFETY: as above.
/// unsafe impl bytemuck::Pod for Large {}
///
/// let stream = ferrovox::device::Device::cpu().stream().unwrap();
/// stream.zeros::<Large>(1).unwrap();
/// ```
pub trait Element: bytemuck::Pod + Send + Sync {}

impl<T: bytemuck::Pod + Send + Sync> Element for T {}

/// `len` elements in the memory of a device, freed when dropped, in the order of the stream that
/// allocated them.
///
/// Kernels access a buffer through a [`View`] or [`ViewMut`], which borrow it: a buffer that a
/// launch writes is not read or written by anything else in that launch.
///
/// A buffer belongs to the stream that allocated it, and may be used by other streams of its
/// device. A use on another stream waits for the earlier uses, and the memory returns to its stream
/// when all uses have finished.
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

impl BufferMemory {
    /// Returns `false` if the memory belongs to the caller.
    fn is_owned(&self) -> bool {
        match self {
            Self::Cpu(memory) => !matches!(memory, CpuMemory::Borrowed(_)),
            Self::Cuda(memory) => memory.is_owned(),
        }
    }
}

impl<T: Element> Buffer<T> {
    pub(super) fn new(device: Device, memory: BufferMemory, len: usize) -> Self {
        const {
            assert!(
                align_of::<T>() <= MAX_ELEMENT_ALIGN,
                "elements of a buffer are aligned to at most 4096 bytes"
            );
        }
        if memory.is_owned() {
            device.usage().add((len * size_of::<T>()) as u64);
        }
        Self {
            memory,
            len,
            device,
            element: PhantomData,
        }
    }

    /// Returns the bytes of `len` elements.
    pub(super) fn bytes_for(len: usize) -> Result<usize, DeviceError> {
        let size = size_of::<T>();
        match len.checked_mul(size) {
            Some(bytes) if bytes <= isize::MAX as usize => Ok(bytes),
            _ => Err(DeviceError::TooLarge { len, size }),
        }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if the buffer has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of bytes on the device.
    pub fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// Returns the device of the buffer.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the buffer as a read-only kernel argument. Accessing its elements on the host
    /// panics.
    pub fn view(&self) -> View<'_, T> {
        View::for_launch(self.pointer(), self.len)
    }

    /// Returns the buffer as a writable kernel argument. Accessing its elements on the host panics.
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut::for_launch(self.pointer(), self.len)
    }

    /// Returns the device address of the first element.
    pub fn pointer(&self) -> *mut T {
        match &self.memory {
            BufferMemory::Cpu(memory) => memory.pointer().cast(),
            BufferMemory::Cuda(memory) => memory.pointer() as *mut T,
        }
    }

    pub(super) fn memory(&self) -> &BufferMemory {
        &self.memory
    }

    /// Returns the elements, if the device is the CPU; `None` for CUDA devices.
    pub fn as_slice(&self) -> Option<&[T]> {
        let BufferMemory::Cpu(memory) = &self.memory else {
            return None;
        };
        // SAFETY: `len` elements, initialised by the allocation; any bytes are a `T`.
        Some(unsafe { std::slice::from_raw_parts(memory.pointer().cast(), self.len) })
    }

    /// Returns the elements for modification, if the device is the CPU; `None` for CUDA devices.
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        let BufferMemory::Cpu(memory) = &self.memory else {
            return None;
        };
        // SAFETY: as above, and the borrow is exclusive.
        Some(unsafe { std::slice::from_raw_parts_mut(memory.pointer().cast(), self.len) })
    }
}

impl Buffer<f32> {
    /// Returns the bits of the elements as a writable kernel argument. Accessing them on the host
    /// panics.
    pub(crate) fn bits_mut(&mut self) -> ViewMut<'_, u32> {
        ViewMut::for_launch(self.pointer().cast(), self.len)
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.memory.is_owned() {
            let bytes = self.len * size_of::<T>();
            self.device.usage().subtract(bytes as u64);
        }
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
