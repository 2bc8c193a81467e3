//! The binary interface of DLPack, version 1: arrays of other libraries as capsules of Python.

use crate::array::{Array, Memory, Order};
use pyo3::{
    exceptions::{PyBufferError, PyTypeError},
    ffi,
    prelude::*,
    types::{PyCapsule, PyDict},
};
use std::{
    ffi::{CStr, c_void},
    sync::{
        Arc,
        atomic::{AtomicPtr, Ordering},
    },
};

/// `kDLCUDA`: memory of a CUDA device.
pub(crate) const CUDA: i32 = 2;
/// `kDLCUDAManaged`: managed memory, which kernels of a device can access.
const CUDA_MANAGED: i32 = 13;

/// Names of capsules, unused and used, without and with a version.
const NAME: &CStr = c"dltensor";
const USED_NAME: &CStr = c"used_dltensor";
const VERSIONED_NAME: &CStr = c"dltensor_versioned";
const USED_VERSIONED_NAME: &CStr = c"used_dltensor_versioned";

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

/// Tensor of another library, which is told to release it when this is dropped.
pub(crate) struct ForeignTensor {
    /// A [`Managed`], or a [`Versioned`].
    managed: AtomicPtr<c_void>,
    is_versioned: bool,
}

/// Description of a [`ForeignTensor`].
pub(crate) struct Description {
    /// Index of the CUDA device.
    pub device: usize,
    pub address: usize,
    pub shape: Vec<usize>,
    /// Steps in elements.
    pub strides: Vec<isize>,
    pub typestr: &'static str,
}

/// Returns the index of the CUDA device of an array, or `None` if its memory is elsewhere, or if it
/// has no DLPack.
pub(crate) fn cuda_index(array: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if !array.hasattr("__dlpack__")? || !array.hasattr("__dlpack_device__")? {
        return Ok(None);
    }
    let device = array.call_method0("__dlpack_device__")?;
    let (kind, index): (i32, i32) = device.extract()?;
    let is_cuda = kind == CUDA || kind == CUDA_MANAGED;
    Ok(usize::try_from(index).ok().filter(|_| is_cuda))
}

impl ForeignTensor {
    /// Takes the tensor of an array, whose elements are ready for the CUDA stream with this handle.
    pub fn import(array: &Bound<'_, PyAny>, stream: usize) -> PyResult<(Self, Description)> {
        let py = array.py();
        let arguments = PyDict::new(py);
        arguments.set_item("stream", stream)?;
        arguments.set_item("max_version", (1, 0))?;
        let capsule = match array.call_method("__dlpack__", (), Some(&arguments)) {
            // producers of DLPack before version 1 do not know the argument
            Err(error) if error.is_instance_of::<PyTypeError>(py) => {
                arguments.del_item("max_version")?;
                array.call_method("__dlpack__", (), Some(&arguments))?
            }
            result => result?,
        };
        let capsule = capsule.cast::<PyCapsule>()?;
        let is_versioned = capsule.is_valid_checked(Some(VERSIONED_NAME));
        let (name, used) = if is_versioned {
            (VERSIONED_NAME, USED_VERSIONED_NAME)
        } else {
            (NAME, USED_NAME)
        };
        // SAFETY: a capsule; the function raises an exception if the name is another one.
        let managed = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()) };
        if managed.is_null() {
            return Err(PyErr::fetch(py));
        }
        // SAFETY: a valid capsule; the name lives forever. The new name tells its destructor that
        // the tensor has an owner, which is the value created next.
        let renamed = unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) };
        if renamed != 0 {
            return Err(PyErr::fetch(py));
        }
        let tensor = Self {
            managed: AtomicPtr::new(managed),
            is_versioned,
        };
        let description = tensor.describe()?;
        Ok((tensor, description))
    }

    fn describe(&self) -> PyResult<Description> {
        let managed = self.managed.load(Ordering::Relaxed);
        let tensor = if self.is_versioned {
            // SAFETY: a capsule of this name points to a `DLManagedTensorVersioned`, whose owner is
            // `self`. The layout up to here is the same for all versions with this major number.
            let versioned = unsafe { &*managed.cast::<Versioned>() };
            if versioned.major != 1 {
                let message = format!("DLPack {} is not supported; use 1", versioned.major);
                return Err(PyBufferError::new_err(message));
            }
            &versioned.tensor
        } else {
            // SAFETY: a capsule of this name points to a `DLManagedTensor`, whose owner is `self`.
            unsafe { &(*managed.cast::<Managed>()).tensor }
        };
        let axes = tensor.axes.max(0) as usize;
        let numbers = |pointer: *mut i64| -> Vec<i64> {
            if pointer.is_null() || axes == 0 {
                return Vec::new();
            }
            // SAFETY: shape and strides have one number per axis.
            unsafe { std::slice::from_raw_parts(pointer, axes) }.to_vec()
        };
        let shape: Vec<usize> = numbers(tensor.shape).iter().map(|&n| n as usize).collect();
        let strides: Vec<isize> = if tensor.strides.is_null() {
            Order::C.strides(&shape)
        } else {
            let strides = numbers(tensor.strides);
            strides.iter().map(|&n| n as isize).collect()
        };
        let TensorType { code, bits, lanes } = tensor.element;
        let element = TYPES
            .iter()
            .find(|it| (it.0, it.1, 1) == (code, bits, lanes));
        let Some(&(_, _, typestr)) = element else {
            let message = format!(
                "the array has elements of the DLPack type {code} with {bits} bits; use real \
                 numbers"
            );
            return Err(PyTypeError::new_err(message));
        };
        Ok(Description {
            device: usize::try_from(tensor.device.index).unwrap_or(0),
            address: tensor.data.addr() + tensor.byte_offset as usize,
            shape,
            strides,
            typestr,
        })
    }
}

impl Drop for ForeignTensor {
    fn drop(&mut self) {
        let managed = *self.managed.get_mut();
        if self.is_versioned {
            let managed = managed.cast::<Versioned>();
            // SAFETY: this is the only owner of the tensor.
            if let Some(deleter) = unsafe { (*managed).deleter } {
                // SAFETY: the deleter of the tensor, which is not used again.
                unsafe { deleter(managed) };
            }
        } else {
            let managed = managed.cast::<Managed>();
            // SAFETY: this is the only owner of the tensor.
            if let Some(deleter) = unsafe { (*managed).deleter } {
                // SAFETY: the deleter of the tensor, which is not used again.
                unsafe { deleter(managed) };
            }
        }
    }
}

/// A tensor with everything that it points to.
struct Export<M> {
    managed: M,
    _shape: Vec<i64>,
    _strides: Vec<i64>,
    _memory: Arc<Memory>,
}

/// Creates a capsule that shares the memory of an array on a CUDA device.
pub(crate) fn export<'py>(
    py: Python<'py>,
    array: &Array,
    device: usize,
    is_versioned: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let element = TYPES.iter().find(|it| it.2 == array.typestr());
    let &(code, bits, _) = element.ok_or_else(|| crate::error::unexpected_type(array.typestr()))?;
    let mut shape: Vec<i64> = array.shape().iter().map(|&n| n as i64).collect();
    let mut strides: Vec<i64> = array.strides().iter().map(|&n| n as i64).collect();
    let tensor = RawTensor {
        data: std::ptr::without_provenance_mut(array.address()),
        device: TensorDevice {
            kind: CUDA,
            index: device as i32,
        },
        axes: shape.len() as i32,
        element: TensorType {
            code,
            bits,
            lanes: 1,
        },
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let memory = array.memory().clone();
    let (pointer, name, destructor): (_, _, ffi::PyCapsule_Destructor) = if is_versioned {
        let managed = Versioned {
            major: 1,
            minor: 0,
            context: std::ptr::null_mut(),
            deleter: Some(delete_versioned),
            flags: 0,
            tensor,
        };
        let export = Export::new(managed, shape, strides, memory);
        // SAFETY: the pointer is that of a live export.
        let managed = unsafe { &mut (*export).managed };
        managed.context = export.cast();
        (
            (&raw mut *managed).cast::<c_void>(),
            VERSIONED_NAME,
            drop_versioned_capsule,
        )
    } else {
        let managed = Managed {
            tensor,
            context: std::ptr::null_mut(),
            deleter: Some(delete),
        };
        let export = Export::new(managed, shape, strides, memory);
        // SAFETY: the pointer is that of a live export.
        let managed = unsafe { &mut (*export).managed };
        managed.context = export.cast();
        ((&raw mut *managed).cast::<c_void>(), NAME, drop_capsule)
    };
    // SAFETY: the pointer is not null, and the name lives forever. If this fails, the export leaks.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer, name.as_ptr(), Some(destructor));
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

impl<M> Export<M> {
    fn new(managed: M, shape: Vec<i64>, strides: Vec<i64>, memory: Arc<Memory>) -> *mut Self {
        Box::into_raw(Box::new(Self {
            managed,
            _shape: shape,
            _strides: strides,
            _memory: memory,
        }))
    }
}

/// Releases an exported tensor, on any thread.
///
/// # Safety
/// `managed` was exported by [`export`], and is not used again.
unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: the context of an exported tensor is its box; guaranteed by the caller.
    drop(unsafe { Box::from_raw((*managed).context.cast::<Export<Managed>>()) });
}

/// Releases an exported tensor with a version, on any thread.
///
/// # Safety
/// `managed` was exported by [`export`], and is not used again.
unsafe extern "C" fn delete_versioned(managed: *mut Versioned) {
    // SAFETY: the context of an exported tensor is its box; guaranteed by the caller.
    drop(unsafe { Box::from_raw((*managed).context.cast::<Export<Versioned>>()) });
}

/// Destroys a capsule, and its tensor unless that has another owner.
///
/// # Safety
/// `capsule` was created by [`export`] without a version.
unsafe extern "C" fn drop_capsule(capsule: *mut ffi::PyObject) {
    // SAFETY: Python passes the capsule. It has the first name as long as nobody used the tensor.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) == 1 {
            delete(ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast());
        }
    }
}

/// Destroys a capsule with a version, and its tensor unless that has another owner.
///
/// # Safety
/// `capsule` was created by [`export`] with a version.
unsafe extern "C" fn drop_versioned_capsule(capsule: *mut ffi::PyObject) {
    // SAFETY: Python passes the capsule. It has the first name as long as nobody used the tensor.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED_NAME.as_ptr()) == 1 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, VERSIONED_NAME.as_ptr()).cast());
        }
    }
}
