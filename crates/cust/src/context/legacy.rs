//! Contexts beside the primary one, and each thread's stack of them.
//!
//! Programs written before primary contexts use these; others do better with
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
use super::held::Held;
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

/// A context of one's own on a device. It is destroyed when the value, and everything that was made
/// in it, is gone.
#[derive(Debug)]
pub struct Context {
    held: Arc<Held>,
}

impl Context {
    /// A new context, on top of this thread's stack.
    ///
    /// # Errors
    /// [`CudaError::OutOfMemory`](crate::error::CudaError::OutOfMemory) and others.
    pub fn create_and_push(flags: ContextFlags, device: Device) -> CudaResult<Context> {
        let held = Held::create(device, flags.bits())?;
        Ok(Context { held })
    }

    /// The version of the driver interface the context was made with.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn get_api_version(&self) -> CudaResult<CudaApiVersion> {
        api_version(&Owner::of(Arc::clone(&self.held)))
    }

    /// The context as something to push on another thread's stack.
    pub fn get_unowned(&self) -> UnownedContext {
        UnownedContext::of(Owner::of(Arc::clone(&self.held)))
    }

    /// Destroys the context, and returns the result. Where something that was made in it still
    /// exists, it goes with the last of that.
    ///
    /// # Errors
    /// The driver's error and the context.
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

impl Sealed for Context {}
impl ContextHandle for Context {
    fn get_inner(&self) -> CUcontext {
        self.held.raw()
    }
}

/// This thread's stack of contexts. The one on top is current.
#[derive(Debug)]
pub struct ContextStack;

impl ContextStack {
    /// Takes the top context off the stack.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`](crate::error::CudaError::InvalidContext) where there is none.
    pub fn pop() -> CudaResult<UnownedContext> {
        // asked beforehand, so that it is kept while it leaves the stack
        let owner = Owner::current()?;
        driver()?.pop_context()?;
        Ok(UnownedContext::of(owner))
    }

    /// Puts a context on the stack, and so makes it current. Any context will do, also a primary
    /// one.
    ///
    /// # Errors
    /// [`CudaError::ContextIsDestroyed`](crate::error::CudaError::ContextIsDestroyed) for another
    /// library's that is not current.
    pub fn push<C: ContextHandle>(ctx: &C) -> CudaResult<()> {
        let _keep = owner::keep(ctx.get_inner())?;
        // SAFETY: the context is there.
        unsafe { driver()?.push_context(ctx.get_inner()) }
    }
}
