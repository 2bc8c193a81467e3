//! Linker: combines several pieces of PTX or machine code into one module.

use std::ffi::{CString, c_void};
use std::ptr;

use crate::context::owner::Owner;
use crate::driver;
use crate::error::{CudaError, CudaResult};
use crate::module::{ModuleJitOption, ModuleLoadError, check_image};
use crate::sys::{CUjit_option, CUlinkState, JitLog, LinkInput, jit_option};

/// Links pieces of code that reference each other's functions, for the device of the context that
/// was current when the linker was created.
///
/// ```no_run
/// use cust::link::Linker;
/// use cust::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let _context = cust::quick_init()?;
/// let mut linker = Linker::new()?;
/// linker.add_ptx(std::fs::read_to_string("kernels.ptx")?)?;
/// linker.add_ptx(std::fs::read_to_string("functions.ptx")?)?;
/// let module = Module::from_cubin(linker.complete()?, &[])?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Linker {
    raw: CUlinkState,
    owner: Owner,
    // Buffers that the driver writes to until the linker is destroyed; they must not be modified or
    // moved.
    info: Vec<u8>,
    error: Vec<u8>,
    _keys: Vec<CUjit_option>,
    _values: Vec<*mut c_void>,
}

// SAFETY: the driver allows the use of a linker from any thread, and the linker owns the buffers
// written by the driver.
unsafe impl Send for Linker {}
// SAFETY: shared access only reads, and the driver writes only during calls that take the linker by
// mutable reference or by value.
unsafe impl Sync for Linker {}

impl Linker {
    /// Creates an empty linker.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`] if no context is current.
    pub fn new() -> CudaResult<Self> {
        Linker::with_options(&[])
    }

    /// Creates an empty linker with options for the compilation of PTX. (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// See [`Linker::new`].
    pub fn with_options(options: &[ModuleJitOption]) -> CudaResult<Self> {
        let owner = Owner::current()?;
        let (mut info, mut error) = (vec![0u8; JitLog::BYTES], vec![0u8; JitLog::BYTES]);
        let (mut keys, mut values) = ModuleJitOption::into_raw(options);
        for (buffer, buffer_key, size_key) in [
            (
                &mut info,
                jit_option::INFO_LOG_BUFFER,
                jit_option::INFO_LOG_BUFFER_SIZE_BYTES,
            ),
            (
                &mut error,
                jit_option::ERROR_LOG_BUFFER,
                jit_option::ERROR_LOG_BUFFER_SIZE_BYTES,
            ),
        ] {
            keys.extend([buffer_key, size_key]);
            values.push(buffer.as_mut_ptr().cast::<c_void>());
            values.push(ptr::without_provenance_mut(buffer.len()));
        }
        // SAFETY: as many keys as values, and buffers of the given sizes; the linker owns all of
        // them and is destroyed before they are freed.
        let raw =
            unsafe { driver()?.link_create(keys.len(), keys.as_mut_ptr(), values.as_mut_ptr()) }?;
        Ok(Linker {
            raw,
            owner,
            info,
            error,
            _keys: keys,
            _values: values,
        })
    }

    /// Compiles and adds PTX.
    ///
    /// # Errors
    /// [`CudaError::InvalidPtx`], [`CudaError::UnsupportedPtxVersion`], [`CudaError::InteriorNul`]
    /// and others; [`Linker::log`] has the compiler's messages.
    pub fn add_ptx(&mut self, ptx: impl AsRef<str>) -> CudaResult<()> {
        let ptx = CString::new(ptx.as_ref()).map_err(|_| CudaError::InteriorNul)?;
        self.add(LinkInput::Ptx, ptx.as_bytes_with_nul())
    }

    /// Adds a binary for one architecture.
    ///
    /// # Errors
    /// [`CudaError::InvalidImage`] if the data is not a complete binary,
    /// [`CudaError::NoBinaryForGpu`] and others.
    pub fn add_cubin(&mut self, cubin: impl AsRef<[u8]>) -> CudaResult<()> {
        check_image(cubin.as_ref())?;
        self.add(LinkInput::Cubin, cubin.as_ref())
    }

    /// Adds a bundle of binaries and PTX.
    ///
    /// # Errors
    /// See [`Linker::add_cubin`].
    pub fn add_fatbin(&mut self, fatbin: impl AsRef<[u8]>) -> CudaResult<()> {
        check_image(fatbin.as_ref())?;
        self.add(LinkInput::Fatbinary, fatbin.as_ref())
    }

    /// Adds a complete input.
    fn add(&mut self, input: LinkInput, data: &[u8]) -> CudaResult<()> {
        let _current = self.owner.enter()?;
        // SAFETY: a linker that has not been completed, because that consumes it, with its context
        // current; binaries were checked, and PTX is NUL-terminated.
        unsafe { driver()?.link_add(self.raw, input, data, c"") }
    }

    /// Returns the messages of the compiler and the linker so far. (Not part of Rust-CUDA.)
    pub fn log(&self) -> JitLog {
        JitLog::from_buffers(&self.info, &self.error)
    }

    /// Links the added code and returns the machine code, for
    /// [`Module::from_cubin`](crate::module::Module::from_cubin).
    ///
    /// # Errors
    /// Errors of the linker; [`Linker::complete_logged`] returns its messages.
    pub fn complete(self) -> CudaResult<Vec<u8>> {
        Ok(self.complete_logged()?.0)
    }

    /// Does the same as [`Linker::complete`] and also returns the log, on success and on failure.
    /// (Not part of Rust-CUDA.)
    ///
    /// # Errors
    /// See [`Linker::complete`]; the error contains the log.
    pub fn complete_logged(self) -> Result<(Vec<u8>, JitLog), ModuleLoadError> {
        let linked = {
            let _current = self.owner.enter()?;
            // SAFETY: a live linker whose context is current; it is consumed.
            unsafe { driver()?.link_complete(self.raw) }
        };
        let log = self.log();
        match linked {
            Ok(cubin) => Ok((cubin, log)),
            Err(error) => Err(ModuleLoadError { error, log }),
        }
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        let destroy = || {
            let _current = self.owner.enter()?;
            // SAFETY: this linker's handle, destroyed once, with its context current.
            unsafe { driver()?.link_destroy(self.raw) }
        };
        // Errors cannot be reported here.
        let _: CudaResult<()> = destroy();
    }
}
