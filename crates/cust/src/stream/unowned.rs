//! Streams of other libraries. (Not part of Rust-CUDA.)

use crate::context::ContextGuard;
use crate::context::owner::Owner;
use crate::error::CudaResult;
use crate::sys::CUstream;

/// Stream that another library of the process created, or one of the default streams.
#[derive(Debug)]
pub struct UnownedStream {
    raw: CUstream,
    owner: Owner,
}

impl UnownedStream {
    /// References a stream of the current context. The handles 0 and 1 are the legacy default
    /// stream, and 2 is the default stream of the calling thread.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::error::CudaError::InvalidContext) if no context is
    /// current.
    ///
    /// # Safety
    /// 1. `raw` is one of the default streams, or a stream of the current context that is not
    ///    destroyed while the reference is used.
    pub unsafe fn from_raw(raw: CUstream) -> CudaResult<Self> {
        Ok(Self {
            raw,
            owner: Owner::current()?,
        })
    }

    pub(crate) fn raw(&self) -> CUstream {
        self.raw
    }

    pub(crate) fn enter(&self) -> CudaResult<ContextGuard<'_>> {
        self.owner.enter()
    }
}
