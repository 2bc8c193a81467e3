//! Modules: device code and data, loaded.

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

/// The driver's module, unloaded when the [`Module`] and every function and symbol taken from it
/// are gone.
#[derive(Debug)]
pub(crate) struct ModuleInner {
    raw: CUmodule,
    owner: Owner,
}

// SAFETY: the driver allows a module to be used from any thread.
unsafe impl Send for ModuleInner {}
// SAFETY: as above; it locks for itself.
unsafe impl Sync for ModuleInner {}

/// A module that could not be loaded, with what the driver's compiler said. (An addition to the
/// published names.)
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{error}{}", log_after(log))]
pub struct ModuleLoadError {
    /// The driver's error.
    pub error: CudaError,
    /// The compiler's log; for PTX that it refused, line numbers and reasons.
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
    /// Loads PTX, which the driver compiles for the device (and remembers in its cache).
    /// [`Module::from_ptx_logged`] says why, where the compiler refuses it.
    ///
    /// # Errors
    /// [`CudaError::InvalidPtx`], [`CudaError::UnsupportedPtxVersion`],
    /// [`CudaError::NoBinaryForGpu`], [`CudaError::InteriorNul`] and others.
    pub fn from_ptx<T: AsRef<str>>(string: T, options: &[ModuleJitOption]) -> CudaResult<Module> {
        Ok(Module::from_ptx_logged(string, options)?.0)
    }

    /// [`Module::from_ptx`], with the compiler's log on success as on failure. (An addition to the
    /// published names.)
    ///
    /// # Errors
    /// As [`Module::from_ptx`], with the log in the text.
    pub fn from_ptx_logged<T: AsRef<str>>(
        string: T,
        options: &[ModuleJitOption],
    ) -> Result<(Module, JitLog), ModuleLoadError> {
        let ptx = CString::new(string.as_ref()).map_err(|_| CudaError::InteriorNul)?;
        // SAFETY: PTX text that ends in NUL.
        unsafe { Module::load(ptx.as_ptr().cast::<c_void>(), options) }
    }

    /// [`Module::from_ptx`] for a C string, which need not be copied.
    ///
    /// # Errors
    /// As [`Module::from_ptx`].
    pub fn from_ptx_cstr(cstr: &CStr, options: &[ModuleJitOption]) -> CudaResult<Module> {
        // SAFETY: PTX text that ends in NUL.
        Ok(unsafe { Module::load(cstr.as_ptr().cast::<c_void>(), options) }?.0)
    }

    /// Loads a binary for one architecture.
    ///
    /// # Errors
    /// [`CudaError::InvalidImage`] where the bytes are no binary or end early,
    /// [`CudaError::NoBinaryForGpu`].
    pub fn from_cubin<T: AsRef<[u8]>>(bytes: T, options: &[ModuleJitOption]) -> CudaResult<Module> {
        let bytes = bytes.as_ref();
        image::check(bytes)?;
        // SAFETY: a cubin or fatbin that holds all that its headers speak of.
        Ok(unsafe { Module::load(bytes.as_ptr().cast::<c_void>(), options) }?.0)
    }

    /// Loads a bundle of binaries and PTX.
    ///
    /// # Errors
    /// As [`Module::from_cubin`].
    pub fn from_fatbin<T: AsRef<[u8]>>(
        bytes: T,
        options: &[ModuleJitOption],
    ) -> CudaResult<Module> {
        Module::from_cubin(bytes, options)
    }

    /// Loads a file that holds PTX, a cubin or a fatbin.
    ///
    /// # Errors
    /// [`CudaError::FileNotFound`], [`CudaError::OperatingSystemError`] where the file cannot be
    /// read, and those above.
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

    /// [`Module::from_ptx`] without options.
    ///
    /// # Errors
    /// As [`Module::from_ptx`].
    #[deprecated(note = "use from_ptx")]
    #[expect(clippy::should_implement_trait, reason = "the published name")]
    pub fn from_str<T: AsRef<str>>(string: T) -> CudaResult<Module> {
        Module::from_ptx(string, &[])
    }

    /// [`Module::from_ptx_cstr`] without options.
    ///
    /// # Errors
    /// As [`Module::from_ptx`].
    #[deprecated(note = "use from_ptx_cstr")]
    pub fn load_from_string(image: &CStr) -> CudaResult<Module> {
        Module::from_ptx_cstr(image, &[])
    }

    /// Loads an image into the current context.
    ///
    /// # Safety
    /// 1. `image` points at PTX that ends in NUL, or at a whole cubin or fatbin.
    unsafe fn load(
        image: *const c_void,
        options: &[ModuleJitOption],
    ) -> Result<(Module, JitLog), ModuleLoadError> {
        let owner = Owner::current()?;
        let options: Vec<_> = options.iter().map(|option| option.pair()).collect();
        // SAFETY: the image is the caller's promise (1); the options are pairs as the driver wants
        // them.
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

    /// A global or constant of type `T`, by its name.
    ///
    /// # Errors
    /// [`CudaError::NotFound`], [`CudaError::SymbolSize`] where its size is not that of `T`.
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

    /// A global or constant array, by its name, with its length. (An addition to the published
    /// names.)
    ///
    /// # Errors
    /// [`CudaError::NotFound`], [`CudaError::SymbolSize`] where its size is no multiple of that of
    /// `T`.
    ///
    /// # Safety
    /// 1. The slice is not used after the module was dropped.
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

    /// Unloads the module, and returns the result. Where functions that own a share of it still
    /// exist, it is unloaded with the last of them.
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

    /// Address and bytes of a global.
    fn global(&self, name: &CStr) -> CudaResult<(u64, usize)> {
        let _current = self.enter()?;
        // SAFETY: a loaded module; the callers see to it that the address is not used longer.
        unsafe { driver()?.module_global(self.raw, name) }
    }

    /// Unloads the module unless it is already.
    fn unload(&mut self) -> CudaResult<()> {
        if self.raw.is_null() {
            return Ok(());
        }
        let _current = self.owner.enter()?;
        // SAFETY: this crate loaded the module and has not unloaded it; functions and symbols hold
        // it, and `self`, borrowed mutably, is its last holder. Launches still queued are waited
        // for by the driver.
        unsafe { driver()?.module_unload(self.raw) }?;
        self.raw = ptr::null_mut();
        Ok(())
    }
}

impl Drop for ModuleInner {
    fn drop(&mut self) {
        // A failure cannot be reported here.
        let _ = self.unload();
    }
}
