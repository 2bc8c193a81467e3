//! A context that came from this thread's stack.

use std::ptr;

use super::ContextHandle;
use super::owner::Owner;
use crate::error::CudaResult;
use crate::private::Sealed;
use crate::sys::CUcontext;
use crate::{CudaApiVersion, driver};

/// A context, whoever made it. One that this crate made stays as long as the value; with the
/// published crate it has to be kept otherwise.
#[derive(Clone, Debug)]
pub struct UnownedContext {
    owner: Owner,
}

impl UnownedContext {
    pub(super) fn of(owner: Owner) -> Self {
        UnownedContext { owner }
    }

    /// The version of the driver interface the context was made with.
    ///
    /// # Errors
    /// [`CudaError::ContextIsDestroyed`](crate::error::CudaError::ContextIsDestroyed) for another
    /// library's that is not current.
    pub fn get_api_version(&self) -> CudaResult<CudaApiVersion> {
        api_version(&self.owner)
    }
}

/// The version of the driver interface a context was made with.
pub(super) fn api_version(owner: &Owner) -> CudaResult<CudaApiVersion> {
    let _current = owner.enter()?;
    // SAFETY: null stands for the current context.
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
