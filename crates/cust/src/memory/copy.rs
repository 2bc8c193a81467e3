//! The two ways to copy.

use crate::error::CudaResult;
use crate::private::Sealed;
use crate::stream::Stream;

/// Copies that are done when they return.
///
/// They run in the default stream: work in streams made by [`Stream::new`] is done before them and
/// waits for them; work in [`Stream::new_non_blocking`] does neither, so synchronise such a stream
/// first.
pub trait CopyDestination<O: ?Sized>: Sealed {
    /// Copies all of `source` here.
    ///
    /// # Errors
    /// [`CudaError::LengthMismatch`](crate::error::CudaError::LengthMismatch), and those of earlier
    /// work.
    fn copy_from(&mut self, source: &O) -> CudaResult<()>;

    /// Copies all of this to `dest`.
    ///
    /// # Errors
    /// As [`CopyDestination::copy_from`].
    fn copy_to(&self, dest: &mut O) -> CudaResult<()>;
}

/// Copies that are queued in a stream.
///
/// Between the device and ordinary host memory, the driver may finish part of the copy before it
/// returns; only with a [`LockedBuffer`](super::LockedBuffer) does the copy run beside the host's
/// work.
pub trait AsyncCopyDestination<O: ?Sized>: Sealed {
    /// Queues a copy of all of `source` here.
    ///
    /// # Errors
    /// [`CudaError::LengthMismatch`](crate::error::CudaError::LengthMismatch), and those of earlier
    /// work.
    ///
    /// # Safety
    /// 1. Until the copy is done, `source` is neither changed nor freed.
    /// 2. Until the copy is done, only work that is ordered after it by `stream` uses this.
    unsafe fn async_copy_from(&mut self, source: &O, stream: &Stream) -> CudaResult<()>;

    /// Queues a copy of all of this to `dest`.
    ///
    /// # Errors
    /// As [`AsyncCopyDestination::async_copy_from`].
    ///
    /// # Safety
    /// 1. Until the copy is done, `dest` is neither used nor freed, except by work that is ordered
    ///    after it by `stream`.
    /// 2. Until the copy is done, nothing writes this, or frees it.
    unsafe fn async_copy_to(&self, dest: &mut O, stream: &Stream) -> CudaResult<()>;
}
