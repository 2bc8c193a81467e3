//! Stream and results of a computation.

use crate::{
    array::{Array, ArrayElement, Memory},
    device_memory::DeviceMemory,
    error::Failure,
};
use ferrovox::device::{Buffer, Stream};
use std::sync::Arc;

/// Stream of a computation, and the place of its results.
pub(crate) struct Workspace {
    stream: Arc<Stream>,
    /// Index of the CUDA device that the results stay on; `None` for the host.
    result_device: Option<usize>,
}

impl Workspace {
    /// Creates the workspace of a computation whose results stay on a CUDA device with an index, or
    /// are copied to the host.
    pub fn new(stream: Arc<Stream>, result_device: Option<usize>) -> Self {
        Self {
            stream,
            result_device,
        }
    }

    /// Returns the stream.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns `true` if results stay on a CUDA device.
    pub fn keeps_results_on_device(&self) -> bool {
        self.result_device.is_some()
    }

    /// Creates an array of the elements of a buffer, which are copied from a CUDA device unless
    /// results stay there.
    pub fn array_from_buffer<T: ArrayElement>(
        &self,
        buffer: Buffer<T>,
        shape: Vec<usize>,
    ) -> Result<Array, Failure> {
        if buffer.as_slice().is_some() {
            return Ok(Array::from_host_buffer(buffer, shape));
        }
        let Some(index) = self.result_device else {
            return Ok(Array::from_vec(self.stream.download(&buffer)?, shape));
        };
        let address = buffer.pointer().addr();
        let memory = DeviceMemory::new(Box::new(buffer), self.stream.clone(), index)?;
        Ok(Array::contiguous(
            Memory::Device(memory),
            address,
            shape,
            T::TYPESTR,
        ))
    }

    /// Creates an array of elements on the host, which are copied to a CUDA device if results stay
    /// there.
    pub fn array_from_vec<T: ArrayElement>(
        &self,
        elements: Vec<T>,
        shape: Vec<usize>,
    ) -> Result<Array, Failure> {
        if self.result_device.is_none() {
            return Ok(Array::from_vec(elements, shape));
        }
        self.array_from_buffer(self.stream.upload(&elements)?, shape)
    }
}
