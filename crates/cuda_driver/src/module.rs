//! Modules: loading PTX or binaries, with the compiler's log, and finding what is in them.

use std::ffi::{CStr, c_uint, c_void};
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaError, CudaResult, check};
use crate::types::{CUdeviceptr, CUfunction, CUjit_option, CUmodule, as_slot};

/// The keys of the just-in-time compilation options used here, by the driver's numbers.
pub mod jit_option {
    use crate::types::CUjit_option;

    /// The most registers a thread may use.
    pub const MAX_REGISTERS: CUjit_option = 0;
    /// Where the compiler's notes go.
    pub const INFO_LOG_BUFFER: CUjit_option = 3;
    /// Room for notes; the driver overwrites the value with the bytes used.
    pub const INFO_LOG_BUFFER_SIZE_BYTES: CUjit_option = 4;
    /// Where the compiler's complaints go.
    pub const ERROR_LOG_BUFFER: CUjit_option = 5;
    /// Room for complaints; the driver overwrites the value with the bytes used.
    pub const ERROR_LOG_BUFFER_SIZE_BYTES: CUjit_option = 6;
    /// 0 to 4.
    pub const OPTIMIZATION_LEVEL: CUjit_option = 7;
    /// Compile for the current context's device, which is the default.
    pub const TARGET_FROM_CUCONTEXT: CUjit_option = 8;
    /// Compile for this architecture: 90 for sm_90.
    pub const TARGET: CUjit_option = 9;
    /// What to do where no binary fits: 0 prefers PTX, 1 a compatible binary.
    pub const FALLBACK_STRATEGY: CUjit_option = 10;
    /// Whether to make debug information.
    pub const GENERATE_DEBUG_INFO: CUjit_option = 11;
    /// Whether the log is verbose.
    pub const LOG_VERBOSE: CUjit_option = 12;
    /// Whether to make line information.
    pub const GENERATE_LINE_INFO: CUjit_option = 13;
}

/// What the driver's PTX compiler wrote while it compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JitLog {
    /// Notes: with a verbose log, registers and memory of each kernel.
    pub info: String,
    /// Complaints; empty where compilation went well.
    pub error: String,
}

impl JitLog {
    /// Room for each of the two. The compiler stops at the first few errors; 16 KiB has always been
    /// enough to see them.
    pub const BYTES: usize = 16 * 1024;

    /// What stands in the two buffers that the driver was given.
    pub fn from_buffers(info: &[u8], error: &[u8]) -> JitLog {
        JitLog {
            info: text_until_nul(info),
            error: text_until_nul(error),
        }
    }
}

impl Driver {
    /// `cuModuleLoadDataEx`: loads PTX, a cubin or a fatbin into the current context. The log comes
    /// back also where loading fails, so it is apart from the result. Options that concern the log
    /// buffers are this function's own business: leave them out.
    ///
    /// # Safety
    /// 1. `image` points at PTX that ends in NUL, or at a whole cubin or fatbin; the driver finds
    ///    the end by itself.
    /// 2. `options` holds keys of [`jit_option`] with values of the kind each key takes, and none
    ///    of the four log-buffer keys.
    pub unsafe fn module_load(
        &self,
        image: *const c_void,
        options: &[(CUjit_option, usize)],
    ) -> (CudaResult<CUmodule>, JitLog) {
        let mut info = vec![0u8; JitLog::BYTES];
        let mut error = vec![0u8; JitLog::BYTES];
        let mut keys: Vec<CUjit_option> = options.iter().map(|option| option.0).collect();
        let mut values: Vec<*mut c_void> = options.iter().map(|option| as_slot(option.1)).collect();
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
            values.extend([buffer.as_mut_ptr().cast::<c_void>(), as_slot(buffer.len())]);
        }
        let load = self.table.module_load_data_ex.get();
        let loaded = load.map_err(CudaError::from).and_then(|load| {
            let mut module: CUmodule = ptr::null_mut();
            // SAFETY: the image is the caller's promise (1), the options too (2); keys and values
            // are live, of equal length, and the two log buffers have the sizes that are passed and
            // outlive the call.
            let status = unsafe {
                load(
                    &mut module,
                    image,
                    keys.len() as c_uint,
                    keys.as_mut_ptr(),
                    values.as_mut_ptr(),
                )
            };
            check(status).map(|()| module)
        });
        (loaded, JitLog::from_buffers(&info, &error))
    }

    /// `cuModuleUnload`.
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle) and those of earlier work.
    ///
    /// # Safety
    /// 1. `module` is a loaded module whose context is current.
    /// 2. None of its functions or globals is used afterwards, by the host or by work still under
    ///    way.
    pub unsafe fn module_unload(&self, module: CUmodule) -> CudaResult<()> {
        let unload = self.table.module_unload.get()?;
        // SAFETY: the caller's promises (1, 2).
        check(unsafe { unload(module) })
    }

    /// `cuModuleGetFunction`: a kernel by its entry name.
    ///
    /// # Errors
    /// [`CudaError::NotFound`](crate::CudaError::NotFound).
    ///
    /// # Safety
    /// 1. `module` is a loaded module.
    /// 2. The returned function is not used after the module was unloaded.
    pub unsafe fn module_function(&self, module: CUmodule, name: &CStr) -> CudaResult<CUfunction> {
        let get_function = self.table.module_get_function.get()?;
        let mut function: CUfunction = ptr::null_mut();
        // SAFETY: a loaded module (1), a NUL-terminated name, a live out-parameter.
        check(unsafe { get_function(&mut function, module, name.as_ptr()) })?;
        Ok(function)
    }

    /// `cuModuleGetGlobal`: address and size in bytes of a global or constant, by its name.
    ///
    /// # Errors
    /// [`CudaError::NotFound`](crate::CudaError::NotFound).
    ///
    /// # Safety
    /// 1. `module` is a loaded module.
    /// 2. The returned address is not used after the module was unloaded.
    pub unsafe fn module_global(
        &self,
        module: CUmodule,
        name: &CStr,
    ) -> CudaResult<(CUdeviceptr, usize)> {
        let get_global = self.table.module_get_global.get()?;
        let (mut address, mut bytes): (CUdeviceptr, usize) = (0, 0);
        // SAFETY: a loaded module (1), a NUL-terminated name, live out-parameters.
        check(unsafe { get_global(&mut address, &mut bytes, module, name.as_ptr()) })?;
        Ok((address, bytes))
    }
}

/// The text in a log buffer. The size that the driver writes back is not relied on: versions differ
/// in whether it counts the NUL.
fn text_until_nul(buffer: &[u8]) -> String {
    let length = buffer
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(buffer.len());
    String::from_utf8_lossy(&buffer[..length])
        .trim_end()
        .to_owned()
}
