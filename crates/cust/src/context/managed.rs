//! Contexts kept alive by this crate: primary contexts, retained once per process, and explicitly
//! created contexts.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use crate::device::{Device, DeviceAttribute};
use crate::driver;
use crate::error::CudaResult;
use crate::sys::{CUcontext, Driver};

/// A retained primary context or an explicitly created one; released when the last reference is
/// dropped.
#[derive(Debug)]
pub(crate) struct ManagedContext {
    raw: CUcontext,
    device: Device,
    driver: &'static Driver,
    memory_pools: OnceLock<bool>,
    origin: Origin,
    is_retained: bool,
}

/// The origin of a context, which determines how it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Retained,
    Created,
}

// SAFETY: a context may be used from any thread; the driver synchronizes internally.
unsafe impl Send for ManagedContext {}
// SAFETY: as above.
unsafe impl Sync for ManagedContext {}

/// All contexts kept alive at present. Few and rarely searched, so a list under a lock suffices.
static MANAGED: Mutex<Vec<Weak<ManagedContext>>> = Mutex::new(Vec::new());

fn managed_contexts() -> MutexGuard<'static, Vec<Weak<ManagedContext>>> {
    // The list is valid after every operation on it, so a panic while it was locked leaves it
    // usable.
    MANAGED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ManagedContext {
    /// Returns the device's primary context, and retains it if this process has not done so yet.
    pub(crate) fn primary(device: Device) -> CudaResult<Arc<ManagedContext>> {
        let driver = driver()?;
        let mut contexts = managed_contexts();
        contexts.retain(|context| context.strong_count() > 0);
        if let Some(primary) = contexts
            .iter()
            .filter_map(Weak::upgrade)
            .find(|context| context.device == device && context.origin == Origin::Retained)
        {
            return Ok(primary);
        }
        let raw = driver.primary_context_retain(device.as_raw())?;
        let primary = Arc::new(ManagedContext {
            raw,
            device,
            driver,
            memory_pools: OnceLock::new(),
            origin: Origin::Retained,
            is_retained: true,
        });
        contexts.push(Arc::downgrade(&primary));
        Ok(primary)
    }

    /// Creates a context separate from the primary one and pushes it onto this thread's stack.
    pub(crate) fn create(device: Device, flags: u32) -> CudaResult<Arc<ManagedContext>> {
        let driver = driver()?;
        let raw = driver.context_create(flags, device.as_raw())?;
        let context = Arc::new(ManagedContext {
            raw,
            device,
            driver,
            memory_pools: OnceLock::new(),
            origin: Origin::Created,
            is_retained: true,
        });
        let mut contexts = managed_contexts();
        contexts.retain(|context| context.strong_count() > 0);
        contexts.push(Arc::downgrade(&context));
        Ok(context)
    }

    /// Returns the context with this handle, if this crate keeps it alive.
    pub(crate) fn with_handle(raw: CUcontext) -> Option<Arc<ManagedContext>> {
        managed_contexts()
            .iter()
            .filter_map(Weak::upgrade)
            .find(|context| context.raw == raw)
    }

    pub(crate) fn raw(&self) -> CUcontext {
        self.raw
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    /// Returns `true` if the context supports the stream-ordered allocator. The driver is queried
    /// once.
    pub(crate) fn has_memory_pools(&self) -> bool {
        *self
            .memory_pools
            .get_or_init(|| device_has_memory_pools(self.driver, self.device))
    }

    /// Releases the context, if it has not been released.
    pub(crate) fn release(&mut self) -> CudaResult<()> {
        if !self.is_retained {
            return Ok(());
        }
        match self.origin {
            // SAFETY: this value owns one retain; every object created in the context holds the
            // `Arc` around it, and the mutable borrow of `self` shows that none is left.
            Origin::Retained => unsafe {
                self.driver.primary_context_release(self.device.as_raw())
            },
            // SAFETY: created by `create`; as above.
            Origin::Created => unsafe { self.driver.context_destroy(self.raw) },
        }?;
        self.is_retained = false;
        Ok(())
    }
}

impl Drop for ManagedContext {
    fn drop(&mut self) {
        // Errors cannot be reported here (the driver may be shutting down).
        let _ = self.release();
    }
}

pub(crate) fn device_has_memory_pools(driver: &Driver, device: Device) -> bool {
    driver.has_stream_ordered_memory()
        && device
            .get_attribute(DeviceAttribute::MemoryPoolsSupported)
            .is_ok_and(|supported| supported != 0)
}
