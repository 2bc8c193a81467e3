//! Memory and streams of other CUDA libraries in the process, such as PyTorch and CuPy.
//!
//! They use the primary context of a device, as this library does, so that kernels can read their
//! memory in place. A [`Stream`] of this library does not wait for other streams by itself; call
//! [`Stream::wait_for_raw`] before the first use of foreign memory, and [`Stream::signal_raw`] or
//! [`Stream::synchronize`] after the last:
//!
//! ```no_run
//! use ferrovox::device::{Device, DeviceError};
//!
//! # fn total(address: u64, len: usize, their_stream: usize) -> Result<u64, DeviceError> {
//! let device = Device::cuda(Device::cuda_index_at(address)?)?;
//! let stream = device.stream()?;
//! // SAFETY: the caller owns `len` bytes at the address, and their stream.
//! let bytes = unsafe {
//!     stream.wait_for_raw(their_stream)?;
//!     stream.borrow_device_memory::<u8>(address, len)?
//! };
//! let total = stream.download(&bytes)?.iter().map(|&byte| u64::from(byte)).sum();
//! # Ok(total)
//! # }
//! ```

use super::{
    Borrowed, Buffer, Device, DeviceError, Element, Inner, Stream,
    buffer::BufferMemory,
    cpu::MIN_FOREIGN_ALIGN,
    cuda::{CudaDevice, CudaStream},
};

impl Device {
    /// Returns the index of the CUDA device that owns the memory at `address`.
    ///
    /// # Errors
    /// [`DeviceError::NoDriver`] on a machine without a driver, [`DeviceError::Cuda`] if the
    /// address is not in the memory of a device.
    pub fn cuda_index_at(address: u64) -> Result<usize, DeviceError> {
        CudaDevice::index_at(address)
    }

    /// Returns freed memory that the device keeps for reuse to the system, so that other libraries
    /// and processes can allocate it. Waits for the device.
    ///
    /// ```
    /// use ferrovox::device::Device;
    ///
    /// let device = Device::best();
    /// let stream = device.stream()?;
    /// drop(stream.zeros::<u8>(1 << 20)?);
    /// device.release_cached_memory()?;
    /// # Ok::<(), ferrovox::device::DeviceError>(())
    /// ```
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if earlier work of the device failed.
    pub fn release_cached_memory(&self) -> Result<(), DeviceError> {
        match self.inner() {
            Inner::Cpu(cpu) => {
                cpu.release_cached_memory();
                Ok(())
            }
            Inner::Cuda(cuda) => cuda.release_cached_memory(),
        }
    }

    /// Waits for all work on the device, of other libraries too. On the CPU it returns at once.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if earlier work of the device failed.
    pub fn synchronize(&self) -> Result<(), DeviceError> {
        match self.inner() {
            Inner::Cpu(_) => Ok(()),
            Inner::Cuda(cuda) => cuda.synchronize(),
        }
    }
}

impl Stream {
    /// Returns the driver's handle of the stream (`CUstream`, `cudaStream_t`), which is valid until
    /// the stream and the buffers that it allocated are dropped; `None` on the CPU.
    pub fn raw_handle(&self) -> Option<usize> {
        self.cuda().map(CudaStream::raw_handle)
    }

    /// Makes later work of this stream wait for the work enqueued so far on a stream of another
    /// library, given by its handle. 0 and 1 are the legacy default stream, and 2 is the default
    /// stream of the calling thread. Does nothing on the CPU.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the stream belongs to another device.
    ///
    /// # Safety
    /// `stream` must be one of these numbers, or the handle of a stream that exists.
    pub unsafe fn wait_for_raw(&self, stream: usize) -> Result<(), DeviceError> {
        match self.cuda() {
            None => Ok(()),
            // SAFETY: guaranteed by the caller.
            Some(cuda) => unsafe { cuda.wait_for_raw(stream) },
        }
    }

    /// Makes later work on a stream of another library wait for the work enqueued so far on this
    /// stream. Handles are those of [`wait_for_raw`](Self::wait_for_raw). Does nothing on the CPU.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the stream belongs to another device.
    ///
    /// # Safety
    /// `stream` must be one of the default streams, or the handle of a stream that exists.
    pub unsafe fn signal_raw(&self, stream: usize) -> Result<(), DeviceError> {
        match self.cuda() {
            None => Ok(()),
            // SAFETY: guaranteed by the caller.
            Some(cuda) => unsafe { cuda.signal_raw(stream) },
        }
    }

    /// Creates a read-only buffer of `len` elements in the memory of the stream's CUDA device, that
    /// another library owns: without a copy if `address` is a multiple of 16, otherwise as a copy
    /// on the device. Uses on several streams of this library are ordered as those of a [`Buffer`].
    ///
    /// # Errors
    /// [`DeviceError::WrongDevice`] on the CPU, [`DeviceError::TooLarge`]; for a copy the errors of
    /// [`alloc`](Self::alloc).
    ///
    /// # Safety
    /// For the lifetime `'a`, and until the work that uses the buffer has finished, the `len`
    /// elements at `address` must be allocated on this device and must not be written. Work that
    /// wrote them must have finished, or this stream must [wait](Self::wait_for_raw) for it.
    pub unsafe fn borrow_device_memory<'a, T: Element>(
        &self,
        address: u64,
        len: usize,
    ) -> Result<Borrowed<'a, Buffer<T>>, DeviceError> {
        let bytes = Buffer::<T>::bytes_for(len)?;
        let Some(cuda) = self.cuda() else {
            return Err(DeviceError::WrongDevice {
                buffer: "a CUDA device".to_owned(),
                stream: self.device().id(),
            });
        };
        if bytes == 0 {
            return Ok(Borrowed::new(self.alloc(len)?));
        }
        // SAFETY: guaranteed by the caller.
        let memory = BufferMemory::Cuda(unsafe { cuda.borrow(address, bytes) }?);
        let borrowed = Buffer::new(self.device().clone(), memory, len);
        if address.is_multiple_of(MIN_FOREIGN_ALIGN as u64) {
            return Ok(Borrowed::new(borrowed));
        }
        let mut copy = self.alloc(len)?;
        self.copy(&borrowed, &mut copy)?;
        Ok(Borrowed::new(copy))
    }

    /// Returns the number of bytes that were freed on this stream, and are kept for its later work;
    /// 0 on the CPU, whose streams share a pool.
    pub fn cached_bytes(&self) -> u64 {
        self.cuda().map_or(0, CudaStream::cached_bytes)
    }

    /// Returns the memory that was freed on this stream, and is kept for its later work, to the
    /// device, for the work of other streams.
    pub fn release_cached_memory(&self) {
        if let Some(cuda) = self.cuda() {
            cuda.release_cached_memory();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_another_library_needs_a_cuda_device() {
        let stream = Device::cpu().stream().unwrap();
        assert_eq!(stream.raw_handle(), None);
        // SAFETY: the memory is not accessed, because the stream is one of the CPU.
        let borrowed = unsafe { stream.borrow_device_memory::<u8>(1 << 32, 16) };
        assert!(matches!(borrowed, Err(DeviceError::WrongDevice { .. })));
    }

    #[test]
    fn cached_memory_of_the_cpu_is_released() {
        let device = Device::cpu();
        let stream = device.stream().unwrap();
        let address = |buffer: &Buffer<u8>| buffer.pointer().addr();
        let first = stream.zeros::<u8>(1 << 20).unwrap();
        let first_address = address(&first);
        drop(first);
        let second = stream.alloc::<u8>(1 << 20).unwrap();
        assert_eq!(address(&second), first_address);
        drop(second);
        let Inner::Cpu(cpu) = device.inner() else {
            unreachable!("the device is the CPU");
        };
        assert_eq!(cpu.cached_bytes(), 1 << 20);
        device.release_cached_memory().unwrap();
        assert_eq!(cpu.cached_bytes(), 0);
    }
}
