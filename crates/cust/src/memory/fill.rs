//! Fills of slices with one value.

use std::ptr;

use bytemuck::{Pod, Zeroable};

use super::{DeviceCopy, DeviceSlice};
use crate::driver;
use crate::error::{CudaError, CudaResult};
use crate::stream::Stream;
use crate::sys::{CUstream, Driver};

/// A value of 1, 2 or 4 bytes to fill with.
#[derive(Clone, Copy)]
enum Unit {
    One(u8),
    Two(u16),
    Four(u32),
}

impl Unit {
    fn bytes(self) -> usize {
        match self {
            Unit::One(_) => 1,
            Unit::Two(_) => 2,
            Unit::Four(_) => 4,
        }
    }
}

/// How many units fill the slice.
fn units_in<T: DeviceCopy>(slice: &DeviceSlice<T>, unit: Unit) -> CudaResult<usize> {
    let (address, bytes, unit) = (slice.as_device_ptr().as_raw(), slice.size()?, unit.bytes());
    if bytes.is_multiple_of(unit) && address.is_multiple_of(unit as u64) {
        Ok(bytes / unit)
    } else {
        Err(CudaError::MisalignedFill {
            address,
            bytes,
            unit,
        })
    }
}

/// Fills the slice, and waits until that is done.
fn fill_at_once<T: DeviceCopy>(slice: &DeviceSlice<T>, unit: Unit) -> CudaResult<()> {
    let count = units_in(slice, unit)?;
    if count == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let _current = slice.enter()?;
    let address = slice.as_device_ptr().as_raw();
    // SAFETY: the slice holds `count` units.
    unsafe {
        match unit {
            Unit::One(value) => driver.fill_8(address, value, count),
            Unit::Two(value) => driver.fill_16(address, value, count),
            Unit::Four(value) => driver.fill_32(address, value, count),
        }
    }?;
    // A fill may return before it is done, and a stream that does not wait for the default stream
    // could be used next. SAFETY: null is the default stream of the current context.
    unsafe { driver.stream_synchronize(ptr::null_mut()) }
}

/// Queues a fill of the slice.
///
/// # Safety
/// 1. Until the fill is done, only work that is ordered after it by `stream` uses the slice.
unsafe fn fill_in_stream<T: DeviceCopy>(
    slice: &DeviceSlice<T>,
    unit: Unit,
    stream: &Stream,
) -> CudaResult<()> {
    let count = units_in(slice, unit)?;
    if count == 0 {
        return Ok(());
    }
    let driver: &Driver = driver()?;
    let _current = stream.enter()?;
    let address = slice.as_device_ptr().as_raw();
    let raw: CUstream = stream.as_inner();
    // SAFETY: a live stream, its context current; the slice holds `count` units; the rest is the
    // caller's promise (1).
    unsafe {
        match unit {
            Unit::One(value) => driver.fill_8_async(address, value, count, raw),
            Unit::Two(value) => driver.fill_16_async(address, value, count, raw),
            Unit::Four(value) => driver.fill_32_async(address, value, count, raw),
        }
    }
}

/// For types that any bytes are a value of.
impl<T: DeviceCopy + Pod> DeviceSlice<T> {
    /// Sets every byte.
    ///
    /// # Errors
    /// Those of earlier work.
    pub fn set_8(&mut self, value: u8) -> CudaResult<()> {
        fill_at_once(self, Unit::One(value))
    }

    /// [`DeviceSlice::set_8`], queued in a stream.
    ///
    /// # Errors
    /// As [`DeviceSlice::set_8`].
    ///
    /// # Safety
    /// 1. Until the fill is done, only work that is ordered after it by `stream` uses the slice.
    pub unsafe fn set_8_async(&mut self, value: u8, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's promise (1).
        unsafe { fill_in_stream(self, Unit::One(value), stream) }
    }

    /// Sets every two bytes.
    ///
    /// # Errors
    /// [`CudaError::MisalignedFill`] where address or size is odd, and those of earlier work.
    pub fn set_16(&mut self, value: u16) -> CudaResult<()> {
        fill_at_once(self, Unit::Two(value))
    }

    /// [`DeviceSlice::set_16`], queued in a stream.
    ///
    /// # Errors
    /// As [`DeviceSlice::set_16`].
    ///
    /// # Safety
    /// 1. As [`DeviceSlice::set_8_async`].
    pub unsafe fn set_16_async(&mut self, value: u16, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's promise (1).
        unsafe { fill_in_stream(self, Unit::Two(value), stream) }
    }

    /// Sets every four bytes.
    ///
    /// # Errors
    /// [`CudaError::MisalignedFill`] where address or size is no multiple of 4, and those of
    /// earlier work.
    pub fn set_32(&mut self, value: u32) -> CudaResult<()> {
        fill_at_once(self, Unit::Four(value))
    }

    /// [`DeviceSlice::set_32`], queued in a stream.
    ///
    /// # Errors
    /// As [`DeviceSlice::set_32`].
    ///
    /// # Safety
    /// 1. As [`DeviceSlice::set_8_async`].
    pub unsafe fn set_32_async(&mut self, value: u32, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's promise (1).
        unsafe { fill_in_stream(self, Unit::Four(value), stream) }
    }
}

/// For types that zero bytes are a value of.
impl<T: DeviceCopy + Zeroable> DeviceSlice<T> {
    /// Sets every byte to 0.
    ///
    /// # Errors
    /// Those of earlier work.
    pub fn set_zero(&mut self) -> CudaResult<()> {
        fill_at_once(self, Unit::One(0))
    }

    /// [`DeviceSlice::set_zero`], queued in a stream.
    ///
    /// # Errors
    /// As [`DeviceSlice::set_zero`].
    ///
    /// # Safety
    /// 1. As [`DeviceSlice::set_8_async`].
    pub unsafe fn set_zero_async(&mut self, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's promise (1).
        unsafe { fill_in_stream(self, Unit::One(0), stream) }
    }
}
