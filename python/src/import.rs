//! Arrays of other libraries on a CUDA device.

use crate::{
    array::{Array, Memory, Order},
    call::run_small,
    device_memory::{DEFAULT_STREAM, DeviceMemory},
    dlpack::{self, ForeignTensor},
    error::{Failure, unexpected_type},
    process::Process,
    wait::Waits,
};
use ferrovox::device::Stream;
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::PyDict,
};
use std::sync::Arc;

/// Shares an array on a CUDA device without a copy; returns `None` if the array is elsewhere.
///
/// Work on the array waits for the work that its library enqueued so far: on the stream that the
/// array states, for DLPack on the current stream of the library, and on `stream`.
#[pyfunction]
#[pyo3(signature = (array, stream=None))]
pub(crate) fn import_array(
    array: &Bound<'_, PyAny>,
    stream: Option<usize>,
) -> PyResult<Option<Array>> {
    let imported = if let Ok(own) = array.cast::<Array>() {
        share(own)?
    } else if let Some(index) = dlpack::cuda_index(array)? {
        Some(import_tensor(array, index)?)
    } else if array.hasattr("__cuda_array_interface__")? {
        Some(import_interface(array)?)
    } else {
        None
    };
    if let (Some(imported), Some(stream)) = (&imported, stream) {
        let memory = imported.device_memory();
        memory
            .map(|memory| wait_for(memory.stream(), stream))
            .transpose()?;
    }
    Ok(imported)
}

/// Returns the stream of this thread on a CUDA device, after a call of `prepare` with it
/// and the waits of the call.
fn thread_stream(
    py: Python<'_>,
    index: usize,
    prepare: impl FnOnce(&Stream, &Waits<'_>) -> Result<(), Failure> + Send,
) -> PyResult<Arc<Stream>> {
    let name = format!("cuda:{index}");
    run_small(py, |call| {
        let stream = call.stream(&name)?;
        prepare(&stream, &call.waits)?;
        Ok(Arc::new(stream))
    })
}

/// Makes later work of `stream` wait for a stream of another library, given by its handle.
fn wait_for(stream: &Stream, handle: usize) -> Result<(), Failure> {
    // SAFETY: callers and the array interface guarantee that the stream exists. The default stream
    // of a thread is that of the calling thread, on which this runs.
    Ok(unsafe { stream.wait_for_raw(handle) }?)
}

/// Shares the memory of an array of this module, to which other libraries may have written.
fn share(own: &Bound<'_, Array>) -> PyResult<Option<Array>> {
    let array = own.get();
    let Some(memory) = array.device_memory() else {
        return Ok(None);
    };
    let index = memory.index();
    let stream = thread_stream(own.py(), index, |stream, waits| {
        memory.order_before(stream, waits)
    })?;
    let memory = DeviceMemory::new(Box::new(array.memory().clone()), stream, index)?;
    let layout = (array.shape().to_vec(), array.strides().to_vec());
    let address = array.address();
    let shared = Array::strided(Memory::Device(memory), address, layout, array.typestr());
    Ok(Some(shared.with_read_only(array.is_read_only())))
}

/// Imports an array through DLPack.
fn import_tensor(array: &Bound<'_, PyAny>, index: usize) -> PyResult<Array> {
    let stream = thread_stream(array.py(), index, |_, _| Ok(()))?;
    let handle = stream.raw_handle().unwrap_or(DEFAULT_STREAM);
    let (tensor, description) = ForeignTensor::import(array, handle)?;
    if description.device != index {
        let message = format!(
            "the array states the CUDA device {index}, and its tensor the device {}",
            description.device
        );
        return Err(PyValueError::new_err(message));
    }
    let memory = DeviceMemory::new(Box::new(tensor), stream, index)?;
    let layout = (description.shape, description.strides);
    let (address, typestr) = (description.address, description.typestr);
    let array = Array::strided(Memory::Device(memory), address, layout, typestr);
    Ok(array.with_read_only(description.is_read_only))
}

/// Imports an array through the CUDA array interface.
fn import_interface(array: &Bound<'_, PyAny>) -> PyResult<Array> {
    let py = array.py();
    let interface = array.getattr("__cuda_array_interface__")?;
    let interface = interface.cast::<PyDict>()?;
    let optional = |name: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
        Ok(interface.get_item(name)?.filter(|item| !item.is_none()))
    };
    let item = |name: &str| {
        let missing = || PyTypeError::new_err(format!("the CUDA array interface lacks {name}"));
        optional(name)?.ok_or_else(missing)
    };
    if optional("mask")?.is_some() {
        let message = "arrays with the mask of the CUDA array interface are not supported";
        return Err(PyTypeError::new_err(message));
    }
    let (address, is_read_only): (Option<usize>, bool) = item("data")?.extract()?;
    let shape: Vec<usize> = item("shape")?.extract()?;
    let found: String = item("typestr")?.extract()?;
    let typestr = dlpack::known_typestr(&found).ok_or_else(|| unexpected_type(&found))?;
    let strides = match optional("strides")? {
        None => Order::C.strides(&shape),
        Some(strides) => {
            let strides: Vec<isize> = strides.extract()?;
            let bytes: isize = typestr[2..].parse().unwrap_or(1);
            if strides.len() != shape.len() || strides.iter().any(|step| step % bytes != 0) {
                let message = "the steps of the array are not multiples of its elements";
                return Err(PyTypeError::new_err(message));
            }
            strides.iter().map(|step| step / bytes).collect()
        }
    };
    let stream: Option<usize> = optional("stream")?.map(|it| it.extract()).transpose()?;
    let is_empty = shape.contains(&0);
    let address = address.unwrap_or(0);
    let index = if is_empty {
        0
    } else {
        Process::current()?.cuda_index_at(address as u64)?
    };
    let ready = thread_stream(py, index, |_, _| Ok(()))?;
    wait_for(&ready, stream.unwrap_or(DEFAULT_STREAM))?;
    let memory = DeviceMemory::new(Box::new(array.clone().unbind()), ready, index)?;
    let layout = (shape, strides);
    let array = Array::strided(Memory::Device(memory), address, layout, typestr);
    Ok(array.with_read_only(is_read_only))
}
