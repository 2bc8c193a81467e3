//! Reference of an object to its context, and making that context current during a call.

use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use super::managed::{self, ManagedContext};
use crate::device::Device;
use crate::driver;
use crate::error::{CudaError, CudaResult};
use crate::sys::CUcontext;

/// Context in which a stream, event, module or buffer was created. Keeps it alive if it is managed
/// by this crate.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    raw: CUcontext,
    /// `None` for a context created by another library, which is responsible for its lifetime.
    managed: Option<Arc<ManagedContext>>,
}

// SAFETY: the handle is only compared and passed to the driver, which is allowed from any thread.
unsafe impl Send for Owner {}
// SAFETY: as above.
unsafe impl Sync for Owner {}

impl Owner {
    /// Returns the current context of this thread.
    pub(crate) fn current() -> CudaResult<Owner> {
        let raw = driver()?.current_context()?;
        if raw.is_null() {
            return Err(CudaError::InvalidContext);
        }
        Ok(Owner {
            raw,
            managed: ManagedContext::with_handle(raw),
        })
    }

    /// References a context managed by this crate.
    pub(crate) fn from_managed(managed: Arc<ManagedContext>) -> Owner {
        Owner {
            raw: managed.raw(),
            managed: Some(managed),
        }
    }

    pub(crate) fn raw(&self) -> CUcontext {
        self.raw
    }

    /// Makes the context current until the guard is dropped.
    pub(crate) fn enter(&self) -> CudaResult<ContextGuard<'_>> {
        enter(self.raw, || self.managed.clone())
    }

    /// Returns `true` if the context supports the stream-ordered allocator.
    pub(crate) fn has_memory_pools(&self) -> bool {
        match &self.managed {
            Some(managed) => managed.has_memory_pools(),
            None => self.device().is_ok_and(|device| {
                driver().is_ok_and(|driver| managed::device_has_memory_pools(driver, device))
            }),
        }
    }

    fn device(&self) -> CudaResult<Device> {
        let _current = self.enter()?;
        Ok(Device::from_raw(driver()?.current_device()?))
    }
}

/// Keeps a context current on this thread, and restores the previous one when dropped.
#[derive(Debug)]
#[must_use = "the context is current only while the guard is alive"]
pub struct ContextGuard<'a> {
    /// Context to restore; `None` if the current context did not change.
    previous: Option<CUcontext>,
    /// References to the entered and to the previous context, if managed by this crate: both must
    /// stay alive until the previous one is restored.
    _keep: [Option<Arc<ManagedContext>>; 2],
    /// The current context is a property of the thread, so the guard is `!Send`.
    _this_thread: PhantomData<(*mut (), &'a ())>,
}

impl ContextGuard<'_> {
    fn unchanged() -> Self {
        ContextGuard {
            previous: None,
            _keep: [None, None],
            _this_thread: PhantomData,
        }
    }
}

/// Makes the context of a device slice current. Null selects the current context; a destroyed
/// context is an error.
pub(crate) fn enter_handle(raw: CUcontext) -> CudaResult<ContextGuard<'static>> {
    if raw.is_null() {
        Ok(ContextGuard::unchanged())
    } else {
        enter(raw, || ManagedContext::with_handle(raw))
    }
}

/// Keeps the context of a handle alive while the returned reference exists. The context must be
/// managed by this crate or current.
///
/// # Errors
/// [`CudaError::ContextIsDestroyed`] if the context is neither.
pub(crate) fn keep_alive(raw: CUcontext) -> CudaResult<Option<Arc<ManagedContext>>> {
    let managed = ManagedContext::with_handle(raw);
    if managed.is_none() && (raw.is_null() || driver()?.current_context()? != raw) {
        return Err(CudaError::ContextIsDestroyed);
    }
    Ok(managed)
}

fn enter<'a>(
    raw: CUcontext,
    keeper: impl FnOnce() -> Option<Arc<ManagedContext>>,
) -> CudaResult<ContextGuard<'a>> {
    let driver = driver()?;
    let previous = driver.current_context()?;
    if previous == raw {
        return Ok(ContextGuard::unchanged());
    }
    // A context that is not managed by this crate may have been destroyed: it can be used while it
    // is current, but not be made current.
    let keep = keeper().ok_or(CudaError::ContextIsDestroyed)?;
    // SAFETY: `keep` keeps this context alive.
    unsafe { driver.set_current_context(raw) }?;
    Ok(ContextGuard {
        previous: Some(previous),
        _keep: [Some(keep), ManagedContext::with_handle(previous)],
        _this_thread: PhantomData,
    })
}

impl Drop for ContextGuard<'_> {
    fn drop(&mut self) {
        let Some(previous) = self.previous.take() else {
            return;
        };
        if let Ok(driver) = driver() {
            // SAFETY: this context, or none, was current on this thread when the guard was created.
            // It is kept alive, or belongs to another library; then the thread is left in the state
            // that it would have without the guard, even if that library destroyed it meanwhile.
            let _ = unsafe { driver.set_current_context(previous) };
        }
    }
}

/// Returns the handle of the current context, or null without a current context or driver.
pub(crate) fn current_or_null() -> CUcontext {
    driver()
        .and_then(|driver| driver.current_context())
        .unwrap_or(ptr::null_mut())
}
