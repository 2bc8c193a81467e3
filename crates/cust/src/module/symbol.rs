//! Globals and constants of a module.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::AnyBitPattern;

use super::ModuleInner;
use crate::driver;
use crate::error::CudaResult;
use crate::memory::{CopyDestination, DeviceCopy, DevicePointer};
use crate::private::Sealed;

/// A global or constant of a module, of type `T`.
///
/// Constants are read and written by the host as globals are; kernels see a write only if they are
/// launched after it.
///
/// A module's memory holds what the module says, which need not be a `T`. So it is read, by
/// [`CopyDestination`], only as types of which any bits are a value; the published crate reads any
/// `T`. For a struct of your own derive `AnyBitPattern` of [`bytemuck`](crate::memory::bytemuck).
///
/// ```compile_fail,E0277
/// # use cust::prelude::*;
/// fn read(module: &Module, into: &mut bool) -> cust::error::CudaResult<()> {
///     module.get_global::<bool>(c"FLAG")?.copy_to(into)
/// }
/// ```
pub struct Symbol<'a, T: DeviceCopy> {
    address: DevicePointer<T>,
    module: Arc<ModuleInner>,
    borrow: PhantomData<&'a ()>,
}

impl<T: DeviceCopy> Symbol<'_, T> {
    pub(super) fn new(address: DevicePointer<T>, module: Arc<ModuleInner>) -> Self {
        Symbol {
            address,
            module,
            borrow: PhantomData,
        }
    }

    /// Its address on the device. (An addition to the published names.)
    pub fn as_device_ptr(&self) -> DevicePointer<T> {
        self.address
    }
}

impl<T: DeviceCopy> Sealed for Symbol<'_, T> {}

impl<T: DeviceCopy> fmt::Debug for Symbol<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Symbol({:#x})", self.address.as_raw())
    }
}

impl<T: DeviceCopy> fmt::Pointer for Symbol<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.address, f)
    }
}

impl<T: DeviceCopy> Symbol<'_, T> {
    /// Copies `source` here; as [`CopyDestination::copy_from`], of any `T`.
    ///
    /// # Errors
    /// Those of earlier work.
    pub fn copy_from(&mut self, source: &T) -> CudaResult<()> {
        if size_of::<T>() == 0 {
            return Ok(());
        }
        let _current = self.module.enter()?;
        // SAFETY: the module, kept alive, holds `size_of::<T>()` bytes there (checked when the
        // symbol was found), and `source` is as long.
        unsafe {
            driver()?.copy_to_device(
                self.address.as_raw(),
                (&raw const *source).cast::<c_void>(),
                size_of::<T>(),
            )
        }
    }
}

impl<T: DeviceCopy + AnyBitPattern> CopyDestination<T> for Symbol<'_, T> {
    fn copy_from(&mut self, source: &T) -> CudaResult<()> {
        Symbol::copy_from(self, source)
    }

    fn copy_to(&self, dest: &mut T) -> CudaResult<()> {
        if size_of::<T>() == 0 {
            return Ok(());
        }
        let _current = self.module.enter()?;
        // SAFETY: as in `copy_from`, and any bits are a `T`.
        unsafe {
            driver()?.copy_to_host(
                (&raw mut *dest).cast::<c_void>(),
                self.address.as_raw(),
                size_of::<T>(),
            )
        }
    }
}
