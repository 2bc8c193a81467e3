//! Global and constant variables of a module.

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

/// Global or constant variable of a module, of type `T`.
///
/// The host can write constants like globals; the new value is visible to kernels launched
/// afterwards.
///
/// The memory of a module need not contain a valid `T`. Therefore [`CopyDestination`] reads only
/// types for which all bit patterns are valid; Rust-CUDA reads any `T`. For your own structs,
/// derive `AnyBitPattern` of [`bytemuck`](crate::memory::bytemuck).
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

    /// Returns the device address. (Not part of Rust-CUDA.)
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
    /// Copies `source` to the variable, like [`CopyDestination::copy_from`] but for any `T`.
    ///
    /// # Errors
    /// Errors of earlier work.
    pub fn copy_from(&mut self, source: &T) -> CudaResult<()> {
        if size_of::<T>() == 0 {
            return Ok(());
        }
        let _current = self.module.enter()?;
        // SAFETY: the module is kept loaded and has `size_of::<T>()` bytes at this address (checked
        // when the symbol was looked up), the size of `source`.
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
        // SAFETY: see `copy_from`; every bit pattern is a valid `T`.
        unsafe {
            driver()?.copy_to_host(
                (&raw mut *dest).cast::<c_void>(),
                self.address.as_raw(),
                size_of::<T>(),
            )
        }
    }
}
