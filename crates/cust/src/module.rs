//! Modules: loaded device code and data.

use std::ffi::{CStr, CString, c_void};
use std::io;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use crate::context::ContextGuard;
use crate::context::owner::Owner;
use crate::driver;
use crate::error::{CudaError, CudaResult, DropResult};
use crate::memory::{DeviceCopy, DevicePointer, DeviceSlice};
use crate::sys::{CUmodule, JitLog};

mod heap;
mod image;
mod jit;
mod symbol;

pub use heap::ModuleHeap;
pub use jit::{JitFallback, JitTarget, ModuleJitOption, OptLevel};
pub use symbol::Symbol;

pub(crate) use image::check as check_image;

/// Code and data loaded into the context that was current.
#[derive(Debug)]
pub struct Module {
    inner: Arc<ModuleInner>,
}

/// The driver's module, unloaded when the [`Module`] and all its functions and symbols are dropped.
#[derive(Debug)]
pub(crate) struct ModuleInner {
    raw: CUmodule,
    owner: Owner,
}

// SAFETY: the driver allows the use of a module from any thread.
unsafe impl Send for ModuleInner {}
// SAFETY: as above; the driver synchronizes internally.
unsafe impl Sync for ModuleInner {}

/// Failure to load a module, with the messages of the driver's compiler. (Not part of Rust-CUDA.)
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}{}", log_after(log))]
pub struct ModuleLoadError {
    /// Error of the driver.
    pub error: CudaError,
    /// Log of the compiler; for invalid PTX, line numbers and reasons.
    pub log: JitLog,
}

fn log_after(log: &JitLog) -> String {
    [&log.error, &log.info]
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(|text| format!("\n{text}"))
        .collect()
}

impl From<ModuleLoadError> for CudaError {
    fn from(failure: ModuleLoadError) -> CudaError {
        failure.error
    }
}

impl From<CudaError> for ModuleLoadError {
    fn from(error: CudaError) -> ModuleLoadError {
        ModuleLoadError {
            error,
            log: JitLog::default(),
        }
    }
}

impl Module {
    /// Loads PTX, which the driver compiles for the device and caches. [`Module::from_ptx_logged`]
    /// also returns the compiler's messages.
    ///
    /// # Errors
    /// [`CudaError::InvalidPtx`], [`CudaError::UnsupportedPtxVersion`],
    /// [`CudaError::NoBinaryForGpu`], [`CudaError::InteriorNul`] and others.
    pub fn from_ptx<T: AsRef<str>>(string: T, options: &[ModuleJitOption]) -> CudaResult<Module> {
        Ok(Module::from_ptx_logged(string, options)?.0)
    }

    /// Does the same as [`Module::from_ptx`] and also returns the compiler's log, on success and on
    /// failure. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// See [`Module::from_ptx`]; the error contains the log.
    pub fn from_ptx_logged<T: AsRef<str>>(
        string: T,
        options: &[ModuleJitOption],
    ) -> Result<(Module, JitLog), ModuleLoadError> {
        let ptx = CString::new(string.as_ref()).map_err(|_| CudaError::InteriorNul)?;
        // SAFETY: NUL-terminated PTX.
        unsafe { Module::load(ptx.as_ptr().cast::<c_void>(), options) }
    }

    /// Loads PTX from a C string, without copying it; see [`Module::from_ptx`].
    ///
    /// # Errors
    /// See [`Module::from_ptx`].
    pub fn from_ptx_cstr(cstr: &CStr, options: &[ModuleJitOption]) -> CudaResult<Module> {
        // SAFETY: NUL-terminated PTX.
        Ok(unsafe { Module::load(cstr.as_ptr().cast::<c_void>(), options) }?.0)
    }

    /// Loads a binary for one architecture.
    ///
    /// # Errors
    /// [`CudaError::InvalidImage`] if the data is not a complete binary,
    /// [`CudaError::NoBinaryForGpu`].
    pub fn from_cubin<T: AsRef<[u8]>>(bytes: T, options: &[ModuleJitOption]) -> CudaResult<Module> {
        let bytes = bytes.as_ref();
        image::check(bytes)?;
        // SAFETY: a cubin or fatbin that contains everything that its headers reference.
        Ok(unsafe { Module::load(bytes.as_ptr().cast::<c_void>(), options) }?.0)
    }

    /// Loads a bundle of binaries and PTX.
    ///
    /// # Errors
    /// See [`Module::from_cubin`].
    pub fn from_fatbin<T: AsRef<[u8]>>(
        bytes: T,
        options: &[ModuleJitOption],
    ) -> CudaResult<Module> {
        Module::from_cubin(bytes, options)
    }

    /// Loads a file with PTX, a cubin or a fatbin.
    ///
    /// # Errors
    /// [`CudaError::FileNotFound`], [`CudaError::OperatingSystemError`] if the file cannot be read,
    /// and the errors of [`Module::from_ptx`] and [`Module::from_cubin`].
    pub fn from_file<P: AsRef<Path>>(path: P) -> CudaResult<Module> {
        let bytes = std::fs::read(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => CudaError::FileNotFound,
            _ => CudaError::OperatingSystemError,
        })?;
        match String::from_utf8(bytes) {
            Ok(ptx) if !ptx.starts_with('\u{7f}') => Module::from_ptx(ptx, &[]),
            Ok(elf) => Module::from_cubin(elf, &[]),
            Err(binary) => Module::from_cubin(binary.into_bytes(), &[]),
        }
    }

    /// Loads PTX without options; see [`Module::from_ptx`].
    ///
    /// # Errors
    /// See [`Module::from_ptx`].
    #[deprecated(note = "use from_ptx")]
    #[expect(clippy::should_implement_trait, reason = "the name in Rust-CUDA")]
    pub fn from_str<T: AsRef<str>>(string: T) -> CudaResult<Module> {
        Module::from_ptx(string, &[])
    }

    /// Loads PTX from a C string without options; see [`Module::from_ptx_cstr`].
    ///
    /// # Errors
    /// See [`Module::from_ptx`].
    #[deprecated(note = "use from_ptx_cstr")]
    pub fn load_from_string(image: &CStr) -> CudaResult<Module> {
        Module::from_ptx_cstr(image, &[])
    }

    /// Loads an image into the current context.
    ///
    /// # Safety
    /// 1. `image` points to NUL-terminated PTX, or to a complete cubin or fatbin.
    unsafe fn load(
        image: *const c_void,
        options: &[ModuleJitOption],
    ) -> Result<(Module, JitLog), ModuleLoadError> {
        let owner = Owner::current()?;
        let options: Vec<_> = options.iter().map(|option| option.pair()).collect();
        // SAFETY: the caller guarantees a valid image (1); the options are in the driver's
        // encoding.
        let (loaded, log) = unsafe { driver()?.module_load(image, &options) };
        match loaded {
            Ok(raw) => Ok((
                Module {
                    inner: Arc::new(ModuleInner { raw, owner }),
                },
                log,
            )),
            Err(error) => Err(ModuleLoadError { error, log }),
        }
    }

    /// Returns a global or constant variable of type `T`.
    ///
    /// # Errors
    /// [`CudaError::NotFound`], [`CudaError::SymbolSize`] if its size differs from that of `T`.
    pub fn get_global<'a, T: DeviceCopy>(&'a self, name: &CStr) -> CudaResult<Symbol<'a, T>> {
        let (address, bytes) = self.inner.global(name)?;
        if bytes != size_of::<T>() {
            return Err(CudaError::SymbolSize {
                symbol: bytes,
                requested: size_of::<T>(),
            });
        }
        Ok(Symbol::new(
            DevicePointer::from_raw(address),
            Arc::clone(&self.inner),
        ))
    }

    /// Returns a global or constant array. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// [`CudaError::NotFound`], [`CudaError::SymbolSize`] if its size is not a multiple of that of
    /// `T`.
    ///
    /// # Safety
    /// 1. The slice is not used after the module is dropped.
    pub unsafe fn get_global_slice<T: DeviceCopy>(
        &self,
        name: &CStr,
    ) -> CudaResult<DeviceSlice<T>> {
        let (address, bytes) = self.inner.global(name)?;
        if size_of::<T>() == 0 || !bytes.is_multiple_of(size_of::<T>()) {
            return Err(CudaError::SymbolSize {
                symbol: bytes,
                requested: size_of::<T>(),
            });
        }
        Ok(DeviceSlice::in_context(
            DevicePointer::from_raw(address),
            bytes / size_of::<T>(),
            self.inner.owner.raw(),
        ))
    }

    /// Unloads the module and returns the result. If owned functions of the module still exist, it
    /// is unloaded with the last of them.
    ///
    /// # Errors
    /// The driver's error and the module.
    pub fn drop(module: Module) -> DropResult<Module> {
        match Arc::try_unwrap(module.inner) {
            Ok(mut inner) => inner.unload().map_err(|error| {
                (
                    error,
                    Module {
                        inner: Arc::new(inner),
                    },
                )
            }),
            Err(_shared) => Ok(()),
        }
    }

    pub(crate) fn shared(&self) -> &Arc<ModuleInner> {
        &self.inner
    }
}

impl ModuleInner {
    pub(crate) fn raw(&self) -> CUmodule {
        self.raw
    }

    pub(crate) fn enter(&self) -> CudaResult<ContextGuard<'_>> {
        self.owner.enter()
    }

    /// Returns address and size in bytes of a global variable.
    fn global(&self, name: &CStr) -> CudaResult<(u64, usize)> {
        let _current = self.enter()?;
        // SAFETY: a loaded module; callers do not use the address longer than the module.
        unsafe { driver()?.module_global(self.raw, name) }
    }

    /// Unloads the module, if it has not been unloaded.
    fn unload(&mut self) -> CudaResult<()> {
        if self.raw.is_null() {
            return Ok(());
        }
        let _current = self.owner.enter()?;
        // SAFETY: this crate loaded the module and has not unloaded it; functions and symbols hold
        // a reference, and the mutable borrow shows that none is left. The driver waits for pending
        // launches.
        unsafe { driver()?.module_unload(self.raw) }?;
        self.raw = ptr::null_mut();
        Ok(())
    }
}

impl Drop for ModuleInner {
    fn drop(&mut self) {
        // Errors cannot be reported here.
        let _ = self.unload();
    }
}
