//! Fills of device slices with a value.

use std::ptr;

use bytemuck::{Pod, Zeroable};

use super::allocation::Access;
use super::{DeviceCopy, DeviceSlice};
use crate::driver;
use crate::error::{CudaError, CudaResult};
use crate::stream::Stream;
use crate::sys::{CUstream, Driver};

/// Fill value of 1, 2 or 4 bytes.
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

/// Returns the number of units in the slice.
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

/// Fills the slice and waits for completion.
fn fill_sync<T: DeviceCopy>(slice: &DeviceSlice<T>, unit: Unit) -> CudaResult<()> {
    let count = units_in(slice, unit)?;
    if count == 0 {
        return Ok(());
    }
    let driver = driver()?;
    let _current = slice.enter(Access::Write)?;
    let address = slice.as_device_ptr().as_raw();
    // SAFETY: the slice contains `count` units.
    unsafe {
        match unit {
            Unit::One(value) => driver.fill_8(address, value, count),
            Unit::Two(value) => driver.fill_16(address, value, count),
            Unit::Four(value) => driver.fill_32(address, value, count),
        }
    }?;
    // A fill may return before it is complete, and a non-blocking stream could be used next.
    // SAFETY: null is the default stream of the current context.
    unsafe { driver.stream_synchronize(ptr::null_mut()) }
}

/// Queues a fill of the slice.
///
/// # Safety
/// 1. Until the fill is complete, only work ordered after it by `stream` uses the slice.
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
    // SAFETY: a live stream with its context current; the slice contains `count` units; the
    // caller's guarantee (1).
    unsafe {
        match unit {
            Unit::One(value) => driver.fill_8_async(address, value, count, raw),
            Unit::Two(value) => driver.fill_16_async(address, value, count, raw),
            Unit::Four(value) => driver.fill_32_async(address, value, count, raw),
        }
    }
}

/// Fills of slices of types for which all bit patterns are valid.
impl<T: DeviceCopy + Pod> DeviceSlice<T> {
    /// Sets every byte to `value`.
    ///
    /// # Errors
    /// Errors of earlier work.
    pub fn set_8(&mut self, value: u8) -> CudaResult<()> {
        fill_sync(self, Unit::One(value))
    }

    /// Queues [`DeviceSlice::set_8`] in a stream.
    ///
    /// # Errors
    /// See [`DeviceSlice::set_8`].
    ///
    /// # Safety
    /// 1. Until the fill is complete, only work ordered after it by `stream` uses the slice.
    pub unsafe fn set_8_async(&mut self, value: u8, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's guarantee (1).
        unsafe { fill_in_stream(self, Unit::One(value), stream) }
    }

    /// Sets every two bytes to `value`.
    ///
    /// # Errors
    /// [`CudaError::MisalignedFill`] if address or size is odd, and errors of earlier work.
    pub fn set_16(&mut self, value: u16) -> CudaResult<()> {
        fill_sync(self, Unit::Two(value))
    }

    /// Queues [`DeviceSlice::set_16`] in a stream.
    ///
    /// # Errors
    /// See [`DeviceSlice::set_16`].
    ///
    /// # Safety
    /// 1. The condition of [`DeviceSlice::set_8_async`] holds.
    pub unsafe fn set_16_async(&mut self, value: u16, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's guarantee (1).
        unsafe { fill_in_stream(self, Unit::Two(value), stream) }
    }

    /// Sets every four bytes to `value`.
    ///
    /// # Errors
    /// [`CudaError::MisalignedFill`] if address or size is not a multiple of 4, and errors of
    /// earlier work.
    pub fn set_32(&mut self, value: u32) -> CudaResult<()> {
        fill_sync(self, Unit::Four(value))
    }

    /// Queues [`DeviceSlice::set_32`] in a stream.
    ///
    /// # Errors
    /// See [`DeviceSlice::set_32`].
    ///
    /// # Safety
    /// 1. The condition of [`DeviceSlice::set_8_async`] holds.
    pub unsafe fn set_32_async(&mut self, value: u32, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's guarantee (1).
        unsafe { fill_in_stream(self, Unit::Four(value), stream) }
    }
}

/// Fills of slices of types for which zero bytes are valid.
impl<T: DeviceCopy + Zeroable> DeviceSlice<T> {
    /// Sets every byte to 0.
    ///
    /// # Errors
    /// Errors of earlier work.
    pub fn set_zero(&mut self) -> CudaResult<()> {
        fill_sync(self, Unit::One(0))
    }

    /// Queues [`DeviceSlice::set_zero`] in a stream.
    ///
    /// # Errors
    /// See [`DeviceSlice::set_zero`].
    ///
    /// # Safety
    /// 1. The condition of [`DeviceSlice::set_8_async`] holds.
    pub unsafe fn set_zero_async(&mut self, stream: &Stream) -> CudaResult<()> {
        // SAFETY: the caller's guarantee (1).
        unsafe { fill_in_stream(self, Unit::One(0), stream) }
    }
}
