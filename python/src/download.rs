//! Copies of arrays of CUDA devices on the host.

use crate::{
    array::{Array, ArrayElement, Memory},
    call::{Task, run_on_device},
    device_memory::DeviceMemory,
    error::Failure,
};
use ferrovox::device::Stream;
use pyo3::{exceptions::PyValueError, prelude::*};

/// Range of memory that contains the elements of an array.
#[derive(Clone, Copy)]
struct Extent {
    /// Offset of the range from the first element of the array, in elements; at most 0.
    first: isize,
    /// Number of elements in the range, including those between the elements of the array.
    len: usize,
}

impl Extent {
    /// Computes the range of an array; returns `None` if it is too large for the address space.
    fn new(array: &Array) -> Option<Self> {
        if array.shape().contains(&0) {
            return Some(Self { first: 0, len: 0 });
        }
        let (mut first, mut last) = (0_isize, 0_isize);
        for (&len, &step) in array.shape().iter().zip(array.strides()) {
            let offset = isize::try_from(len - 1).ok()?.checked_mul(step)?;
            let end = if offset < 0 { &mut first } else { &mut last };
            *end = end.checked_add(offset)?;
        }
        let len = last.checked_sub(first)?.checked_add(1)?;
        len.checked_mul(array.item_bytes() as isize)?;
        let len = len.unsigned_abs();
        Some(Self { first, len })
    }
}

/// Copies an array on a CUDA device to the host, with its strides and all memory in its extent.
pub(crate) fn download(py: Python<'_>, array: &Array, memory: &DeviceMemory) -> PyResult<Array> {
    let too_large = || PyValueError::new_err("the strides of the array are too large");
    let extent = Extent::new(array).ok_or_else(too_large)?;
    let task = Task {
        device: memory.device_id(),
        inputs: &[Some(memory)],
        elements: extent.len,
        has_long_loops: true,
    };
    run_on_device(py, task, None, |work| {
        let stream = work.stream();
        match array.item_bytes() {
            1 => download_as::<u8>(array, memory, extent, stream),
            2 => download_as::<u16>(array, memory, extent, stream),
            4 => download_as::<u32>(array, memory, extent, stream),
            _ => download_as::<u64>(array, memory, extent, stream),
        }
    })
}

fn download_as<T: ArrayElement>(
    array: &Array,
    memory: &DeviceMemory,
    extent: Extent,
    stream: &Stream,
) -> Result<Array, Failure> {
    let offset = extent.first * size_of::<T>() as isize;
    let address = array.address().wrapping_add_signed(offset);
    let elements = memory.borrow::<T>(stream, address, extent.len)?;
    let elements = stream.download(&elements)?;
    let address = elements.as_ptr().expose_provenance();
    Ok(Array::strided(
        Memory::Host(Box::new(elements)),
        address.wrapping_add_signed(-offset),
        (array.shape().to_vec(), array.strides().to_vec()),
        array.typestr(),
    ))
}
