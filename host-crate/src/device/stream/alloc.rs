//! Allocation of buffers.

use crate::device::{Buffer, DeviceError, Element, Inner, Stream, buffer::BufferMemory};

/// Minimum number of bytes that [`Stream::require`] checks.
const MIN_REQUIRED: u64 = 1 << 20;

impl Stream {
    /// Allocates `len` elements with unspecified values.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], [`DeviceError::TooLarge`].
    pub fn alloc<T: Element>(&self, len: usize) -> Result<Buffer<T>, DeviceError> {
        let bytes = Buffer::<T>::bytes_for(len)?;
        let memory = match (self.device.inner(), &self.cuda) {
            (Inner::Cpu(cpu), _) => BufferMemory::Cpu(cpu.alloc(bytes)?),
            (Inner::Cuda(_), Some(stream)) => BufferMemory::Cuda(stream.alloc(bytes)?),
            (Inner::Cuda(_), None) => unreachable!("a stream of a CUDA device has a CUDA stream"),
        };
        Ok(Buffer::new(self.device.clone(), memory, len))
    }

    /// Allocates `len` elements with all bytes zero.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`], [`DeviceError::TooLarge`].
    pub fn zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>, DeviceError> {
        let mut buffer = self.alloc(len)?;
        self.fill_with_zero(&mut buffer)?;
        Ok(buffer)
    }

    /// Sets all bytes of a buffer to zero.
    ///
    /// # Errors
    /// [`DeviceError::WrongDevice`], [`DeviceError::Cuda`].
    pub fn fill_with_zero<T: Element>(&self, buffer: &mut Buffer<T>) -> Result<(), DeviceError> {
        self.check_device(buffer)?;
        if let Some(slice) = buffer.as_mut_slice() {
            slice.fill(T::zeroed());
        } else if let (Some(stream), BufferMemory::Cuda(memory)) = (&self.cuda, buffer.memory()) {
            stream.fill_with_zero(memory, buffer.bytes())?;
        }
        Ok(())
    }

    /// Checks that `bytes` more bytes can be allocated, before work is started that needs them.
    /// Synchronises the stream if pooled memory has to be freed first. Less than 1 MiB always
    /// passes: asking the system takes longer than work on so little memory.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] with the requested and the available bytes.
    pub fn require(&self, bytes: u64) -> Result<(), DeviceError> {
        if bytes < MIN_REQUIRED {
            return Ok(());
        }
        match (self.device.inner(), &self.cuda) {
            (Inner::Cpu(cpu), _) => cpu.require(bytes),
            (Inner::Cuda(_), Some(stream)) => stream.require(bytes),
            (Inner::Cuda(_), None) => unreachable!("a stream of a CUDA device has a CUDA stream"),
        }
    }
}
