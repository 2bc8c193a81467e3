//! Buffers over memory of the caller.

use super::{
    Buffer, DeviceError, DeviceKind, Element, Stream,
    buffer::BufferMemory,
    cpu::{CpuMemory, MIN_FOREIGN_ALIGN},
};
use std::{marker::PhantomData, ops::Deref};

/// A read-only [`Buffer`], or a value that contains one, whose elements may be in memory of the
/// caller. It dereferences to the value.
///
/// ```
/// use ferrovox::device::Device;
///
/// let stream = Device::cpu().stream()?;
/// let elements = vec![[1.5f32; 4]; 1 << 16];
/// let borrowed = stream.borrow(elements.as_flattened())?;
/// let in_place = borrowed.pointer().cast_const() == elements.as_ptr().cast();
/// // the allocator decides on the alignment
/// assert!(in_place || !elements.as_ptr().cast::<u8>().addr().is_multiple_of(16));
/// # Ok::<(), ferrovox::device::DeviceError>(())
/// ```
///
/// The elements cannot be changed as long as they are borrowed:
///
/// ```compile_fail,E0506
/// let stream = ferrovox::device::Device::cpu().stream().unwrap();
/// let mut elements = [1.5f32; 4];
/// let borrowed = stream.borrow(&elements).unwrap();
/// elements[0] = 2.0;
/// drop(borrowed);
/// ```
///
/// The value itself is not given out, because it has no lifetime:
///
/// ```compile_fail,E0624
/// let stream = ferrovox::device::Device::cpu().stream().unwrap();
/// let elements = [1.5f32; 4];
/// let mut kept = None;
/// let _ = stream.borrow(&elements).unwrap().try_map(|buffer| {
///     kept = Some(buffer);
///     Err::<(), ()>(())
/// });
/// ```
#[derive(Debug)]
pub struct Borrowed<'a, V> {
    value: V,
    elements: PhantomData<&'a [u8]>,
}

impl<'a, V> Borrowed<'a, V> {
    /// Creates a value whose elements are not changed during the lifetime.
    pub(super) fn new(value: V) -> Self {
        Self {
            value,
            elements: PhantomData,
        }
    }

    /// Converts the value that owns the buffer. `convert` must neither write to the buffer nor keep
    /// it outside of its result.
    ///
    /// # Errors
    /// The error of `convert`.
    pub(crate) fn try_map<U, E>(
        self,
        convert: impl FnOnce(V) -> Result<U, E>,
    ) -> Result<Borrowed<'a, U>, E> {
        Ok(Borrowed::new(convert(self.value)?))
    }
}

impl<V> Deref for Borrowed<'_, V> {
    type Target = V;

    fn deref(&self) -> &V {
        &self.value
    }
}

impl Stream {
    /// Creates a read-only buffer of `elements`: on the CPU without a copy if they are aligned to
    /// 16 bytes, otherwise as [`upload`](Stream::upload) does.
    ///
    /// # Errors
    /// The errors of [`upload`](Stream::upload).
    pub fn borrow<'a, T: Element>(
        &self,
        elements: &'a [T],
    ) -> Result<Borrowed<'a, Buffer<T>>, DeviceError> {
        let is_aligned = elements.as_ptr().addr().is_multiple_of(MIN_FOREIGN_ALIGN);
        let value = if self.device().kind() == DeviceKind::Cpu && is_aligned {
            let memory = BufferMemory::Cpu(CpuMemory::borrow(bytemuck::cast_slice(elements)));
            Buffer::new(self.device().clone(), memory, elements.len())
        } else {
            self.upload(elements)?
        };
        Ok(Borrowed::new(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    #[test]
    fn aligned_elements_are_borrowed_and_others_copied() {
        let stream = Device::cpu().stream().unwrap();
        let elements: Vec<u32> = (0..1024).collect();
        let first = elements.as_ptr().addr() % MIN_FOREIGN_ALIGN / 4;
        let aligned = &elements[(4 - first) % 4..][..512];
        let borrowed = stream.borrow(aligned).unwrap();
        assert_eq!(borrowed.pointer().cast_const(), aligned.as_ptr());
        assert_eq!(stream.download(&borrowed).unwrap(), aligned);
        assert_eq!(stream.device().memory_use().now, 0);
        let unaligned = &aligned[1..];
        let copied = stream.borrow(unaligned).unwrap();
        assert_ne!(copied.pointer().cast_const(), unaligned.as_ptr());
        assert_eq!(stream.download(&copied).unwrap(), unaligned);
        assert_eq!(stream.device().memory_use().now, 4 * 511);
    }

    #[test]
    fn vectors_are_moved_to_the_cpu_without_a_copy() {
        let stream = Device::cpu().stream().unwrap();
        // a large allocation of the system, aligned to 16 bytes
        let elements: Vec<u32> = (0..1 << 20).collect();
        let address = elements.as_ptr();
        let mut buffer = stream.upload_vec(elements).unwrap();
        let is_aligned = address.addr().is_multiple_of(MIN_FOREIGN_ALIGN);
        assert_eq!(buffer.pointer().cast_const() == address, is_aligned);
        assert_eq!(stream.device().memory_use().now, 4 << 20);
        stream.fill_with_zero(&mut buffer).unwrap();
        assert_eq!(stream.download(&buffer).unwrap(), vec![0; 1 << 20]);
        drop(buffer);
        assert_eq!(stream.device().memory_use().now, 0);
        assert!(stream.upload_vec(Vec::<u64>::new()).unwrap().is_empty());
    }
}
