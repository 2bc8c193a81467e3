//! Copies from and to device slices.

use std::ffi::c_void;
use std::ptr;

use super::allocation::Access;
use super::{AsyncCopyDestination, CopyDestination, DeviceBuffer, DeviceCopy, DeviceSlice, bytes};
use crate::driver;
use crate::error::CudaResult;
use crate::private::Sealed;
use crate::stream::Stream;

impl<T: DeviceCopy> Sealed for DeviceSlice<T> {}

/// Copies between a device slice and any slice on the host: arrays, vectors,
/// [`LockedBuffer`](super::LockedBuffer)s.
impl<T: DeviceCopy, I: AsRef<[T]> + AsMut<[T]> + ?Sized> CopyDestination<I> for DeviceSlice<T> {
    fn copy_from(&mut self, source: &I) -> CudaResult<()> {
        let source = source.as_ref();
        let size = bytes::copy_bytes::<T>(self.len(), source.len())?;
        if size == 0 {
            return Ok(());
        }
        let _current = self.enter(Access::Write)?;
        // SAFETY: both sides have `size` bytes.
        unsafe {
            driver()?.copy_to_device(
                self.as_device_ptr().as_raw(),
                source.as_ptr().cast::<c_void>(),
                size,
            )
        }
    }

    fn copy_to(&self, dest: &mut I) -> CudaResult<()> {
        let dest = dest.as_mut();
        let size = bytes::copy_bytes::<T>(dest.len(), self.len())?;
        if size == 0 {
            return Ok(());
        }
        let _current = self.enter(Access::Read)?;
        // SAFETY: both sides have `size` bytes.
        unsafe {
            driver()?.copy_to_host(
                dest.as_mut_ptr().cast::<c_void>(),
                self.as_device_ptr().as_raw(),
                size,
            )
        }
    }
}

/// Copies a slice to another, within a device or between devices, and waits for completion.
fn copy_sync<T: DeviceCopy>(
    destination: &DeviceSlice<T>,
    source: &DeviceSlice<T>,
) -> CudaResult<()> {
    let size = bytes::copy_bytes::<T>(destination.len(), source.len())?;
    if size == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let (to, from) = (
        destination.as_device_ptr().as_raw(),
        source.as_device_ptr().as_raw(),
    );
    let _in_use = destination.enter_copy(source)?;
    if are_in_different_contexts(destination, source) {
        // SAFETY: both ranges have `size` bytes, each in its context.
        unsafe { driver.copy_peer((to, destination.context()), (from, source.context()), size) }?;
    } else {
        // SAFETY: both ranges have `size` bytes in the same context.
        unsafe { driver.copy_on_device(to, from, size) }?;
    }
    // A copy within the device may return before it is complete, and a non-blocking stream could be
    // used next. SAFETY: null is the default stream of the current context.
    unsafe { driver.stream_synchronize(ptr::null_mut()) }
}

/// Queues a copy of a slice to another, within a device or between devices.
///
/// # Safety
/// 1. The conditions of [`AsyncCopyDestination`] hold.
unsafe fn copy_in_stream<T: DeviceCopy>(
    destination: &DeviceSlice<T>,
    source: &DeviceSlice<T>,
    stream: &Stream,
) -> CudaResult<()> {
    let size = bytes::copy_bytes::<T>(destination.len(), source.len())?;
    if size == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let (to, from) = (
        destination.as_device_ptr().as_raw(),
        source.as_device_ptr().as_raw(),
    );
    let _current = stream.enter()?;
    if are_in_different_contexts(destination, source) {
        // SAFETY: both ranges have `size` bytes, each in its context; the caller guarantees that
        // they stay valid until the copy is complete (1).
        unsafe {
            driver.copy_peer_async(
                (to, destination.context()),
                (from, source.context()),
                size,
                stream.as_inner(),
            )
        }
    } else {
        // SAFETY: as above, in the same context.
        unsafe { driver.copy_on_device_async(to, from, size, stream.as_inner()) }
    }
}

/// Returns `true` if two slices are known to belong to different contexts.
fn are_in_different_contexts<T: DeviceCopy>(
    slice: &DeviceSlice<T>,
    other: &DeviceSlice<T>,
) -> bool {
    !slice.context().is_null() && !other.context().is_null() && slice.context() != other.context()
}

/// Copies within a device or between devices, depending on the contexts of the slices.
impl<T: DeviceCopy> CopyDestination<DeviceSlice<T>> for DeviceSlice<T> {
    fn copy_from(&mut self, source: &DeviceSlice<T>) -> CudaResult<()> {
        copy_sync(self, source)
    }

    fn copy_to(&self, dest: &mut DeviceSlice<T>) -> CudaResult<()> {
        copy_sync(dest, self)
    }
}

impl<T: DeviceCopy> CopyDestination<DeviceBuffer<T>> for DeviceSlice<T> {
    fn copy_from(&mut self, source: &DeviceBuffer<T>) -> CudaResult<()> {
        copy_sync(self, source)
    }

    fn copy_to(&self, dest: &mut DeviceBuffer<T>) -> CudaResult<()> {
        copy_sync(dest, self)
    }
}

impl<T: DeviceCopy, I: AsRef<[T]> + AsMut<[T]> + ?Sized> AsyncCopyDestination<I>
    for DeviceSlice<T>
{
    unsafe fn async_copy_from(&mut self, source: &I, stream: &Stream) -> CudaResult<()> {
        let source = source.as_ref();
        let size = bytes::copy_bytes::<T>(self.len(), source.len())?;
        if size == 0 {
            return Ok(());
        }
        let _current = stream.enter()?;
        let (to, from) = (
            self.as_device_ptr().as_raw(),
            source.as_ptr().cast::<c_void>(),
        );
        // SAFETY: both sides have `size` bytes; the caller guarantees that they stay valid.
        unsafe { driver()?.copy_to_device_async(to, from, size, stream.as_inner()) }
    }

    unsafe fn async_copy_to(&self, dest: &mut I, stream: &Stream) -> CudaResult<()> {
        let dest = dest.as_mut();
        let size = bytes::copy_bytes::<T>(dest.len(), self.len())?;
        if size == 0 {
            return Ok(());
        }
        let _current = stream.enter()?;
        let (to, from) = (
            dest.as_mut_ptr().cast::<c_void>(),
            self.as_device_ptr().as_raw(),
        );
        // SAFETY: both sides have `size` bytes; the caller guarantees that they stay valid.
        unsafe { driver()?.copy_to_host_async(to, from, size, stream.as_inner()) }
    }
}

impl<T: DeviceCopy> AsyncCopyDestination<DeviceSlice<T>> for DeviceSlice<T> {
    unsafe fn async_copy_from(
        &mut self,
        source: &DeviceSlice<T>,
        stream: &Stream,
    ) -> CudaResult<()> {
        // SAFETY: the caller's guarantees.
        unsafe { copy_in_stream(self, source, stream) }
    }

    unsafe fn async_copy_to(&self, dest: &mut DeviceSlice<T>, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's guarantees.
        unsafe { copy_in_stream(dest, self, stream) }
    }
}

impl<T: DeviceCopy> AsyncCopyDestination<DeviceBuffer<T>> for DeviceSlice<T> {
    unsafe fn async_copy_from(
        &mut self,
        source: &DeviceBuffer<T>,
        stream: &Stream,
    ) -> CudaResult<()> {
        // SAFETY: the caller's guarantees.
        unsafe { copy_in_stream(self, source, stream) }
    }

    unsafe fn async_copy_to(&self, dest: &mut DeviceBuffer<T>, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's guarantees.
        unsafe { copy_in_stream(dest, self, stream) }
    }
}
