//! Reference to a context obtained from this thread's stack.

use std::ptr;

use super::ContextHandle;
use super::owner::Owner;
use crate::error::CudaResult;
use crate::private::Sealed;
use crate::sys::CUcontext;
use crate::{CudaApiVersion, driver};

/// Reference to any context. Unlike in Rust-CUDA, it keeps contexts created by this crate alive.
#[derive(Clone, Debug)]
pub struct UnownedContext {
    owner: Owner,
}

impl UnownedContext {
    pub(super) fn from_owner(owner: Owner) -> Self {
        UnownedContext { owner }
    }

    /// Returns the API version with which the context was created.
    ///
    /// # Errors
    /// [`CudaError::ContextIsDestroyed`](crate::error::CudaError::ContextIsDestroyed) if it belongs
    /// to another library and is not current.
    pub fn get_api_version(&self) -> CudaResult<CudaApiVersion> {
        api_version(&self.owner)
    }
}

/// Returns the API version with which a context was created.
pub(super) fn api_version(owner: &Owner) -> CudaResult<CudaApiVersion> {
    let _current = owner.enter()?;
    // SAFETY: null selects the current context.
    let version = unsafe { driver()?.context_api_version(ptr::null_mut()) }?;
    Ok(CudaApiVersion::from_number(
        i32::try_from(version).unwrap_or(i32::MAX),
    ))
}

impl Sealed for UnownedContext {}
impl ContextHandle for UnownedContext {
    fn get_inner(&self) -> CUcontext {
        self.owner.raw()
    }
}
