//! Two-dimensional (pitched) copies.

use std::ffi::c_void;

use super::{DeviceCopy, DevicePointer, bytes};
use crate::driver;
use crate::error::CudaResult;
use crate::sys::Rows;

/// Copies `height` rows of `width` values from the host to the device. `dpitch` and `spitch` are
/// the distances between consecutive rows of destination and source, in bytes.
///
/// ```no_run
/// use cust::memory::{cuda_free, cuda_malloc_pitched, memcpy_2d_dtoh, memcpy_2d_htod};
///
/// # fn main() -> cust::error::CudaResult<()> {
/// let _context = cust::quick_init()?;
/// let image = [[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// let (mut back, row) = ([[0.0f32; 3]; 2], size_of::<[f32; 3]>());
/// // SAFETY: both sides have two rows of three values that are not used elsewhere; the memory is
/// // freed once.
/// unsafe {
///     let (on_device, pitch) = cuda_malloc_pitched::<f32>(3, 2)?;
///     memcpy_2d_htod(on_device, pitch, image.as_ptr().cast(), row, 3, 2)?;
///     memcpy_2d_dtoh(back.as_mut_ptr().cast(), row, on_device, pitch, 3, 2)?;
///     cuda_free(on_device)?;
/// }
/// assert_eq!(back, image);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`CudaError::InvalidMemoryAllocation`](crate::error::CudaError::InvalidMemoryAllocation) for a
/// width that overflows, [`CudaError::InvalidValue`](crate::error::CudaError::InvalidValue) for a
/// pitch below the width, and errors of the driver.
///
/// # Safety
/// 1. Each row of `src` is readable for `width` values.
/// 2. Each row of `dst` is device memory of the current context for `width` values, which no work
///    uses during the copy.
pub unsafe fn memcpy_2d_htod<T: DeviceCopy>(
    dst: DevicePointer<T>,
    dpitch: usize,
    src: *const T,
    spitch: usize,
    width: usize,
    height: usize,
) -> CudaResult<()> {
    let width = bytes::array_bytes::<T>(width)?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    // SAFETY: the caller's guarantees (1, 2); the source is only read.
    unsafe {
        driver()?.copy_2d(
            on_device(dst, dpitch),
            on_host(src.cast_mut(), spitch),
            width,
            height,
        )
    }
}

/// Copies `height` rows of `width` values from the device to the host. `dpitch` and `spitch` are
/// the distances between consecutive rows of destination and source, in bytes.
///
/// # Errors
/// See [`memcpy_2d_htod`].
///
/// # Safety
/// 1. Each row of `dst` is writable for `width` values.
/// 2. Each row of `src` is device memory of the current context for `width` values, which no work
///    writes during the copy.
pub unsafe fn memcpy_2d_dtoh<T: DeviceCopy>(
    dst: *mut T,
    dpitch: usize,
    src: DevicePointer<T>,
    spitch: usize,
    width: usize,
    height: usize,
) -> CudaResult<()> {
    let width = bytes::array_bytes::<T>(width)?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    // SAFETY: the caller's guarantee (1, 2).
    unsafe { driver()?.copy_2d(on_host(dst, dpitch), on_device(src, spitch), width, height) }
}

fn on_device<T: DeviceCopy>(start: DevicePointer<T>, pitch: usize) -> Rows {
    Rows::Device {
        start: start.as_raw(),
        pitch,
    }
}

fn on_host<T>(start: *mut T, pitch: usize) -> Rows {
    Rows::Host {
        start: start.cast::<c_void>(),
        pitch,
    }
}
