//! Synchronous and asynchronous copies.

use crate::error::CudaResult;
use crate::private::Sealed;
use crate::stream::Stream;

/// Synchronous copies.
///
/// They run in the default stream, which synchronizes with streams created by [`Stream::new`], but
/// not with those of [`Stream::new_non_blocking`]: synchronize such a stream first.
pub trait CopyDestination<O: ?Sized>: Sealed {
    /// Copies all of `source` to this destination.
    ///
    /// # Errors
    /// [`CudaError::LengthMismatch`](crate::error::CudaError::LengthMismatch), and errors of
    /// earlier work.
    fn copy_from(&mut self, source: &O) -> CudaResult<()>;

    /// Copies everything to `dest`.
    ///
    /// # Errors
    /// See [`CopyDestination::copy_from`].
    fn copy_to(&self, dest: &mut O) -> CudaResult<()>;
}

/// Copies queued in a stream.
///
/// For copies between the device and pageable host memory, the driver may block; copies are
/// concurrent with the host's work only with a [`LockedBuffer`](super::LockedBuffer).
pub trait AsyncCopyDestination<O: ?Sized>: Sealed {
    /// Queues a copy of all of `source` to this destination.
    ///
    /// # Errors
    /// [`CudaError::LengthMismatch`](crate::error::CudaError::LengthMismatch), and errors of
    /// earlier work.
    ///
    /// # Safety
    /// 1. Until the copy is complete, `source` is neither modified nor freed.
    /// 2. Until the copy is complete, only work ordered after it by `stream` uses the destination.
    unsafe fn async_copy_from(&mut self, source: &O, stream: &Stream) -> CudaResult<()>;

    /// Queues a copy of everything to `dest`.
    ///
    /// # Errors
    /// See [`AsyncCopyDestination::async_copy_from`].
    ///
    /// # Safety
    /// 1. Until the copy is complete, `dest` is neither used nor freed, except by work ordered
    ///    after it by `stream`.
    /// 2. Until the copy is complete, the source is neither modified nor freed.
    unsafe fn async_copy_to(&self, dest: &mut O, stream: &Stream) -> CudaResult<()>;
}
