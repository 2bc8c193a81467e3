//! Contexts: the state of this process on a device.
//!
//! A [`Context`] is the primary one: the one context a device has in a process, which libraries
//! that use CUDA's runtime share. It counts as one owner of it; so does everything made in it.
//! Contexts of one's own are in [`legacy`].

use std::sync::Arc;

use crate::device::Device;
use crate::error::{CudaError, CudaResult, DropResult};
use crate::private::Sealed;
use crate::sys::CUcontext;
use crate::{CudaApiVersion, driver};

mod current;
mod held;
pub mod legacy;
pub(crate) mod owner;
mod settings;
mod unowned;

pub use current::CurrentContext;
pub use owner::ContextGuard;
pub use settings::{
    CacheConfig, ContextFlags, ResourceLimit, SharedMemoryConfig, StreamPriorityRange,
};

use held::Held;
use owner::Owner;

/// Something that holds a context.
pub trait ContextHandle: Sealed {
    /// The driver's handle for it.
    fn get_inner(&self) -> CUcontext;
}

/// A device's primary context.
///
/// Cheap to clone; `Send` and `Sync`. The context is given back to the driver when the last clone,
/// and the last thing made in it, is gone.
#[derive(Clone, Debug)]
pub struct Context {
    held: Arc<Held>,
}

impl Sealed for Context {}
impl ContextHandle for Context {
    fn get_inner(&self) -> CUcontext {
        self.held.raw()
    }
}

impl Context {
    /// The primary context of a device, and makes it current on this thread.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`] where the device has no room for a context,
    /// [`CudaError::DeviceUnavailable`] and others.
    pub fn new(device: Device) -> CudaResult<Self> {
        let context = Context {
            held: Held::of(device)?,
        };
        CurrentContext::set_current(&context)?;
        Ok(context)
    }

    /// Makes the context current on this thread until the guard is dropped, which restores the one
    /// that was. (An addition to the published names.)
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`] where it was reset.
    ///
    /// ```no_run
    /// use cust::prelude::*;
    ///
    /// # fn main() -> cust::error::CudaResult<()> {
    /// # cust::init(CudaFlags::empty())?;
    /// let first = Context::new(Device::get_device(0)?)?;
    /// let second = Context::new(Device::get_device(1)?)?; // current now
    /// let there = {
    ///     let _current = first.enter()?;
    ///     DeviceBuffer::from_slice(&[1u32, 2, 3])? // on device 0
    /// };
    /// let here = DeviceBuffer::from_slice(&[4u32])?; // on device 1 again
    /// assert_eq!(there.as_host_vec()?, [1, 2, 3]); // a buffer knows where it is
    /// # Ok(())
    /// # }
    /// ```
    pub fn enter(&self) -> CudaResult<ContextGuard<'static>> {
        owner::enter_handle(self.held.raw())
    }

    /// Makes the context current on this thread for good. (An addition to the published names,
    /// which have it as [`CurrentContext::set_current`].)
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`] where it was reset.
    pub fn set_current(&self) -> CudaResult<()> {
        CurrentContext::set_current(self)
    }

    /// The device the context is on. (An addition to the published names.)
    pub fn device(&self) -> Device {
        self.held.device()
    }

    /// (free, total) bytes of the device. (An addition to the published names;
    /// [`mem_get_info`](crate::memory::mem_get_info) is for the current context.)
    ///
    /// # Errors
    /// Those of the driver.
    pub fn memory_info(&self) -> CudaResult<(usize, usize)> {
        let _current = self.enter()?;
        driver()?.mem_info()
    }

    /// Waits for everything in the context, whichever is current. (An addition to the published
    /// names.)
    ///
    /// # Errors
    /// Also those of the work.
    pub fn synchronize(&self) -> CudaResult<()> {
        let _current = self.enter()?;
        driver()?.synchronize_context()
    }

    /// Destroys the primary context of a device, whoever uses it.
    ///
    /// # Errors
    /// Those of the driver.
    ///
    /// # Safety
    /// 1. Nothing that was made in the context is used or dropped afterwards, by this crate or
    ///    anyone else in the process.
    pub unsafe fn reset(device: &Device) -> CudaResult<()> {
        // SAFETY: the caller's promise (1).
        unsafe { driver()?.primary_context_reset(device.as_raw()) }
    }

    /// Sets the flags of the device's primary context.
    ///
    /// # Errors
    /// [`CudaError::PrimaryContextActive`] on drivers before CUDA 11 once the context exists.
    pub fn set_flags(&self, flags: ContextFlags) -> CudaResult<()> {
        driver()?.primary_context_set_flags(self.device().as_raw(), flags.bits())
    }

    /// The driver's handle.
    pub fn as_raw(&self) -> CUcontext {
        self.held.raw()
    }

    /// The version of the driver interface the context was made with.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn get_api_version(&self) -> CudaResult<CudaApiVersion> {
        unowned::api_version(&Owner::of(Arc::clone(&self.held)))
    }

    /// Lets kernels and copies of this context reach the memory of `peer`; not the other way. It is
    /// no error where that is on already. (An addition to the published names.)
    ///
    /// # Errors
    /// [`CudaError::PeerAccessUnsupported`] where the devices cannot.
    pub fn enable_peer_access(&self, peer: &Context) -> CudaResult<()> {
        let _current = self.enter()?;
        // SAFETY: `peer` holds a retain of its context.
        match unsafe { driver()?.enable_peer_access(peer.as_raw()) } {
            Err(CudaError::PeerAccessAlreadyEnabled) => Ok(()),
            result => result,
        }
    }

    /// Drops this owner of the context, and returns the result.
    ///
    /// # Errors
    /// The driver's error and the context, where this was the last owner and the driver refused.
    pub fn drop(ctx: Context) -> DropResult<Context> {
        match Arc::try_unwrap(ctx.held) {
            Ok(mut last) => last.release().map_err(|error| {
                (
                    error,
                    Context {
                        held: Arc::new(last),
                    },
                )
            }),
            Err(_shared) => Ok(()),
        }
    }
}
