//! Constant memory that a kernel reads.

use super::{DeviceError, Element, Inner, Stream, cuda::CudaConstant};
use cuda_std::{Kernel, constant::ConstantSymbol};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held by who has a constant on the CPU, whose kernels all read the same.
static ON_CPU: Mutex<()> = Mutex::new(());

/// A constant of a kernel, from [`Stream::constant`]. Until it is dropped, nobody else of the device has one.
///
/// When dropped it waits for the stream, so that no kernel still reads what another may then write.
pub struct Constant<'a, S: 'static> {
    stream: &'a Stream,
    symbol: &'static S,
    place: Place,
    /// What has been written, until it is there.
    written: Vec<Box<[u8]>>,
    _held: MutexGuard<'a, ()>,
}

enum Place {
    Cpu,
    Cuda(CudaConstant),
}

impl Stream {
    /// A constant that kernel `K` reads, to be written before launches of `K`. Waits until nobody else of the device has one.
    ///
    /// # Errors
    /// [`DeviceError::UnknownKernel`], [`DeviceError::UnknownConstant`] if the kernel reads no such constant, [`DeviceError::Cuda`].
    pub fn constant<K: Kernel, S: ConstantSymbol>(
        &self,
        symbol: &'static S,
    ) -> Result<Constant<'_, S>, DeviceError> {
        let (lock, place) = match self.device().inner() {
            Inner::Cpu(_) => (&ON_CPU, Place::Cpu),
            Inner::Cuda(cuda) => {
                let constant = cuda.constant(&K::entry(), symbol.symbol())?;
                (cuda.constants(), Place::Cuda(constant))
            }
        };
        Ok(Constant {
            stream: self,
            symbol,
            place,
            written: Vec::new(),
            // what it guards is memory that its holder writes before reading
            _held: lock.lock().unwrap_or_else(PoisonError::into_inner),
        })
    }
}

impl<S> Constant<'_, S> {
    /// Copies elements to the beginning of the constant, in the order of the stream: launches before still read what was there.
    ///
    /// They come from the host: where there are two GPUs the driver has refused to copy a device's memory to a constant.
    ///
    /// # Errors
    /// [`DeviceError::LengthMismatch`] for more elements than there are in the constant, [`DeviceError::Cuda`].
    pub fn write<T: Element, const N: usize>(&mut self, elements: &[T]) -> Result<(), DeviceError>
    where
        S: ConstantSymbol<Value = [T; N]>,
    {
        if elements.len() > N {
            return Err(DeviceError::LengthMismatch {
                from: elements.len(),
                to: N,
            });
        }
        match &self.place {
            Place::Cuda(constant) => {
                let bytes: &[u8] = bytemuck::cast_slice(elements);
                self.written.push(bytes.into());
                let kept = &self.written[self.written.len() - 1];
                // SAFETY: what has been written is kept until the stream has been waited for, in `drop`.
                unsafe { self.stream.begin_copy_to_constant(constant, kept) }
            }
            Place::Cpu => {
                let mut value = self.symbol.value_on_cpu();
                value[..elements.len()].copy_from_slice(elements);
                // SAFETY: launches on the CPU are done when they return, and who has the constant holds the lock.
                unsafe { self.symbol.set_on_cpu(&value) };
                Ok(())
            }
        }
    }
}

impl<S> Drop for Constant<'_, S> {
    fn drop(&mut self) {
        // an error is the launches', and is told by whoever waits for what they write
        let _ = self.stream.synchronize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use ferrovox_kernels::skeleton::field::{FIELD_SOURCES, PIECE, Power2, forces_constant};

    #[test]
    fn the_beginning_is_written() {
        let stream = Device::cpu().stream().unwrap();
        let numbers: Vec<f32> = (0..3 * PIECE + 1).map(|i| i as f32).collect();
        let mut constant = stream
            .constant::<forces_constant<f32, Power2>, _>(&FIELD_SOURCES)
            .unwrap();
        constant.write(&numbers[1..]).unwrap();
        assert_eq!(FIELD_SOURCES.value_on_cpu()[..], numbers[1..]);
        constant.write(&numbers[5..9]).unwrap();
        assert_eq!(FIELD_SOURCES.value_on_cpu()[..5], [5.0, 6.0, 7.0, 8.0, 5.0]);
        constant.write::<f32, _>(&[]).unwrap();
        let error = constant.write(&numbers).unwrap_err();
        assert!(matches!(error, DeviceError::LengthMismatch { .. }));
    }
}
