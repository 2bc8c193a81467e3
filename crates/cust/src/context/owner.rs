//! The context something was made in, and making it current for the time of a call.

use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use super::held::{self, Held};
use crate::device::Device;
use crate::driver;
use crate::error::{CudaError, CudaResult};
use crate::sys::CUcontext;

/// The context that a stream, event, module or buffer was made in. Keeps it alive where it is one
/// of this crate's.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    raw: CUcontext,
    /// `None` for a context that another library made: it is that library's to keep alive.
    held: Option<Arc<Held>>,
}

// SAFETY: the handle is only compared and passed to the driver, which may be done from any thread.
unsafe impl Send for Owner {}
// SAFETY: as above.
unsafe impl Sync for Owner {}

impl Owner {
    /// The context current on this thread.
    pub(crate) fn current() -> CudaResult<Owner> {
        let raw = driver()?.current_context()?;
        if raw.is_null() {
            return Err(CudaError::InvalidContext);
        }
        Ok(Owner {
            raw,
            held: Held::with_handle(raw),
        })
    }

    /// A context that is held.
    pub(crate) fn of(held: Arc<Held>) -> Owner {
        Owner {
            raw: held.raw(),
            held: Some(held),
        }
    }

    pub(crate) fn raw(&self) -> CUcontext {
        self.raw
    }

    /// Makes the context current until the guard is dropped.
    pub(crate) fn enter(&self) -> CudaResult<ContextGuard<'_>> {
        enter(self.raw, || self.held.clone())
    }

    /// Whether memory of this context can be allocated in the order of a stream.
    pub(crate) fn has_memory_pools(&self) -> bool {
        match &self.held {
            Some(held) => held.has_memory_pools(),
            None => self.device().is_ok_and(|device| {
                driver().is_ok_and(|driver| held::device_has_memory_pools(driver, device))
            }),
        }
    }

    fn device(&self) -> CudaResult<Device> {
        let _current = self.enter()?;
        Ok(Device::from_raw(driver()?.current_device()?))
    }
}

/// Keeps a context current on this thread; restores the one that was, when dropped.
#[derive(Debug)]
#[must_use = "the context is current only as long as the guard lives"]
pub struct ContextGuard<'a> {
    /// What to restore; `None` where nothing was changed.
    previous: Option<CUcontext>,
    /// The one that is current, and the one that was, if it is one of this crate's: it must be
    /// there when it is restored.
    _keep: [Option<Arc<Held>>; 2],
    /// Which context is current is a matter of one thread, so the guard stays on it: raw pointers
    /// are not `Send`.
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

/// Makes the context of a device slice current: null stands for whichever is, and a context that is
/// gone is an error.
pub(crate) fn enter_handle(raw: CUcontext) -> CudaResult<ContextGuard<'static>> {
    if raw.is_null() {
        Ok(ContextGuard::unchanged())
    } else {
        enter(raw, || Held::with_handle(raw))
    }
}

/// Sees to it that a handle is of a context that is there, as long as what this returns: one that
/// is held, or the current one.
///
/// # Errors
/// [`CudaError::ContextIsDestroyed`] where nobody here knows that it is there.
pub(crate) fn keep(raw: CUcontext) -> CudaResult<Option<Arc<Held>>> {
    let held = Held::with_handle(raw);
    if held.is_none() && (raw.is_null() || driver()?.current_context()? != raw) {
        return Err(CudaError::ContextIsDestroyed);
    }
    Ok(held)
}

fn enter<'a>(
    raw: CUcontext,
    keeper: impl FnOnce() -> Option<Arc<Held>>,
) -> CudaResult<ContextGuard<'a>> {
    let driver = driver()?;
    let previous = driver.current_context()?;
    if previous == raw {
        return Ok(ContextGuard::unchanged());
    }
    // A context nobody here keeps alive may be gone: it can be used while it is current, but not be
    // made so.
    let keep = keeper().ok_or(CudaError::ContextIsDestroyed)?;
    // SAFETY: `keep` holds a retain of this context.
    unsafe { driver.set_current_context(raw) }?;
    Ok(ContextGuard {
        previous: Some(previous),
        _keep: [Some(keep), Held::with_handle(previous)],
        _this_thread: PhantomData,
    })
}

impl Drop for ContextGuard<'_> {
    fn drop(&mut self) {
        let Some(previous) = self.previous.take() else {
            return;
        };
        if let Ok(driver) = driver() {
            // SAFETY: this context, or none, was current on this very thread when the guard was
            // made. It is kept, or another library's, and then the thread is left as it would be
            // without the guard, also where that destroyed it meanwhile.
            let _ = unsafe { driver.set_current_context(previous) };
        }
    }
}

/// The current context's handle, or null where there is none or no driver.
pub(crate) fn current_or_null() -> CUcontext {
    driver()
        .and_then(|driver| driver.current_context())
        .unwrap_or(ptr::null_mut())
}
