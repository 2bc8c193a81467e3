//! Totals of scans.

use super::ScanValue;
use crate::device::{Buffer, DeviceError, Stream};
use cuda_std::View;
use std::marker::PhantomData;

/// Total of a scan: the combination of all elements, after
/// [`ScanParams::initial`](super::ScanParams). Stays on the device until it is downloaded.
pub struct Total<'a, V> {
    stream: &'a Stream,
    buffer: &'a Buffer<u64>,
    value: PhantomData<V>,
}

impl<'a, V> Total<'a, V> {
    /// Refers to the total that a scan on `stream` writes to `buffer`.
    pub(super) fn new(stream: &'a Stream, buffer: &'a Buffer<u64>) -> Self {
        Self {
            stream,
            buffer,
            value: PhantomData,
        }
    }
}

impl<'a, V: ScanValue> Total<'a, V> {
    /// Returns the total as a kernel argument with one element.
    pub fn view(&self) -> View<'a, V> {
        // the buffer has 16 bytes, of which the scan writes a `V` first; every bit pattern is valid
        View::for_launch(self.buffer.pointer().cast(), 1)
    }

    /// Downloads the total. Synchronises the stream.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the scan or earlier work on the stream failed.
    pub fn download(&self) -> Result<V, DeviceError> {
        let words = self.stream.download(self.buffer)?;
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        Ok(bytemuck::pod_read_unaligned(&bytes[..size_of::<V>()]))
    }
}
