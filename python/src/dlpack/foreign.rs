//! Tensors of other libraries.

use super::{CUDA, CUDA_MANAGED, Managed, ManagedTensor, RawTensor, TYPES, TensorType, Versioned};
use crate::array::Order;
use pyo3::{
    exceptions::PyTypeError,
    ffi,
    prelude::*,
    types::{PyCapsule, PyDict},
};
use std::{ffi::c_void, sync::atomic::AtomicPtr};

/// Tensor of another library, which is told to release it when this is dropped.
pub(crate) struct ForeignTensor {
    /// A [`ManagedTensor`].
    managed: AtomicPtr<c_void>,
    /// The function [`release`] for its type.
    release: unsafe fn(*mut c_void),
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
    pub is_read_only: bool,
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
        if capsule.is_valid_checked(Some(Versioned::NAME)) {
            Self::take::<Versioned>(capsule)
        } else {
            Self::take::<Managed>(capsule)
        }
    }

    /// Takes the tensor of a capsule.
    fn take<M: ManagedTensor>(capsule: &Bound<'_, PyCapsule>) -> PyResult<(Self, Description)> {
        // SAFETY: a capsule; the function raises an exception if the name is another one.
        let managed = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), M::NAME.as_ptr()) };
        if managed.is_null() {
            return Err(PyErr::fetch(capsule.py()));
        }
        // SAFETY: a valid capsule; the name lives forever. The new name tells its destructor that
        // the tensor has an owner, which is the value created next.
        let renamed = unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), M::USED_NAME.as_ptr()) };
        if renamed != 0 {
            return Err(PyErr::fetch(capsule.py()));
        }
        let tensor = Self {
            managed: AtomicPtr::new(managed),
            release: release::<M>,
        };
        // SAFETY: a capsule of this name points to an `M`, whose owner is `tensor`.
        let (raw, is_read_only) = unsafe { &*managed.cast::<M>() }.tensor()?;
        Ok((tensor, Description::new(raw, is_read_only)?))
    }
}

impl Description {
    fn new(tensor: &RawTensor, is_read_only: bool) -> PyResult<Self> {
        let axes = tensor.axes.max(0) as usize;
        let numbers = |pointer: *mut i64| -> Vec<i64> {
            if pointer.is_null() || axes == 0 {
                return Vec::new();
            }
            // SAFETY: shape and strides have one number per axis.
            unsafe { std::slice::from_raw_parts(pointer, axes) }.to_vec()
        };
        let shape: Vec<usize> = numbers(tensor.shape).iter().map(|&n| n as usize).collect();
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
        // CuPy 14 divides the bytes of a negative step as an unsigned number. With either quotient
        // the product is the step in bytes, modulo 2⁶⁴.
        let bytes = i64::from(bits) / 8;
        let step = |n: i64| (n.wrapping_mul(bytes) / bytes) as isize;
        let strides: Vec<isize> = if tensor.strides.is_null() {
            Order::C.strides(&shape)
        } else {
            numbers(tensor.strides).into_iter().map(step).collect()
        };
        Ok(Self {
            device: usize::try_from(tensor.device.index).unwrap_or(0),
            address: tensor.data.addr() + tensor.byte_offset as usize,
            shape,
            strides,
            typestr,
            is_read_only,
        })
    }
}

impl Drop for ForeignTensor {
    fn drop(&mut self) {
        // SAFETY: this is the only owner of the tensor, which has the type of the function.
        unsafe { (self.release)(*self.managed.get_mut()) };
    }
}

/// Tells the library of a tensor to release it.
///
/// # Safety
/// `managed` points to an `M`, which is not used again.
unsafe fn release<M: ManagedTensor>(managed: *mut c_void) {
    let managed = managed.cast::<M>();
    // SAFETY: guaranteed by the caller.
    if let Some(deleter) = unsafe { (*managed).deleter() } {
        // SAFETY: the deleter of the tensor, which is not used again.
        unsafe { deleter(managed) };
    }
}
