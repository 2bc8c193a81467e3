//! Tensors for other libraries.

use super::{CUDA, Managed, ManagedTensor, RawTensor, TYPES, TensorDevice, TensorType, Versioned};
use crate::array::{Array, Memory};
use pyo3::{ffi, prelude::*};
use std::sync::Arc;

/// A tensor with everything that it points to. Consumers have a pointer to the first field.
#[repr(C)]
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
    let is_read_only = array.is_read_only();
    let buffers = (shape, strides, array.memory().clone());
    if is_versioned {
        capsule(py, Versioned::new(tensor, is_read_only), buffers)
    } else {
        capsule(py, Managed::new(tensor, is_read_only), buffers)
    }
}

/// Creates the capsule of an exported tensor, with its shape, its strides and the owner of its
/// elements.
fn capsule<M: ManagedTensor>(
    py: Python<'_>,
    managed: M,
    (shape, strides, memory): (Vec<i64>, Vec<i64>, Arc<Memory>),
) -> PyResult<Bound<'_, PyAny>> {
    let export = Box::into_raw(Box::new(Export {
        managed,
        _shape: shape,
        _strides: strides,
        _memory: memory,
    }));
    // SAFETY: the pointer is not null, and the name lives forever. If this fails, the export leaks.
    unsafe {
        let capsule = ffi::PyCapsule_New(export.cast(), M::NAME.as_ptr(), Some(drop_capsule::<M>));
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

/// Releases an exported tensor, on any thread.
///
/// # Safety
/// `managed` was exported by [`export`], and is not used again.
pub(super) unsafe extern "C" fn delete<M: ManagedTensor>(managed: *mut M) {
    // SAFETY: an exported tensor is the first field of its box; guaranteed by the caller.
    drop(unsafe { Box::from_raw(managed.cast::<Export<M>>()) });
}

/// Destroys a capsule, and its tensor unless that has another owner.
///
/// # Safety
/// `capsule` was created by [`capsule`] for the type `M`.
unsafe extern "C" fn drop_capsule<M: ManagedTensor>(capsule: *mut ffi::PyObject) {
    // SAFETY: Python passes the capsule. It has the first name as long as nobody used the tensor.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, M::NAME.as_ptr()) == 1 {
            delete::<M>(ffi::PyCapsule_GetPointer(capsule, M::NAME.as_ptr()).cast());
        }
    }
}
