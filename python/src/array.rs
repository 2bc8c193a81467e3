//! Results as arrays.

use ferrovox::device::{Buffer, Element, Stream};
use pyo3::{prelude::*, types::PyDict};

use crate::error::Failure;

/// Memory of a result, which NumPy accesses through the array interface without a copy.
#[pyclass(frozen, module = "ferrovox")]
pub(crate) struct Array {
    /// Owner of the elements.
    _elements: Box<dyn Send + Sync>,
    address: usize,
    shape: Vec<usize>,
    typestr: &'static str,
}

/// Types of elements of results.
pub(crate) trait ArrayElement: Element {
    /// Type as in NumPy's array interface.
    const TYPESTR: &'static str;
}

macro_rules! impl_array_element {
    ($($T:ty => $typestr:literal),*) => {
        $(impl ArrayElement for $T {
            const TYPESTR: &'static str = $typestr;
        })*
    };
}

impl_array_element!(u8 => "|u1", u32 => "<u4", i32 => "<i4", u64 => "<u8", i64 => "<i8");
impl_array_element!(f32 => "<f4", f64 => "<f8");

impl Array {
    /// Creates an array of the elements of a buffer, which are copied from a CUDA device.
    pub fn from_buffer<T: ArrayElement>(
        stream: &Stream,
        buffer: Buffer<T>,
        shape: Vec<usize>,
    ) -> Result<Self, Failure> {
        let Some(elements) = buffer.as_slice() else {
            return Ok(Self::from_vec(stream.download(&buffer)?, shape));
        };
        let address = elements.as_ptr().expose_provenance();
        Ok(Self {
            address,
            shape,
            typestr: T::TYPESTR,
            _elements: Box::new(buffer),
        })
    }

    /// Creates an array of elements.
    pub fn from_vec<T: ArrayElement>(elements: Vec<T>, shape: Vec<usize>) -> Self {
        Self {
            address: elements.as_ptr().expose_provenance(),
            shape,
            typestr: T::TYPESTR,
            _elements: Box::new(elements),
        }
    }

    /// Replaces the type of the elements by another one of the same size.
    pub fn with_type<T: ArrayElement>(self) -> Self {
        Self {
            typestr: T::TYPESTR,
            ..self
        }
    }
}

#[pymethods]
impl Array {
    /// Describes the memory, in version 3 of NumPy's array interface.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("data", (self.address, false))?;
        interface.set_item("shape", pyo3::types::PyTuple::new(py, &self.shape)?)?;
        interface.set_item("typestr", self.typestr)?;
        Ok(interface)
    }
}
