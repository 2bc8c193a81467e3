//! Copies between host and device, and on the device.

use crate::{
    device::{
        Buffer, DeviceError, DeviceKind, Element, Stream,
        buffer::BufferMemory,
        cpu::{CpuMemory, MIN_FOREIGN_ALIGN},
        cuda::{CudaConstant, CudaMemory, SLOT},
    },
    memory, parallel,
};
use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// Number of bytes that a thread of the CPU copies at a time: large compared with the cost of
/// scheduling.
const COPY_CHUNK: usize = 1 << 20;

/// Number of bytes that [`Stream::fill_with`] requests at a time.
const FILL_BYTES: usize = SLOT;

/// Purpose of the memory of a downloaded buffer, quoted in errors.
const DOWNLOAD: &str = "a copy of a buffer";

impl Stream {
    /// Copies `elements` to a new buffer on the device.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], [`DeviceError::TooLarge`].
    pub fn upload<T: Element>(&self, elements: &[T]) -> Result<Buffer<T>, DeviceError> {
        let mut buffer = self.alloc(elements.len())?;
        self.write(&mut buffer, elements)?;
        Ok(buffer)
    }

    /// Moves `elements` to a new buffer on the device: on the CPU without a copy if they are
    /// aligned to 16 bytes, otherwise as [`upload`](Self::upload) does, after which they are freed.
    ///
    /// ```
    /// let stream = ferrovox::device::Device::best().stream()?;
    /// let buffer = stream.upload_vec(vec![1.5f32; 1 << 16])?;
    /// assert_eq!(stream.download(&buffer)?[65_535], 1.5);
    /// # Ok::<(), ferrovox::device::DeviceError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`upload`](Self::upload).
    pub fn upload_vec<T: Element>(&self, elements: Vec<T>) -> Result<Buffer<T>, DeviceError> {
        let is_aligned = elements.as_ptr().addr().is_multiple_of(MIN_FOREIGN_ALIGN);
        if self.device().kind() != DeviceKind::Cpu || !is_aligned || elements.is_empty() {
            return self.upload(&elements);
        }
        let len = elements.len();
        let memory = BufferMemory::Cpu(CpuMemory::from_vec(elements));
        Ok(Buffer::new(self.device().clone(), memory, len))
    }

    /// Copies `elements` to a buffer of the same length.
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`], [`DeviceError::WrongDevice`].
    pub fn write<T: Element>(
        &self,
        buffer: &mut Buffer<T>,
        elements: &[T],
    ) -> Result<(), DeviceError> {
        if elements.len() != buffer.len() {
            return Err(DeviceError::LengthMismatch {
                from: elements.len(),
                to: buffer.len(),
            });
        }
        self.check_device(buffer)?;
        if let Some(slice) = buffer.as_mut_slice() {
            slice.copy_from_slice(elements);
        } else if let (Some(stream), BufferMemory::Cuda(memory)) = (&self.cuda, buffer.memory()) {
            stream.copy_to_device(memory, 0, bytemuck::cast_slice(elements))?;
        }
        Ok(())
    }

    /// Fills a buffer, which holds the elements from index `start` on of a list, with elements that
    /// `fill(first, elements)` writes, where `first` is the index of the first one in that list.
    /// The function is called on all threads and in any order, until it returns `false`. Each call
    /// fills one block of [`FILL_BYTES`] bytes of the list, or that part of it which the buffer
    /// holds.
    ///
    /// The copies to the device run at the same time. The list is never in memory as a whole.
    ///
    /// # Errors
    /// [`DeviceError::WrongDevice`], and errors of the copies.
    pub(crate) fn fill_with<T: Element>(
        &self,
        buffer: &mut Buffer<T>,
        start: usize,
        fill: impl Fn(usize, &mut [T]) -> bool + Sync,
    ) -> Result<(), DeviceError> {
        const { assert!(FILL_BYTES.is_multiple_of(size_of::<T>())) };
        self.check_device(buffer)?;
        let is_stopped = AtomicBool::new(false);
        let fill = |first: usize, elements: &mut [T]| {
            parallel::unwind_if_cancelled();
            if !is_stopped.load(Relaxed) && !fill(first, elements) {
                is_stopped.store(true, Relaxed);
            }
            !is_stopped.load(Relaxed)
        };
        let block = FILL_BYTES / size_of::<T>();
        if let Some(slice) = buffer.as_mut_slice() {
            let missing = start.next_multiple_of(block) - start;
            let (incomplete, blocks) = slice.split_at_mut(missing.min(slice.len()));
            if !incomplete.is_empty() {
                fill(start, incomplete);
            }
            parallel::for_each_chunk_mut(blocks, block, |first, elements| {
                fill(start + missing + first, elements);
            });
        } else if let (Some(stream), BufferMemory::Cuda(memory)) = (&self.cuda, buffer.memory()) {
            stream.fill_memory(memory, start * size_of::<T>(), &|first, bytes| {
                fill(first / size_of::<T>(), bytemuck::cast_slice_mut(bytes))
            })?;
        }
        Ok(())
    }

    /// Copies the elements of a buffer to the host. Synchronises the stream.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if that, or anything before it on the stream, failed.
    pub fn download<T: Element>(&self, buffer: &Buffer<T>) -> Result<Vec<T>, DeviceError> {
        self.check_device(buffer)?;
        let mut elements = memory::try_zeroed(DOWNLOAD, buffer.len())?;
        self.read(buffer, &mut elements)?;
        Ok(elements)
    }

    /// Enqueues a copy of `elements` to the first elements of a buffer. Returns immediately if they
    /// are [pinned](crate::device::Device::pinned).
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`] for more elements than the buffer has,
    /// [`DeviceError::WrongDevice`].
    ///
    /// # Safety
    /// The elements must live and stay unchanged until the stream has been synchronised.
    pub unsafe fn begin_write<T: Element>(
        &self,
        buffer: &mut Buffer<T>,
        elements: &[T],
    ) -> Result<(), DeviceError> {
        self.check_part(buffer, elements.len(), elements.len(), buffer.len())?;
        if let Some(slice) = buffer.as_mut_slice() {
            slice[..elements.len()].copy_from_slice(elements);
        } else if let (Some(stream), BufferMemory::Cuda(memory)) = (&self.cuda, buffer.memory()) {
            // SAFETY: guaranteed by the caller.
            unsafe { stream.begin_copy_to_device(memory, 0, bytemuck::cast_slice(elements))? };
        }
        Ok(())
    }

    /// Enqueues a copy of the first elements of a buffer to `elements`. Returns immediately if they
    /// are [pinned](crate::device::Device::pinned).
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`] for more elements than the buffer has,
    /// [`DeviceError::WrongDevice`].
    ///
    /// # Safety
    /// The elements must live and not be accessed until the stream has been synchronised.
    pub unsafe fn begin_read<T: Element>(
        &self,
        buffer: &Buffer<T>,
        elements: &mut [T],
    ) -> Result<(), DeviceError> {
        self.check_part(buffer, elements.len(), buffer.len(), elements.len())?;
        if let Some(slice) = buffer.as_slice() {
            copy_in_parallel(slice, elements);
        } else if let (Some(stream), BufferMemory::Cuda(memory)) = (&self.cuda, buffer.memory()) {
            // SAFETY: guaranteed by the caller.
            unsafe { stream.begin_copy_to_host(bytemuck::cast_slice_mut(elements), memory)? };
        }
        Ok(())
    }

    /// Copies the elements of a buffer to a slice of the same length. Synchronises the stream.
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`], [`DeviceError::WrongDevice`], [`DeviceError::Cuda`] if
    /// anything on the stream failed.
    pub fn read<T: Element>(
        &self,
        buffer: &Buffer<T>,
        elements: &mut [T],
    ) -> Result<(), DeviceError> {
        if elements.len() != buffer.len() {
            return Err(DeviceError::LengthMismatch {
                from: buffer.len(),
                to: elements.len(),
            });
        }
        self.read_first(buffer, elements)
    }

    /// Copies the first elements of a buffer to `elements`. Synchronises the stream.
    ///
    /// # Errors
    /// The errors of [`read`](Self::read); [`DeviceError::LengthMismatch`] for more elements than
    /// the buffer has.
    pub(crate) fn read_first<T: Element>(
        &self,
        buffer: &Buffer<T>,
        elements: &mut [T],
    ) -> Result<(), DeviceError> {
        self.check_part(buffer, elements.len(), buffer.len(), elements.len())?;
        if let (Some(stream), BufferMemory::Cuda(memory)) = (&self.cuda, buffer.memory()) {
            return stream.copy_to_host(bytemuck::cast_slice_mut(elements), memory);
        }
        // SAFETY: the stream is synchronised before the borrow ends, also after an error.
        let begun = unsafe { self.begin_read(buffer, elements) };
        let done = self.synchronize();
        begun.and(done)
    }

    fn check_part<T: Element>(
        &self,
        buffer: &Buffer<T>,
        part: usize,
        from: usize,
        to: usize,
    ) -> Result<(), DeviceError> {
        if part > buffer.len() {
            return Err(DeviceError::LengthMismatch { from, to });
        }
        self.check_device(buffer)
    }

    /// Copies a buffer to another of the same length on this device.
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`], [`DeviceError::WrongDevice`].
    pub fn copy<T: Element>(
        &self,
        from: &Buffer<T>,
        to: &mut Buffer<T>,
    ) -> Result<(), DeviceError> {
        if from.len() != to.len() {
            return Err(DeviceError::LengthMismatch {
                from: from.len(),
                to: to.len(),
            });
        }
        self.check_device(from)?;
        self.check_device(to)?;
        match (from.memory(), to.memory(), &self.cuda) {
            (BufferMemory::Cuda(from), BufferMemory::Cuda(to), Some(stream)) => {
                stream.copy_on_device(to, from)
            }
            _ => {
                if let (Some(from), Some(to)) = (from.as_slice(), to.as_mut_slice()) {
                    copy_in_parallel(from, to);
                }
                Ok(())
            }
        }
    }

    /// Enqueues a copy of a range of device memory to the beginning of a constant.
    pub(in crate::device) fn copy_to_constant(
        &self,
        constant: &CudaConstant,
        from: &CudaMemory,
        bytes: Range<usize>,
    ) -> Result<(), DeviceError> {
        match &self.cuda {
            Some(stream) => stream.copy_to_constant(constant, from, bytes),
            None => unreachable!("a constant of a CUDA device has a CUDA stream"),
        }
    }
}

/// Copies the first elements of `from` to `to` on all threads.
fn copy_in_parallel<T: Element>(from: &[T], to: &mut [T]) {
    let chunk = (COPY_CHUNK / size_of::<T>().max(1)).max(1);
    parallel::for_each_chunk_mut(to, chunk, |first, to| {
        to.copy_from_slice(&from[first..][..to.len()]);
    });
}
