//! Modules: loading PTX or binaries with the compiler's log, and looking up functions and globals.

use std::ffi::{CStr, c_uint, c_void};
use std::ptr;

use crate::driver::Driver;
use crate::error::{CudaError, CudaResult, check};
use crate::types::{CUdeviceptr, CUfunction, CUjit_option, CUmodule, as_slot};

/// Keys of just-in-time compilation options (`CUjit_option`).
pub mod jit_option {
    use crate::types::CUjit_option;

    /// Maximum number of registers per thread.
    pub const MAX_REGISTERS: CUjit_option = 0;
    /// Buffer for the compiler's informational messages.
    pub const INFO_LOG_BUFFER: CUjit_option = 3;
    /// Size of the information buffer; the driver overwrites it with the number of bytes used.
    pub const INFO_LOG_BUFFER_SIZE_BYTES: CUjit_option = 4;
    /// Buffer for the compiler's error messages.
    pub const ERROR_LOG_BUFFER: CUjit_option = 5;
    /// Size of the error buffer; the driver overwrites it with the number of bytes used.
    pub const ERROR_LOG_BUFFER_SIZE_BYTES: CUjit_option = 6;
    /// Optimization level, 0 to 4.
    pub const OPTIMIZATION_LEVEL: CUjit_option = 7;
    /// Compile for the current context's device (the default).
    pub const TARGET_FROM_CUCONTEXT: CUjit_option = 8;
    /// Target architecture, such as 90 for sm_90.
    pub const TARGET: CUjit_option = 9;
    /// Fallback if no binary matches the device: 0 prefers PTX, 1 a compatible binary.
    pub const FALLBACK_STRATEGY: CUjit_option = 10;
    /// Generation of debug information.
    pub const GENERATE_DEBUG_INFO: CUjit_option = 11;
    /// Verbosity of the log.
    pub const LOG_VERBOSE: CUjit_option = 12;
    /// Generation of line information.
    pub const GENERATE_LINE_INFO: CUjit_option = 13;
}

/// Output of the driver's PTX compiler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JitLog {
    /// Informational messages; with a verbose log, the registers and memory of each kernel.
    pub info: String,
    /// Error messages; empty if the compilation succeeded.
    pub error: String,
}

impl JitLog {
    /// Size of each of the two buffers, in bytes. The compiler stops after a few errors, which fit.
    pub const BYTES: usize = 16 * 1024;

    /// Extracts the messages from the two log buffers.
    pub fn from_buffers(info: &[u8], error: &[u8]) -> JitLog {
        JitLog {
            info: text_until_nul(info),
            error: text_until_nul(error),
        }
    }
}

impl Driver {
    /// Loads PTX, a cubin or a fatbin into the current context (`cuModuleLoadDataEx`). Returns the
    /// compiler's log with the result, because it is also available if loading fails. This function
    /// manages the log buffers: do not pass options for them.
    ///
    /// # Safety
    /// 1. `image` points to NUL-terminated PTX, or to a complete cubin or fatbin.
    /// 2. `options` contains keys of [`jit_option`] with values of the type that each key requires,
    ///    and none of the four log-buffer keys.
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
            // SAFETY: the image and the options are valid (1, 2); keys and values are live and of
            // equal length, and the log buffers have the given sizes and outlive the call.
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

    /// Unloads a module (`cuModuleUnload`).
    ///
    /// # Errors
    /// [`CudaError::InvalidHandle`](crate::CudaError::InvalidHandle), and errors of earlier work.
    ///
    /// # Safety
    /// 1. `module` is a loaded module whose context is current.
    /// 2. Its functions and globals are not used afterwards, by the host or by pending work.
    pub unsafe fn module_unload(&self, module: CUmodule) -> CudaResult<()> {
        let unload = self.table.module_unload.get()?;
        // SAFETY: the caller's guarantees (1, 2).
        check(unsafe { unload(module) })
    }

    /// Returns the kernel with the given entry-point name (`cuModuleGetFunction`).
    ///
    /// # Errors
    /// [`CudaError::NotFound`](crate::CudaError::NotFound).
    ///
    /// # Safety
    /// 1. `module` is a loaded module.
    /// 2. The returned function is not used after the module is unloaded.
    pub unsafe fn module_function(&self, module: CUmodule, name: &CStr) -> CudaResult<CUfunction> {
        let get_function = self.table.module_get_function.get()?;
        let mut function: CUfunction = ptr::null_mut();
        // SAFETY: a loaded module (1), a NUL-terminated name, a live out-parameter.
        check(unsafe { get_function(&mut function, module, name.as_ptr()) })?;
        Ok(function)
    }

    /// Returns address and size in bytes of a global or constant variable (`cuModuleGetGlobal`).
    ///
    /// # Errors
    /// [`CudaError::NotFound`](crate::CudaError::NotFound).
    ///
    /// # Safety
    /// 1. `module` is a loaded module.
    /// 2. The returned address is not used after the module is unloaded.
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

/// Returns the text of a log buffer up to the first NUL. The size written back by the driver is not
/// used, because versions differ in whether it includes the NUL.
fn text_until_nul(buffer: &[u8]) -> String {
    let length = buffer
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(buffer.len());
    String::from_utf8_lossy(&buffer[..length])
        .trim_end()
        .to_owned()
}
