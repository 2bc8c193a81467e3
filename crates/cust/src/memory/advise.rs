//! Placement hints for unified memory.

use super::host_values::HostValues;
use super::{DeviceCopy, UnifiedBox, UnifiedBuffer, bytes};
use crate::device::Device;
use crate::driver;
use crate::error::CudaResult;
use crate::private::Sealed;
use crate::stream::Stream;
use crate::sys::Advice;

/// Gives the driver hints about the use of unified memory. Hints affect performance only, so all
/// functions are safe.
///
/// Memory that the driver cannot migrate (pinned memory, on systems without concurrent managed
/// access) is an error: [`CudaError::InvalidValue`](crate::error::CudaError::InvalidValue) or
/// [`CudaError::InvalidDevice`](crate::error::CudaError::InvalidDevice), depending on the driver.
/// Hints on empty buffers succeed.
///
/// ```no_run
/// use cust::memory::MemoryAdvise;
/// use cust::prelude::*;
///
/// # fn main() -> cust::error::CudaResult<()> {
/// let _context = cust::quick_init()?;
/// let stream = Stream::new(StreamFlags::DEFAULT, None)?;
/// let values = UnifiedBuffer::from_slice(&[1u32; 1 << 20])?;
/// values.advise_read_mostly(true)?;
/// values.prefetch_to_device(&stream, &Device::get_device(0)?)?;
/// # Ok(())
/// # }
/// ```
pub trait MemoryAdvise<T: DeviceCopy>: Sealed {
    /// Returns the values.
    fn as_slice(&self) -> &[T];

    /// Applies a hint to the memory.
    #[doc(hidden)]
    fn advise(&self, hint: Hint<'_>) -> CudaResult<()>;

    /// Queues the migration of the memory to the host in `stream`.
    ///
    /// # Errors
    /// See [`MemoryAdvise`].
    fn prefetch_to_host(&self, stream: &Stream) -> CudaResult<()> {
        self.advise(Hint::Prefetch(stream, None))
    }

    /// Queues the migration of the memory to a device in `stream`.
    ///
    /// # Errors
    /// See [`MemoryAdvise`].
    fn prefetch_to_device(&self, stream: &Stream, device: &Device) -> CudaResult<()> {
        self.advise(Hint::Prefetch(stream, Some(*device)))
    }

    /// Hints that the memory is mostly read, so that each reader can have a copy; `false` withdraws
    /// the hint.
    ///
    /// # Errors
    /// See [`MemoryAdvise`].
    fn advise_read_mostly(&self, read_mostly: bool) -> CudaResult<()> {
        self.advise(Hint::Advice(Advice::ReadMostly(read_mostly)))
    }

    /// Hints that the memory should reside on a device, or on the host for `None`. Does not migrate
    /// it now.
    ///
    /// # Errors
    /// See [`MemoryAdvise`].
    fn preferred_location(&self, preferred_location: Option<Device>) -> CudaResult<()> {
        let device = preferred_location.map(|device| device.as_raw());
        self.advise(Hint::Advice(Advice::PreferredLocation(device)))
    }

    /// Withdraws the hint of [`MemoryAdvise::preferred_location`].
    ///
    /// # Errors
    /// See [`MemoryAdvise`].
    fn unset_preferred_location(&self) -> CudaResult<()> {
        self.advise(Hint::Advice(Advice::NoPreferredLocation))
    }
}

/// Hint passed to [`MemoryAdvise::advise`].
#[doc(hidden)]
#[derive(Debug)]
pub enum Hint<'a> {
    Advice(Advice),
    Prefetch(&'a Stream, Option<Device>),
}

fn advise<T: DeviceCopy>(values: &HostValues<T>, hint: Hint<'_>) -> CudaResult<()> {
    let Some(current) = values.enter()? else {
        return Ok(());
    };
    let address = values.as_device_ptr().as_raw();
    let size = bytes::array_bytes::<T>(values.as_slice().len())?;
    match hint {
        Hint::Advice(advice) => driver()?.advise(address, size, advice),
        Hint::Prefetch(stream, device) => {
            drop(current);
            let _current = stream.enter()?;
            let device = device.map(|device| device.as_raw());
            // SAFETY: a live stream with its context current.
            unsafe { driver()?.prefetch(address, size, device, stream.as_inner()) }
        }
    }
}

impl<T: DeviceCopy> MemoryAdvise<T> for UnifiedBuffer<T> {
    fn as_slice(&self) -> &[T] {
        self
    }

    fn advise(&self, hint: Hint<'_>) -> CudaResult<()> {
        advise(self.values(), hint)
    }
}

impl<T: DeviceCopy> MemoryAdvise<T> for UnifiedBox<T> {
    fn as_slice(&self) -> &[T] {
        self.buffer()
    }

    fn advise(&self, hint: Hint<'_>) -> CudaResult<()> {
        advise(self.buffer().values(), hint)
    }
}
