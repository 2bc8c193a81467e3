//! NumPy arrays as slices.

use ferrovox::device::Element;
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyDict};

/// A C-contiguous array in host memory, read through NumPy's array interface. It keeps the array
/// alive.
pub(crate) struct HostArray<'py> {
    /// Owner of the elements.
    _owner: Bound<'py, PyAny>,
    address: usize,
    /// Number of elements along each axis, the last of which is contiguous.
    pub shape: Vec<usize>,
    /// Type of the elements, such as `<f4`.
    pub typestr: String,
}

impl<'py> HostArray<'py> {
    /// Reads the array interface of an array.
    ///
    /// # Errors
    /// `TypeError` if the array is not C-contiguous, or has no array interface.
    pub fn new(array: &Bound<'py, PyAny>) -> PyResult<Self> {
        let interface = array.getattr("__array_interface__")?;
        let interface = interface.cast::<PyDict>()?;
        let item = |name: &str| {
            let item = interface.get_item(name)?;
            item.ok_or_else(|| PyTypeError::new_err(format!("the array interface lacks {name}")))
        };
        if !item("strides")?.is_none() {
            return Err(PyTypeError::new_err("the array is not C-contiguous"));
        }
        let (address, _read_only): (usize, bool) = item("data")?.extract()?;
        Ok(Self {
            _owner: array.clone(),
            address,
            shape: item("shape")?.extract()?,
            typestr: item("typestr")?.extract()?,
        })
    }

    /// Returns the number of elements along x, y and z, as [`grid_dims`] does.
    pub fn dims(&self) -> PyResult<[usize; 3]> {
        grid_dims(&self.shape)
    }

    /// Returns the elements.
    ///
    /// Other threads of Python can write to the array meanwhile, as with every function of NumPy
    /// that releases the lock; the results are then unspecified.
    ///
    /// # Errors
    /// `TypeError` if the elements have another size or alignment.
    pub fn elements<T: Element>(&self) -> PyResult<&[T]> {
        let len: usize = self.shape.iter().product();
        if len == 0 {
            return Ok(&[]);
        }
        let size = self.typestr.get(2..).and_then(|size| size.parse().ok());
        let pointer: *const T = std::ptr::with_exposed_provenance(self.address);
        if size != Some(size_of::<T>()) || !pointer.is_aligned() || pointer.is_null() {
            let found = &self.typestr;
            let message = format!("the array has unaligned or unexpected elements of type {found}");
            return Err(PyTypeError::new_err(message));
        }
        // SAFETY: the array interface of a C-contiguous array guarantees this many elements at the
        // address, which live as long as the array that `self` keeps; any bytes are a `T`.
        Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
    }
}

/// Returns the number of elements along x, y and z of an array whose last axis is x, with 1 for
/// missing axes.
pub(crate) fn grid_dims(shape: &[usize]) -> PyResult<[usize; 3]> {
    match *shape {
        [] => Ok([1; 3]),
        [x] => Ok([x, 1, 1]),
        [y, x] => Ok([x, y, 1]),
        [z, y, x] => Ok([x, y, z]),
        _ => Err(PyTypeError::new_err("the array has more than three axes")),
    }
}

/// Evaluates an expression for the sample type `$T` of a host array, of those that kernels read.
macro_rules! with_kernel_type {
    ($array:expr, $T:ident => $body:expr) => {
        match $array.typestr() {
            "|b1" | "|u1" => {
                type $T = u8;
                $body
            }
            "|i1" => {
                type $T = i8;
                $body
            }
            "<u2" => {
                type $T = u16;
                $body
            }
            "<i2" => {
                type $T = i16;
                $body
            }
            "<f4" => {
                type $T = f32;
                $body
            }
            other => Err($crate::error::unexpected_type(other)),
        }
    };
}
pub(crate) use with_kernel_type;
