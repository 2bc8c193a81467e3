//! The linker: several pieces of PTX or machine code made into one module.

use std::ffi::{CString, c_void};
use std::ptr;

use crate::context::owner::Owner;
use crate::driver;
use crate::error::{CudaError, CudaResult};
use crate::module::{ModuleJitOption, ModuleLoadError, check_image};
use crate::sys::{CUjit_option, CUlinkState, JitLog, LinkInput, jit_option};

/// Links pieces of code that name each other's functions, for the device of the context that was
/// current when it was made.
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
    // What the driver writes to until the linker is destroyed: nothing here is changed, nor grown.
    info: Vec<u8>,
    error: Vec<u8>,
    _keys: Vec<CUjit_option>,
    _values: Vec<*mut c_void>,
}

// SAFETY: the driver allows a linker to be used from any thread; what it writes to is the linker's
// own.
unsafe impl Send for Linker {}
// SAFETY: what is shared is only read, and the driver writes only in calls that borrow the linker
// mutably or use it up.
unsafe impl Sync for Linker {}

impl Linker {
    /// A linker without code.
    ///
    /// # Errors
    /// [`CudaError::InvalidContext`] where no context is current.
    pub fn new() -> CudaResult<Self> {
        Linker::with_options(&[])
    }

    /// A linker that compiles PTX with these options. (An addition to the published names.)
    ///
    /// # Errors
    /// As [`Linker::new`].
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
        // SAFETY: equally many keys and values, and buffers as long as is said; all of it is the
        // linker's, which is destroyed first.
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

    /// Compiles PTX and adds it.
    ///
    /// # Errors
    /// [`CudaError::InvalidPtx`], [`CudaError::UnsupportedPtxVersion`], [`CudaError::InteriorNul`]
    /// and others; [`Linker::log`] says why.
    pub fn add_ptx(&mut self, ptx: impl AsRef<str>) -> CudaResult<()> {
        let ptx = CString::new(ptx.as_ref()).map_err(|_| CudaError::InteriorNul)?;
        self.add(LinkInput::Ptx, ptx.as_bytes_with_nul())
    }

    /// Adds a binary.
    ///
    /// # Errors
    /// [`CudaError::InvalidImage`] where the bytes are no binary or end early,
    /// [`CudaError::NoBinaryForGpu`] and others.
    pub fn add_cubin(&mut self, cubin: impl AsRef<[u8]>) -> CudaResult<()> {
        check_image(cubin.as_ref())?;
        self.add(LinkInput::Cubin, cubin.as_ref())
    }

    /// Adds a bundle of binaries and PTX.
    ///
    /// # Errors
    /// As [`Linker::add_cubin`].
    pub fn add_fatbin(&mut self, fatbin: impl AsRef<[u8]>) -> CudaResult<()> {
        check_image(fatbin.as_ref())?;
        self.add(LinkInput::Fatbinary, fatbin.as_ref())
    }

    /// Adds what is whole of its kind.
    fn add(&mut self, input: LinkInput, data: &[u8]) -> CudaResult<()> {
        let _current = self.owner.enter()?;
        // SAFETY: a linker that was not completed, since that uses it up, its context current;
        // binaries were checked, PTX ends in NUL.
        unsafe { driver()?.link_add(self.raw, input, data, c"") }
    }

    /// What the compiler and the linker have said so far. (An addition to the published names.)
    pub fn log(&self) -> JitLog {
        JitLog::from_buffers(&self.info, &self.error)
    }

    /// Links what was added, and gives the machine code, for
    /// [`Module::from_cubin`](crate::module::Module::from_cubin).
    ///
    /// # Errors
    /// Those of the linker; [`Linker::complete_logged`] says why.
    pub fn complete(self) -> CudaResult<Vec<u8>> {
        Ok(self.complete_logged()?.0)
    }

    /// [`Linker::complete`], with the log on success as on failure. (An addition to the published
    /// names.)
    ///
    /// # Errors
    /// As [`Linker::complete`], with the log in the text.
    pub fn complete_logged(self) -> Result<(Vec<u8>, JitLog), ModuleLoadError> {
        let linked = {
            let _current = self.owner.enter()?;
            // SAFETY: a linker, its context current; it is used up.
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
            // SAFETY: this linker's own, destroyed once, its context current.
            unsafe { driver()?.link_destroy(self.raw) }
        };
        // A failure cannot be reported here.
        let _: CudaResult<()> = destroy();
    }
}
