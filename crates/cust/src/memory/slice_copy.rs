//! Copies from and to slices.

use std::ffi::c_void;
use std::ptr;

use super::{AsyncCopyDestination, CopyDestination, DeviceBuffer, DeviceCopy, DeviceSlice, bytes};
use crate::driver;
use crate::error::CudaResult;
use crate::private::Sealed;
use crate::stream::Stream;

impl<T: DeviceCopy> Sealed for DeviceSlice<T> {}

/// With anything on the host that is a slice: arrays, vectors,
/// [`LockedBuffer`](super::LockedBuffer)s.
impl<T: DeviceCopy, I: AsRef<[T]> + AsMut<[T]> + ?Sized> CopyDestination<I> for DeviceSlice<T> {
    fn copy_from(&mut self, source: &I) -> CudaResult<()> {
        let source = source.as_ref();
        let size = bytes::of_copy::<T>(self.len(), source.len())?;
        if size == 0 {
            return Ok(());
        }
        let _current = self.enter()?;
        // SAFETY: both ends hold `size` bytes.
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
        let size = bytes::of_copy::<T>(dest.len(), self.len())?;
        if size == 0 {
            return Ok(());
        }
        let _current = self.enter()?;
        // SAFETY: both ends hold `size` bytes.
        unsafe {
            driver()?.copy_to_host(
                dest.as_mut_ptr().cast::<c_void>(),
                self.as_device_ptr().as_raw(),
                size,
            )
        }
    }
}

/// Copies a slice to another, within a device or between two.
fn copy_at_once<T: DeviceCopy>(
    destination: &DeviceSlice<T>,
    source: &DeviceSlice<T>,
) -> CudaResult<()> {
    let size = bytes::of_copy::<T>(destination.len(), source.len())?;
    if size == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let (to, from) = (
        destination.as_device_ptr().as_raw(),
        source.as_device_ptr().as_raw(),
    );
    let _current = destination.enter()?;
    let _source = source.hold()?;
    if are_apart(destination, source) {
        // SAFETY: both ranges hold `size` bytes, each of its context.
        unsafe { driver.copy_peer((to, destination.context()), (from, source.context()), size) }?;
    } else {
        // SAFETY: both ranges hold `size` bytes of one context.
        unsafe { driver.copy_on_device(to, from, size) }?;
    }
    // A copy within the device may return before it is done, and a stream that does not wait for
    // the default stream could be used next. SAFETY: null is the default stream of the current
    // context.
    unsafe { driver.stream_synchronize(ptr::null_mut()) }
}

/// Queues a copy of a slice to another, within a device or between two.
///
/// # Safety
/// 1. As [`AsyncCopyDestination`].
unsafe fn copy_in_stream<T: DeviceCopy>(
    destination: &DeviceSlice<T>,
    source: &DeviceSlice<T>,
    stream: &Stream,
) -> CudaResult<()> {
    let size = bytes::of_copy::<T>(destination.len(), source.len())?;
    if size == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let (to, from) = (
        destination.as_device_ptr().as_raw(),
        source.as_device_ptr().as_raw(),
    );
    let _current = stream.enter()?;
    if are_apart(destination, source) {
        // SAFETY: both ranges hold `size` bytes, each of its context; the caller answers for the
        // time until it is done (1).
        unsafe {
            driver.copy_peer_async(
                (to, destination.context()),
                (from, source.context()),
                size,
                stream.as_inner(),
            )
        }
    } else {
        // SAFETY: as above, of one context.
        unsafe { driver.copy_on_device_async(to, from, size, stream.as_inner()) }
    }
}

/// Whether two slices are known to be of different contexts.
fn are_apart<T: DeviceCopy>(one: &DeviceSlice<T>, other: &DeviceSlice<T>) -> bool {
    !one.context().is_null() && !other.context().is_null() && one.context() != other.context()
}

/// Within a device, or between two: the slices know where they are.
impl<T: DeviceCopy> CopyDestination<DeviceSlice<T>> for DeviceSlice<T> {
    fn copy_from(&mut self, source: &DeviceSlice<T>) -> CudaResult<()> {
        copy_at_once(self, source)
    }

    fn copy_to(&self, dest: &mut DeviceSlice<T>) -> CudaResult<()> {
        copy_at_once(dest, self)
    }
}

impl<T: DeviceCopy> CopyDestination<DeviceBuffer<T>> for DeviceSlice<T> {
    fn copy_from(&mut self, source: &DeviceBuffer<T>) -> CudaResult<()> {
        copy_at_once(self, source)
    }

    fn copy_to(&self, dest: &mut DeviceBuffer<T>) -> CudaResult<()> {
        copy_at_once(dest, self)
    }
}

impl<T: DeviceCopy, I: AsRef<[T]> + AsMut<[T]> + ?Sized> AsyncCopyDestination<I>
    for DeviceSlice<T>
{
    unsafe fn async_copy_from(&mut self, source: &I, stream: &Stream) -> CudaResult<()> {
        let source = source.as_ref();
        let size = bytes::of_copy::<T>(self.len(), source.len())?;
        if size == 0 {
            return Ok(());
        }
        let _current = stream.enter()?;
        let (to, from) = (
            self.as_device_ptr().as_raw(),
            source.as_ptr().cast::<c_void>(),
        );
        // SAFETY: both ends hold `size` bytes; the caller answers for the time until it is done.
        unsafe { driver()?.copy_to_device_async(to, from, size, stream.as_inner()) }
    }

    unsafe fn async_copy_to(&self, dest: &mut I, stream: &Stream) -> CudaResult<()> {
        let dest = dest.as_mut();
        let size = bytes::of_copy::<T>(dest.len(), self.len())?;
        if size == 0 {
            return Ok(());
        }
        let _current = stream.enter()?;
        let (to, from) = (
            dest.as_mut_ptr().cast::<c_void>(),
            self.as_device_ptr().as_raw(),
        );
        // SAFETY: both ends hold `size` bytes; the caller answers for the time until it is done.
        unsafe { driver()?.copy_to_host_async(to, from, size, stream.as_inner()) }
    }
}

impl<T: DeviceCopy> AsyncCopyDestination<DeviceSlice<T>> for DeviceSlice<T> {
    unsafe fn async_copy_from(
        &mut self,
        source: &DeviceSlice<T>,
        stream: &Stream,
    ) -> CudaResult<()> {
        // SAFETY: the caller's promises.
        unsafe { copy_in_stream(self, source, stream) }
    }

    unsafe fn async_copy_to(&self, dest: &mut DeviceSlice<T>, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's promises.
        unsafe { copy_in_stream(dest, self, stream) }
    }
}

impl<T: DeviceCopy> AsyncCopyDestination<DeviceBuffer<T>> for DeviceSlice<T> {
    unsafe fn async_copy_from(
        &mut self,
        source: &DeviceBuffer<T>,
        stream: &Stream,
    ) -> CudaResult<()> {
        // SAFETY: the caller's promises.
        unsafe { copy_in_stream(self, source, stream) }
    }

    unsafe fn async_copy_to(&self, dest: &mut DeviceBuffer<T>, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's promises.
        unsafe { copy_in_stream(dest, self, stream) }
    }
}
