//! Memory of devices from NVIDIA's management library (NVML), which needs no context.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use crate::types::CUuuid;

/// Memory of a device, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemory {
    /// Bytes that are not in use by any process.
    pub free: u64,
    /// All bytes of the device, including those that the driver reserves.
    pub total: u64,
}

/// `nvmlMemory_t`.
#[repr(C)]
#[derive(Default)]
struct Memory {
    total: u64,
    free: u64,
    used: u64,
}

type Init = unsafe extern "C" fn() -> c_int;
type GetHandle = unsafe extern "C" fn(*const c_char, *mut *mut c_void) -> c_int;
type GetMemory = unsafe extern "C" fn(*mut c_void, *mut Memory) -> c_int;

/// Returns the memory of the GPU with this UUID, or `None` without the management library, which
/// containers may lack. This is faster than creating a context.
///
/// A part of a GPU (an instance of MIG) may have the UUID of the whole: compare the total.
pub fn device_memory(uuid: CUuuid) -> Option<DeviceMemory> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    let library = LIBRARY.get_or_init(open_library).as_ref()?;
    let id = CString::new(format_uuid(uuid)).ok()?;
    // SAFETY: the symbols have these signatures by the published interface of NVML. The library is
    // initialized before its other functions are called, `id` ends with a null byte, and the
    // destinations are live for the calls and have the layout of NVML.
    unsafe {
        let init = library.get::<Init>(b"nvmlInit_v2\0").ok()?;
        let get_handle = library
            .get::<GetHandle>(b"nvmlDeviceGetHandleByUUID\0")
            .ok()?;
        let get_memory = library
            .get::<GetMemory>(b"nvmlDeviceGetMemoryInfo\0")
            .ok()?;
        let mut device = ptr::null_mut();
        let mut memory = Memory::default();
        let is_found = init() == 0
            && get_handle(id.as_ptr(), &mut device) == 0
            && get_memory(device, &mut memory) == 0;
        is_found.then_some(DeviceMemory {
            free: memory.free,
            total: memory.total,
        })
    }
}

/// Opens the library of the installed driver.
fn open_library() -> Option<Library> {
    let name = if cfg!(windows) {
        "nvml.dll"
    } else {
        "libnvidia-ml.so.1"
    };
    // SAFETY: loading runs the initializers of a library of the system's driver.
    unsafe { Library::new(name) }.ok()
}

/// Formats a UUID as NVML does, such as `GPU-3f2c9a10-0b7e-4a51-9c33-5d1e6a7b8c9d`.
fn format_uuid(uuid: CUuuid) -> String {
    let mut text = "GPU".to_owned();
    for (index, byte) in uuid.bytes.iter().enumerate() {
        if matches!(index, 0 | 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_have_the_format_of_the_management_library() {
        let bytes = [
            0x3f, 0x2c, 0x9a, 0x10, 0x0b, 0x7e, 0x4a, 0x51, 0x9c, 0x33, 0x5d, 0x1e, 0x6a, 0x7b,
            0x8c, 0x9d,
        ];
        let text = format_uuid(CUuuid { bytes });
        assert_eq!(text, "GPU-3f2c9a10-0b7e-4a51-9c33-5d1e6a7b8c9d");
    }

    #[test]
    fn unknown_device_has_no_memory() {
        assert_eq!(device_memory(CUuuid::default()), None);
    }
}
