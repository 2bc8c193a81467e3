//! The primary context of a device, retained once for everyone in this crate who uses it.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use crate::device::{Device, DeviceAttribute};
use crate::driver;
use crate::error::CudaResult;
use crate::sys::{CUcontext, Driver};

/// One retain of a device's primary context, given back when the last owner goes.
#[derive(Debug)]
pub(crate) struct Primary {
    raw: CUcontext,
    device: Device,
    driver: &'static Driver,
    memory_pools: OnceLock<bool>,
    retained: bool,
}

// SAFETY: a context may be used from any thread; the driver locks for itself.
unsafe impl Send for Primary {}
// SAFETY: as above.
unsafe impl Sync for Primary {}

/// The contexts that are retained now. Few, and looked up rarely, so a list under a lock is enough.
static RETAINED: Mutex<Vec<Weak<Primary>>> = Mutex::new(Vec::new());

fn retained() -> MutexGuard<'static, Vec<Weak<Primary>>> {
    // The list is valid after every single operation on it, so a panic elsewhere while it was locked leaves it usable.
    RETAINED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Primary {
    /// The device's primary context, retained unless it is already.
    pub(crate) fn of(device: Device) -> CudaResult<Arc<Primary>> {
        let driver = driver()?;
        let mut retained = retained();
        retained.retain(|primary| primary.strong_count() > 0);
        if let Some(primary) = retained
            .iter()
            .filter_map(Weak::upgrade)
            .find(|primary| primary.device == device)
        {
            return Ok(primary);
        }
        let raw = driver.primary_context_retain(device.as_raw())?;
        let primary = Arc::new(Primary {
            raw,
            device,
            driver,
            memory_pools: OnceLock::new(),
            retained: true,
        });
        retained.push(Arc::downgrade(&primary));
        Ok(primary)
    }

    /// The retained context that has this handle, if this crate holds it.
    pub(crate) fn with_handle(raw: CUcontext) -> Option<Arc<Primary>> {
        retained()
            .iter()
            .filter_map(Weak::upgrade)
            .find(|primary| primary.raw == raw)
    }

    pub(crate) fn raw(&self) -> CUcontext {
        self.raw
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    /// Whether memory of this context can be allocated in the order of a stream. Asked of the driver once.
    pub(crate) fn has_memory_pools(&self) -> bool {
        *self
            .memory_pools
            .get_or_init(|| device_has_memory_pools(self.driver, self.device))
    }

    /// Gives the retain back, unless that is done already.
    pub(crate) fn release(&mut self) -> CudaResult<()> {
        if !self.retained {
            return Ok(());
        }
        // SAFETY: this value owns one retain; everything made in the context holds the `Arc` around it, and `self`, borrowed
        // mutably, is the last holder.
        unsafe { self.driver.primary_context_release(self.device.as_raw()) }?;
        self.retained = false;
        Ok(())
    }
}

impl Drop for Primary {
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
