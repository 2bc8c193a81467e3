//! Constant memory that a kernel reads.

use super::{
    Buffer, DeviceError, Element, Inner, Stream, buffer::BufferMemory, cuda::CudaConstant,
};
use cuda_std::{Kernel, constant::ConstantSymbol};
use std::{
    ops::Range,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Lock held by the owner of a constant on the CPU, since all kernels there share one memory.
static ON_CPU: Mutex<()> = Mutex::new(());

/// A constant of a kernel, created by [`Stream::constant`]. At most one exists per device at a
/// time.
///
/// Dropping it synchronises the stream, so that no kernel still reads what the next owner writes.
pub struct Constant<'a, S: 'static> {
    stream: &'a Stream,
    symbol: &'static S,
    memory: ConstantMemory,
    _held: MutexGuard<'a, ()>,
}

enum ConstantMemory {
    Cpu,
    Cuda(CudaConstant),
}

impl Stream {
    /// Creates the constant that kernel `K` reads. It must be written before `K` is launched.
    /// Blocks until no other constant of the device exists.
    ///
    /// # Errors
    /// [`DeviceError::UnknownKernel`], [`DeviceError::UnknownConstant`] if the kernel reads no such
    /// constant, [`DeviceError::Cuda`].
    pub fn constant<K: Kernel, S: ConstantSymbol>(
        &self,
        symbol: &'static S,
    ) -> Result<Constant<'_, S>, DeviceError> {
        let (lock, memory) = match self.device().inner() {
            Inner::Cpu(_) => (&ON_CPU, ConstantMemory::Cpu),
            Inner::Cuda(cuda) => {
                let constant = cuda.constant(&K::entry(), symbol.symbol())?;
                (cuda.constants(), ConstantMemory::Cuda(constant))
            }
        };
        Ok(Constant {
            stream: self,
            symbol,
            memory,
            // poisoning is harmless: the holder writes the memory before it reads it
            _held: lock.lock().unwrap_or_else(PoisonError::into_inner),
        })
    }
}

impl<S> Constant<'_, S> {
    /// Copies a part of a buffer to the beginning of the constant, in stream order: earlier
    /// launches read the previous contents.
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`] for more elements than there are in the buffer or the
    /// constant, [`DeviceError::WrongDevice`], [`DeviceError::Cuda`].
    ///
    /// # Safety
    /// On the CPU nothing else may read the constant during the copy: neither the host, nor a
    /// launch on a stream that does not hold it.
    pub unsafe fn write<T: Element, const N: usize>(
        &mut self,
        from: &Buffer<T>,
        part: Range<usize>,
    ) -> Result<(), DeviceError>
    where
        S: ConstantSymbol<Value = [T; N]>,
    {
        self.stream.check_device(from)?;
        if part.start > part.end || part.end > from.len() || part.len() > N {
            return Err(DeviceError::LengthMismatch {
                from: part.end.saturating_sub(part.start),
                to: N.min(from.len()),
            });
        }
        match (&self.memory, from.memory()) {
            (ConstantMemory::Cuda(constant), BufferMemory::Cuda(memory)) => {
                let size = size_of::<T>();
                let bytes = part.start * size..part.end * size;
                self.stream.copy_to_constant(constant, memory, bytes)
            }
            _ => {
                if let Some(elements) = from.as_slice() {
                    let mut value = self.symbol.value_on_cpu();
                    value[..part.len()].copy_from_slice(&elements[part]);
                    // SAFETY: launches on the CPU have finished when they return, the owner of the
                    // constant holds the lock, and the caller excludes other readers.
                    unsafe { self.symbol.set_on_cpu(&value) };
                }
                Ok(())
            }
        }
    }
}

impl<S> Drop for Constant<'_, S> {
    fn drop(&mut self) {
        // errors of the launches are reported when their results are synchronised
        let _ = self.stream.synchronize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use ferrovox_kernels::skeleton::field::{
        FIELD_SOURCES, MAX_CONSTANT_SOURCES, Power2, forces_constant,
    };

    #[test]
    fn constant_is_written_from_a_part_of_a_buffer() {
        let stream = Device::cpu().stream().unwrap();
        let numbers: Vec<f32> = (0..4 * MAX_CONSTANT_SOURCES).map(|i| i as f32).collect();
        let buffer = stream.upload(&numbers).unwrap();
        let mut constant = stream
            .constant::<forces_constant<f32, Power2>, _>(&FIELD_SOURCES)
            .unwrap();
        // SAFETY: nothing else reads the constant meanwhile; here and below.
        let mut write = |part| unsafe { constant.write(&buffer, part) };
        write(5..9).unwrap();
        assert_eq!(FIELD_SOURCES.value_on_cpu()[..4], [5.0, 6.0, 7.0, 8.0]);
        write(MAX_CONSTANT_SOURCES..4 * MAX_CONSTANT_SOURCES).unwrap();
        assert_eq!(
            FIELD_SOURCES.value_on_cpu()[..],
            numbers[MAX_CONSTANT_SOURCES..]
        );
        write(4 * MAX_CONSTANT_SOURCES..4 * MAX_CONSTANT_SOURCES).unwrap();
        #[expect(clippy::reversed_empty_ranges, reason = "refused")]
        for part in [
            0..3 * MAX_CONSTANT_SOURCES + 1,
            4 * MAX_CONSTANT_SOURCES - 1..4 * MAX_CONSTANT_SOURCES + 1,
            3..2,
        ] {
            let error = write(part).unwrap_err();
            assert!(matches!(error, DeviceError::LengthMismatch { .. }));
        }
    }
}
