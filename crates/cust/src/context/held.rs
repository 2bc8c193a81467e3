//! Contexts that this crate keeps alive: primary ones, retained once for everyone who uses them,
//! and those that it made.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use crate::device::{Device, DeviceAttribute};
use crate::driver;
use crate::error::CudaResult;
use crate::sys::{CUcontext, Driver};

/// One retain of a device's primary context, or a context of one's own; given back when the last
/// owner goes.
#[derive(Debug)]
pub(crate) struct Held {
    raw: CUcontext,
    device: Device,
    driver: &'static Driver,
    memory_pools: OnceLock<bool>,
    how: How,
    held: bool,
}

/// How a context came to be, and so how it is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Retained,
    Created,
}

// SAFETY: a context may be used from any thread; the driver locks for itself.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

/// The contexts that are held now. Few, and looked up rarely, so a list under a lock is enough.
static HELD: Mutex<Vec<Weak<Held>>> = Mutex::new(Vec::new());

fn all_held() -> MutexGuard<'static, Vec<Weak<Held>>> {
    // The list is valid after every single operation on it, so a panic elsewhere while it was
    // locked leaves it usable.
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Held {
    /// The device's primary context, retained unless it is already.
    pub(crate) fn of(device: Device) -> CudaResult<Arc<Held>> {
        let driver = driver()?;
        let mut all = all_held();
        all.retain(|held| held.strong_count() > 0);
        if let Some(primary) = all
            .iter()
            .filter_map(Weak::upgrade)
            .find(|held| held.device == device && held.how == How::Retained)
        {
            return Ok(primary);
        }
        let raw = driver.primary_context_retain(device.as_raw())?;
        let primary = Arc::new(Held {
            raw,
            device,
            driver,
            memory_pools: OnceLock::new(),
            how: How::Retained,
            held: true,
        });
        all.push(Arc::downgrade(&primary));
        Ok(primary)
    }

    /// A context beside the primary one, on top of this thread's stack.
    pub(crate) fn create(device: Device, flags: u32) -> CudaResult<Arc<Held>> {
        let driver = driver()?;
        let raw = driver.context_create(flags, device.as_raw())?;
        let held = Arc::new(Held {
            raw,
            device,
            driver,
            memory_pools: OnceLock::new(),
            how: How::Created,
            held: true,
        });
        let mut all = all_held();
        all.retain(|held| held.strong_count() > 0);
        all.push(Arc::downgrade(&held));
        Ok(held)
    }

    /// The context that has this handle, if this crate holds it.
    pub(crate) fn with_handle(raw: CUcontext) -> Option<Arc<Held>> {
        all_held()
            .iter()
            .filter_map(Weak::upgrade)
            .find(|held| held.raw == raw)
    }

    pub(crate) fn raw(&self) -> CUcontext {
        self.raw
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    /// Whether memory of this context can be allocated in the order of a stream. Asked of the
    /// driver once.
    pub(crate) fn has_memory_pools(&self) -> bool {
        *self
            .memory_pools
            .get_or_init(|| device_has_memory_pools(self.driver, self.device))
    }

    /// Gives the context back, unless that is done already.
    pub(crate) fn release(&mut self) -> CudaResult<()> {
        if !self.held {
            return Ok(());
        }
        match self.how {
            // SAFETY: this value owns one retain; everything made in the context holds the `Arc`
            // around it, and `self`, borrowed mutably, is the last holder.
            How::Retained => unsafe { self.driver.primary_context_release(self.device.as_raw()) },
            // SAFETY: made by `create`; as above.
            How::Created => unsafe { self.driver.context_destroy(self.raw) },
        }?;
        self.held = false;
        Ok(())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // A failure cannot be reported here (the driver may be shutting down).
        let _ = self.release();
    }
}

pub(crate) fn device_has_memory_pools(driver: &Driver, device: Device) -> bool {
    driver.has_stream_ordered_memory()
        && device
            .get_attribute(DeviceAttribute::MemoryPoolsSupported)
            .is_ok_and(|supported| supported != 0)
}
