//! Totals of scans.

use super::ScanValue;
use crate::device::{Buffer, DeviceError, Stream};
use cuda_std::View;
use std::marker::PhantomData;

/// Number of words of a total on the device; the value is in the first bytes.
pub(super) const TOTAL_WORDS: usize = 2;

/// Total of a scan: the combination of all elements, after
/// [`ScanParams::initial`](super::ScanParams). Stays on the device until it is downloaded.
pub struct Total<'a, V> {
    stream: &'a Stream,
    buffer: &'a Buffer<u64>,
    value: PhantomData<V>,
}

impl<'a, V> Total<'a, V> {
    /// Refers to the total that a scan on `stream` writes to the first words of `buffer`.
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
        // the scan writes a `V` to the first bytes of the buffer; every bit pattern is valid
        View::for_launch(self.buffer.pointer().cast(), 1)
    }

    /// Downloads the total. Synchronises the stream.
    ///
    /// # Errors
    /// [`DeviceError::Cuda`] if the scan or earlier work on the stream failed.
    pub fn download(&self) -> Result<V, DeviceError> {
        let mut words = [0; TOTAL_WORDS];
        self.stream.read_first(self.buffer, &mut words)?;
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        Ok(bytemuck::pod_read_unaligned(&bytes[..size_of::<V>()]))
    }
}
