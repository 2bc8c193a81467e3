//! The binary interface of DLPack, version 1: arrays of other libraries as capsules of Python.

mod export;
mod foreign;

pub(crate) use export::export;
pub(crate) use foreign::{ForeignTensor, cuda_index};

use export::delete;
use pyo3::{exceptions::PyBufferError, prelude::*};
use std::ffi::{CStr, c_void};

/// `kDLCUDA`: memory of a CUDA device.
pub(crate) const CUDA: i32 = 2;
/// `kDLCUDAManaged`: managed memory, which kernels of a device can access.
const CUDA_MANAGED: i32 = 13;

/// `DLPACK_FLAG_BITMASK_READ_ONLY`: consumers must not write to the memory.
const READ_ONLY: u64 = 1;

/// `DLDevice`.
#[repr(C)]
#[derive(Clone, Copy)]
struct TensorDevice {
    kind: i32,
    index: i32,
}

/// `DLDataType`.
#[repr(C)]
#[derive(Clone, Copy)]
struct TensorType {
    code: u8,
    bits: u8,
    lanes: u16,
}

/// `DLTensor`.
#[repr(C)]
struct RawTensor {
    data: *mut c_void,
    device: TensorDevice,
    axes: i32,
    element: TensorType,
    shape: *mut i64,
    /// Steps in elements; null if the array is C-contiguous.
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`.
#[repr(C)]
struct Managed {
    tensor: RawTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
struct Versioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: RawTensor,
}

/// Structure that a capsule points to, which owns a tensor.
trait ManagedTensor: Sized + 'static {
    /// Name of capsules whose tensor has no other owner.
    const NAME: &'static CStr;
    /// Name of capsules whose tensor has another owner.
    const USED_NAME: &'static CStr;

    /// Creates the structure of an exported tensor, with the function [`delete`].
    fn new(tensor: RawTensor, is_read_only: bool) -> Self;

    /// Returns the tensor, and `true` if it is read-only.
    ///
    /// # Errors
    /// `BufferError` for an unknown version.
    fn tensor(&self) -> PyResult<(&RawTensor, bool)>;

    /// Returns the function that releases the tensor.
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
}

impl ManagedTensor for Managed {
    const NAME: &'static CStr = c"dltensor";
    const USED_NAME: &'static CStr = c"used_dltensor";

    fn new(tensor: RawTensor, _is_read_only: bool) -> Self {
        Self {
            tensor,
            context: std::ptr::null_mut(),
            deleter: Some(delete),
        }
    }

    fn tensor(&self) -> PyResult<(&RawTensor, bool)> {
        Ok((&self.tensor, false))
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
}

impl ManagedTensor for Versioned {
    const NAME: &'static CStr = c"dltensor_versioned";
    const USED_NAME: &'static CStr = c"used_dltensor_versioned";

    fn new(tensor: RawTensor, is_read_only: bool) -> Self {
        Self {
            major: 1,
            minor: 0,
            context: std::ptr::null_mut(),
            deleter: Some(delete),
            flags: if is_read_only { READ_ONLY } else { 0 },
            tensor,
        }
    }

    fn tensor(&self) -> PyResult<(&RawTensor, bool)> {
        // the members up to the deleter are the same in all versions
        if self.major != 1 {
            let message = format!("DLPack {} is not supported; use 1", self.major);
            return Err(PyBufferError::new_err(message));
        }
        Ok((&self.tensor, self.flags & READ_ONLY != 0))
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
}

/// Types of elements by the code and the number of bits of DLPack.
const TYPES: [(u8, u8, &str); 12] = [
    (6, 8, "|b1"),
    (0, 8, "|i1"),
    (0, 16, "<i2"),
    (0, 32, "<i4"),
    (0, 64, "<i8"),
    (1, 8, "|u1"),
    (1, 16, "<u2"),
    (1, 32, "<u4"),
    (1, 64, "<u8"),
    (2, 16, "<f2"),
    (2, 32, "<f4"),
    (2, 64, "<f8"),
];

/// Returns the type as in NumPy's array interface, if kernels or results have it.
pub(crate) fn known_typestr(typestr: &str) -> Option<&'static str> {
    let mut types = TYPES.iter().map(|&(_, _, name)| name);
    types.find(|&name| name == typestr)
}
