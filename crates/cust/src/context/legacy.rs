//! Explicitly created contexts, and the context stack of each thread.
//!
//! Provided for programs written before primary contexts existed. Prefer
//! [`Context`](super::Context), which libraries share.
//!
//! ```no_run
//! use cust::context::legacy::{Context, ContextFlags, ContextStack};
//! use cust::prelude::{CudaFlags, Device};
//!
//! # fn main() -> cust::error::CudaResult<()> {
//! cust::init(CudaFlags::empty())?;
//! let context = Context::create_and_push(ContextFlags::SCHED_AUTO, Device::get_device(0)?)?;
//! let handle = ContextStack::pop()?;
//! std::thread::spawn(move || ContextStack::push(&handle)).join().expect("no panic")?;
//! # drop(context);
//! # Ok(())
//! # }
//! ```

use std::sync::Arc;

use super::ContextHandle;
use super::managed::ManagedContext;
use super::owner::{self, Owner};
use super::unowned::api_version;
use crate::device::Device;
use crate::error::{CudaResult, DropResult};
use crate::private::Sealed;
use crate::sys::CUcontext;
use crate::{CudaApiVersion, driver};

pub use super::unowned::UnownedContext;
pub use super::{
    CacheConfig, ContextFlags, CurrentContext, ResourceLimit, SharedMemoryConfig,
    StreamPriorityRange,
};

/// An explicitly created context of a device. It is destroyed when this value and all objects
/// created in it are dropped.
#[derive(Debug)]
pub struct Context {
    managed: Arc<ManagedContext>,
}

impl Context {
    /// Creates a context and pushes it onto this thread's stack.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::error::CudaError::OutOfMemory) and others.
    pub fn create_and_push(flags: ContextFlags, device: Device) -> CudaResult<Context> {
        let managed = ManagedContext::create(device, flags.bits())?;
        Ok(Context { managed })
    }

    /// Returns the API version with which the context was created.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn get_api_version(&self) -> CudaResult<CudaApiVersion> {
        api_version(&Owner::from_managed(Arc::clone(&self.managed)))
    }

    /// Returns a reference that can be pushed onto another thread's stack.
    pub fn get_unowned(&self) -> UnownedContext {
        UnownedContext::from_owner(Owner::from_managed(Arc::clone(&self.managed)))
    }

    /// Destroys the context and returns the result. If objects created in it still exist, it is
    /// destroyed with the last of them.
    ///
    /// # Errors
    /// The driver's error and the context.
    pub fn drop(ctx: Context) -> DropResult<Context> {
        match Arc::try_unwrap(ctx.managed) {
            Ok(mut last) => last.release().map_err(|error| {
                (
                    error,
                    Context {
                        managed: Arc::new(last),
                    },
                )
            }),
            Err(_shared) => Ok(()),
        }
    }
}

impl Sealed for Context {}
impl ContextHandle for Context {
    fn get_inner(&self) -> CUcontext {
        self.managed.raw()
    }
}

/// Context stack of this thread, whose top is the current context.
#[derive(Debug)]
pub struct ContextStack;

impl ContextStack {
    /// Pops the top context from the stack.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::error::CudaError::InvalidContext) if the stack is
    /// empty.
    pub fn pop() -> CudaResult<UnownedContext> {
        // get a reference first, to keep the context alive while it leaves the stack
        let owner = Owner::current()?;
        driver()?.pop_context()?;
        Ok(UnownedContext::from_owner(owner))
    }

    /// Pushes a context onto the stack, which makes it current. Accepts primary contexts too.
    ///
    /// # Errors
    /// [`CudaError::ContextIsDestroyed`](crate::error::CudaError::ContextIsDestroyed) if it belongs
    /// to another library and is not current.
    pub fn push<C: ContextHandle>(ctx: &C) -> CudaResult<()> {
        let _keep = owner::keep_alive(ctx.get_inner())?;
        // SAFETY: the context is alive.
        unsafe { driver()?.push_context(ctx.get_inner()) }
    }
}
