//! Where unified memory should be.

use super::host_values::HostValues;
use super::{DeviceCopy, UnifiedBox, UnifiedBuffer, bytes};
use crate::device::Device;
use crate::driver;
use crate::error::CudaResult;
use crate::private::Sealed;
use crate::stream::Stream;
use crate::sys::Advice;

/// Tells the driver how unified memory will be used. It changes how fast the memory is, never what
/// it holds, so all of it is safe.
///
/// Memory that the driver does not move, as where devices cannot share memory with the host, is an
/// error: [`CudaError::InvalidValue`](crate::error::CudaError::InvalidValue) or
/// [`CudaError::InvalidDevice`](crate::error::CudaError::InvalidDevice), as the driver has it. A
/// buffer of no bytes is none.
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
    /// The values.
    fn as_slice(&self) -> &[T];

    /// The memory.
    #[doc(hidden)]
    fn advise(&self, to: To<'_>) -> CudaResult<()>;

    /// Queues in `stream` that the memory moves to the host.
    ///
    /// # Errors
    /// As above.
    fn prefetch_to_host(&self, stream: &Stream) -> CudaResult<()> {
        self.advise(To::Move(stream, None))
    }

    /// Queues in `stream` that the memory moves to a device.
    ///
    /// # Errors
    /// As above.
    fn prefetch_to_device(&self, stream: &Stream, device: &Device) -> CudaResult<()> {
        self.advise(To::Move(stream, Some(*device)))
    }

    /// That the memory is mostly read, so that each who reads it may have a copy; or no longer so.
    ///
    /// # Errors
    /// As above.
    fn advise_read_mostly(&self, read_mostly: bool) -> CudaResult<()> {
        self.advise(To::Know(Advice::ReadMostly(read_mostly)))
    }

    /// That the memory should be a device's, or the host's for `None`. Nothing is moved now.
    ///
    /// # Errors
    /// As above.
    fn preferred_location(&self, preferred_location: Option<Device>) -> CudaResult<()> {
        let device = preferred_location.map(|device| device.as_raw());
        self.advise(To::Know(Advice::PreferredLocation(device)))
    }

    /// Takes back what [`MemoryAdvise::preferred_location`] said.
    ///
    /// # Errors
    /// As above.
    fn unset_preferred_location(&self) -> CudaResult<()> {
        self.advise(To::Know(Advice::NoPreferredLocation))
    }
}

/// What the driver is told.
#[doc(hidden)]
#[derive(Debug)]
pub enum To<'a> {
    Know(Advice),
    Move(&'a Stream, Option<Device>),
}

fn advise<T: DeviceCopy>(values: &HostValues<T>, to: To<'_>) -> CudaResult<()> {
    let Some(current) = values.enter()? else {
        return Ok(());
    };
    let address = values.as_device_ptr().as_raw();
    let size = bytes::of::<T>(values.as_slice().len())?;
    match to {
        To::Know(advice) => driver()?.advise(address, size, advice),
        To::Move(stream, device) => {
            drop(current);
            let _current = stream.enter()?;
            let device = device.map(|device| device.as_raw());
            // SAFETY: a live stream, its context current.
            unsafe { driver()?.prefetch(address, size, device, stream.as_inner()) }
        }
    }
}

impl<T: DeviceCopy> MemoryAdvise<T> for UnifiedBuffer<T> {
    fn as_slice(&self) -> &[T] {
        self
    }

    fn advise(&self, to: To<'_>) -> CudaResult<()> {
        advise(self.values(), to)
    }
}

impl<T: DeviceCopy> MemoryAdvise<T> for UnifiedBox<T> {
    fn as_slice(&self) -> &[T] {
        self.buffer()
    }

    fn advise(&self, to: To<'_>) -> CudaResult<()> {
        advise(self.buffer().values(), to)
    }
}
