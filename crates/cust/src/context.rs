//! Contexts: the state of this process on a device.
//!
//! [`Context`] is a reference to the primary context of a device, which is also used by libraries
//! based on the CUDA runtime API. Every object created in it holds a reference too. Explicitly
//! created contexts are in [`legacy`].

use std::sync::Arc;

use crate::device::Device;
use crate::error::{CudaError, CudaResult, DropResult};
use crate::private::Sealed;
use crate::sys::CUcontext;
use crate::{CudaApiVersion, driver};

mod current;
pub mod legacy;
mod managed;
pub(crate) mod owner;
mod settings;
mod unowned;

pub use current::CurrentContext;
pub use owner::ContextGuard;
pub use settings::{
    CacheConfig, ContextFlags, ResourceLimit, SharedMemoryConfig, StreamPriorityRange,
};

use managed::ManagedContext;
use owner::Owner;

/// Reference to a context.
pub trait ContextHandle: Sealed {
    /// Returns the driver's handle.
    fn get_inner(&self) -> CUcontext;
}

/// Reference to a device's primary context.
///
/// Cheap to clone; `Send` and `Sync`. The primary context is released when the last clone and the
/// last object created in it are dropped.
#[derive(Clone, Debug)]
pub struct Context {
    held: Arc<ManagedContext>,
}

impl Sealed for Context {}
impl ContextHandle for Context {
    fn get_inner(&self) -> CUcontext {
        self.held.raw()
    }
}

impl Context {
    /// Retains the primary context of a device and makes it current on this thread.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`] if the device has too little memory for a context,
    /// [`CudaError::DeviceUnavailable`] and others.
    pub fn new(device: Device) -> CudaResult<Self> {
        let context = Context {
            held: ManagedContext::primary(device)?,
        };
        CurrentContext::set_current(&context)?;
        Ok(context)
    }

    /// Makes the context current on this thread until the guard is dropped, which restores the
    /// previous context. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`] if the context was reset.
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
    /// assert_eq!(there.as_host_vec()?, [1, 2, 3]); // a buffer uses its own context
    /// # Ok(())
    /// # }
    /// ```
    pub fn enter(&self) -> CudaResult<ContextGuard<'static>> {
        owner::enter_handle(self.held.raw())
    }

    /// Makes the context current on this thread permanently. (Not part of Rust-CUDA; see also
    /// [`CurrentContext::set_current`].)
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`] if the context was reset.
    pub fn set_current(&self) -> CudaResult<()> {
        CurrentContext::set_current(self)
    }

    /// Returns the device of the context. (Not part of Rust-CUDA.)
    pub fn device(&self) -> Device {
        self.held.device()
    }

    /// Returns the free and the total device memory, in bytes. (Not part of Rust-CUDA;
    /// [`mem_get_info`](crate::memory::mem_get_info) uses the current context.)
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn memory_info(&self) -> CudaResult<(usize, usize)> {
        let _current = self.enter()?;
        driver()?.mem_info()
    }

    /// Waits for all work in this context, whether or not it is current. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// Errors of earlier work.
    pub fn synchronize(&self) -> CudaResult<()> {
        let _current = self.enter()?;
        driver()?.synchronize_context()
    }

    /// Destroys the primary context of a device, even if it is still referenced.
    ///
    /// # Errors
    /// Errors of the driver.
    ///
    /// # Safety
    /// 1. No object created in the context is used or dropped afterwards, by any code in the
    ///    process.
    pub unsafe fn reset(device: &Device) -> CudaResult<()> {
        // SAFETY: the caller's guarantee (1).
        unsafe { driver()?.primary_context_reset(device.as_raw()) }
    }

    /// Sets the flags of the device's primary context.
    ///
    /// # Errors
    /// [`CudaError::PrimaryContextActive`] on drivers before CUDA 11 if the context exists.
    pub fn set_flags(&self, flags: ContextFlags) -> CudaResult<()> {
        driver()?.primary_context_set_flags(self.device().as_raw(), flags.bits())
    }

    /// Returns the driver's handle.
    pub fn as_raw(&self) -> CUcontext {
        self.held.raw()
    }

    /// Returns the API version with which the context was created.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn get_api_version(&self) -> CudaResult<CudaApiVersion> {
        unowned::api_version(&Owner::from_managed(Arc::clone(&self.held)))
    }

    /// Allows kernels and copies in this context to access the memory of `peer`, in this direction
    /// only. Has no effect if access is already enabled. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// [`CudaError::PeerAccessUnsupported`] if the devices do not support it.
    pub fn enable_peer_access(&self, peer: &Context) -> CudaResult<()> {
        let _current = self.enter()?;
        // SAFETY: `peer` retains its context.
        match unsafe { driver()?.enable_peer_access(peer.as_raw()) } {
            Err(CudaError::PeerAccessAlreadyEnabled) => Ok(()),
            result => result,
        }
    }

    /// Drops this reference to the context and returns the result.
    ///
    /// # Errors
    /// The driver's error and the context, if this was the last reference and the driver could not
    /// release it.
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
