//! Arrays: results, and arrays of other libraries on a CUDA device.

use crate::{device_memory::DeviceMemory, dlpack, download::download};
use ferrovox::device::{Buffer, Element};
use pyo3::{
    exceptions::{PyAttributeError, PyBufferError, PyTypeError, PyValueError},
    prelude::*,
    types::{PyDict, PyTuple},
};
use std::sync::Arc;

/// An array of a function of ferrovox.
///
/// On the host, NumPy accesses it through the array interface without a copy. On a CUDA device,
/// other libraries share its memory through DLPack or the CUDA array interface.
#[pyclass(frozen, module = "ferrovox")]
pub(crate) struct Array {
    memory: Arc<Memory>,
    /// Address of the first element.
    address: usize,
    shape: Vec<usize>,
    /// Steps in elements along each axis.
    strides: Vec<isize>,
    typestr: &'static str,
    /// `true` if the owner of the memory forbids other libraries to write to it.
    is_read_only: bool,
}

/// Memory of arrays.
pub(crate) enum Memory {
    /// Memory of the host, and its owner.
    Host(#[expect(dead_code, reason = "it is dropped")] Box<dyn Send + Sync>),
    /// Memory of a CUDA device.
    Device(DeviceMemory),
}

/// Order of the elements of a contiguous array.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The last axis is contiguous.
    C,
    /// The first axis is contiguous.
    Fortran,
}

impl Order {
    /// Returns the steps in elements along the axes of a contiguous array.
    pub fn strides(self, shape: &[usize]) -> Vec<isize> {
        let mut strides = vec![0; shape.len()];
        let mut step = 1;
        for number in 0..shape.len() {
            let axis = match self {
                Self::C => shape.len() - 1 - number,
                Self::Fortran => number,
            };
            strides[axis] = step;
            step *= shape[axis].max(1) as isize;
        }
        strides
    }
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

impl_array_element!(u8 => "|u1", u16 => "<u2", u32 => "<u4", i32 => "<i4", u64 => "<u8");
impl_array_element!(i64 => "<i8", f32 => "<f4", f64 => "<f8");

impl Array {
    /// Creates an array of the elements of a buffer of the CPU.
    pub fn from_host_buffer<T: ArrayElement>(buffer: Buffer<T>, shape: Vec<usize>) -> Self {
        let address = buffer.pointer().expose_provenance();
        Self::contiguous(Memory::Host(Box::new(buffer)), address, shape, T::TYPESTR)
    }

    /// Creates an array of elements on the host.
    pub fn from_vec<T: ArrayElement>(elements: Vec<T>, shape: Vec<usize>) -> Self {
        let address = elements.as_ptr().expose_provenance();
        Self::contiguous(Memory::Host(Box::new(elements)), address, shape, T::TYPESTR)
    }

    /// Creates a C-contiguous array.
    pub fn contiguous(
        memory: Memory,
        address: usize,
        shape: Vec<usize>,
        typestr: &'static str,
    ) -> Self {
        let strides = Order::C.strides(&shape);
        Self::strided(memory, address, (shape, strides), typestr)
    }

    /// Creates an array with a shape, and steps in elements along each axis.
    pub fn strided(
        memory: Memory,
        address: usize,
        (shape, strides): (Vec<usize>, Vec<isize>),
        typestr: &'static str,
    ) -> Self {
        Self {
            memory: Arc::new(memory),
            address,
            shape,
            strides,
            typestr,
            is_read_only: false,
        }
    }

    /// Sets whether other libraries may only read the memory.
    pub fn with_read_only(self, is_read_only: bool) -> Self {
        Self {
            is_read_only,
            ..self
        }
    }

    /// Replaces the type of the elements by another one of the same size.
    pub fn with_type<T: ArrayElement>(self) -> Self {
        Self {
            typestr: T::TYPESTR,
            ..self
        }
    }

    /// Returns the owner of the elements.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Returns the memory, if it is that of a CUDA device.
    pub fn device_memory(&self) -> Option<&DeviceMemory> {
        match &*self.memory {
            Memory::Host(_) => None,
            Memory::Device(memory) => Some(memory),
        }
    }

    /// Returns the address of the first element.
    pub fn address(&self) -> usize {
        self.address
    }

    /// Returns the number of elements along each axis.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the steps in elements along each axis.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Returns the type of the elements as in NumPy's array interface.
    pub fn typestr(&self) -> &'static str {
        self.typestr
    }

    /// Returns `true` if other libraries may only read the memory.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Returns `true` if the elements are contiguous in this order.
    pub fn is_contiguous(&self, order: Order) -> bool {
        let expected = order.strides(&self.shape);
        let mut axes = self.shape.iter().zip(self.strides.iter().zip(&expected));
        // the steps of an axis of length one, and of an empty array, have no effect
        self.shape.contains(&0) || axes.all(|(&len, (step, expected))| len == 1 || step == expected)
    }

    /// Returns the number of bytes of an element.
    pub fn item_bytes(&self) -> usize {
        self.typestr[2..].parse().unwrap_or(1)
    }

    fn element_count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Describes the memory as both array interfaces do.
    fn interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("data", (self.address, self.is_read_only))?;
        interface.set_item("shape", PyTuple::new(py, &self.shape)?)?;
        interface.set_item("typestr", self.typestr)?;
        let strides = self.byte_strides();
        let strides = if self.is_contiguous(Order::C) {
            None
        } else {
            Some(PyTuple::new(py, strides)?)
        };
        interface.set_item("strides", strides)?;
        Ok(interface)
    }

    fn byte_strides(&self) -> Vec<isize> {
        let bytes = self.item_bytes() as isize;
        self.strides.iter().map(|step| step * bytes).collect()
    }
}

#[pymethods]
impl Array {
    /// Describes memory of the host, in version 3 of NumPy's array interface.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        match &*self.memory {
            Memory::Host(_) => self.interface(py),
            Memory::Device(_) => Err(PyAttributeError::new_err(
                "the array is on a CUDA device; use .numpy() for a copy on the host",
            )),
        }
    }

    /// Describes memory of a CUDA device, in version 3 of the CUDA array interface. The elements
    /// are complete, so that no stream has to wait for them.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Some(memory) = self.device_memory() else {
            return Err(PyAttributeError::new_err(
                "the array is not on a CUDA device",
            ));
        };
        memory.register_export(None);
        let interface = self.interface(py)?;
        interface.set_item("stream", py.None())?;
        Ok(interface)
    }

    /// Returns the kind and the index of the device, as DLPack numbers them.
    fn __dlpack_device__(&self) -> (i32, usize) {
        match self.device_memory() {
            Some(memory) => (dlpack::CUDA, memory.index()),
            None => (1, 0),
        }
    }

    /// Returns a capsule that shares the memory.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<isize>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, usize)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(memory) = self.device_memory() else {
            let message = "the array is on the host; use numpy.asarray";
            return Err(PyBufferError::new_err(message));
        };
        if dl_device.is_some_and(|device| device != self.__dlpack_device__()) || copy == Some(true)
        {
            let message = "the array is shared without a copy only; use .numpy() for a copy";
            return Err(PyBufferError::new_err(message));
        }
        let is_versioned = max_version.is_some_and(|(major, _)| major >= 1);
        if self.is_read_only && !is_versioned {
            let message = "the array is read-only, which DLPack states since version 1; pass \
                           max_version=(1, 0)";
            return Err(PyBufferError::new_err(message));
        }
        // None is the legacy default stream
        memory.register_export(Some(stream.unwrap_or(1)));
        dlpack::export(py, self, memory.index(), is_versioned)
    }

    /// Number of elements along each axis.
    #[getter(shape)]
    fn shape_tuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// Steps along each axis, in bytes.
    #[getter(strides)]
    fn strides_tuple<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.byte_strides())
    }

    /// Number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.element_count()
    }

    /// Number of bytes of the elements.
    #[getter]
    fn nbytes(&self) -> usize {
        self.element_count() * self.item_bytes()
    }

    /// Type of the elements.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("numpy")?.call_method1("dtype", (self.typestr,))
    }

    /// Name of the device, such as ``cuda:0``.
    #[getter]
    fn device(&self) -> &str {
        self.device_memory().map_or("cpu", DeviceMemory::device_id)
    }

    /// The array with its axes in the other order, which shares the memory.
    #[getter(T)]
    fn transpose(&self) -> Self {
        Self {
            memory: self.memory.clone(),
            address: self.address,
            shape: self.shape.iter().rev().copied().collect(),
            strides: self.strides.iter().rev().copied().collect(),
            typestr: self.typestr,
            is_read_only: self.is_read_only,
        }
    }

    /// Return the array with one axis, which shares the memory.
    fn ravel(&self) -> PyResult<Self> {
        if !self.is_contiguous(Order::C) {
            let message = "the array is not C-contiguous; copy it on its device";
            return Err(PyValueError::new_err(message));
        }
        Ok(Self {
            memory: self.memory.clone(),
            address: self.address,
            shape: vec![self.element_count()],
            strides: vec![1],
            typestr: self.typestr,
            is_read_only: self.is_read_only,
        })
    }

    /// Return ``True`` if the elements are contiguous in an order, ``"C"`` or ``"F"``.
    fn is_contiguous_in(&self, order: &str) -> bool {
        self.is_contiguous(if order == "F" {
            Order::Fortran
        } else {
            Order::C
        })
    }

    /// Return the elements as an array of NumPy: a copy, if they are on a CUDA device.
    ///
    /// The copy has the strides of the array, and includes the memory between its elements.
    fn numpy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let numpy = py.import("numpy")?;
        let array = slf.get();
        match array.device_memory() {
            None => numpy.call_method1("asarray", (slf,)),
            Some(memory) => {
                let copy = download(py, array, memory)?;
                numpy.call_method1("asarray", (copy,))
            }
        }
    }

    /// Return a copy of the elements for functions of NumPy.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            let message = "the array is on a CUDA device, and has to be copied to the host";
            return Err(PyValueError::new_err(message));
        }
        let array = Self::numpy(slf)?;
        match dtype {
            None => Ok(array),
            Some(dtype) => array.call_method1("astype", (dtype,)),
        }
    }

    fn __len__(&self) -> PyResult<usize> {
        let unsized_array = || PyTypeError::new_err("the array has no axes");
        self.shape.first().copied().ok_or_else(unsized_array)
    }

    fn __repr__(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let (shape, typestr) = (shape.join(" x "), &self.typestr[1..]);
        format!("<ferrovox.Array: {shape} {typestr} on {}>", self.device())
    }

    /// Pickles the elements as an array of NumPy.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::numpy(slf)?.call_method0("__reduce__")
    }
}
