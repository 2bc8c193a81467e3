//! Scans on several devices, from host memory to host memory.
//!
//! - [`MultiDeviceMethod::RescanWithOffset`] divides the input into chunks, assigned to the devices
//!   in turn. Each chunk is scanned for its total as soon as it is uploaded; once the totals of all
//!   preceding chunks are known, it is scanned again from its offset.
//! - [`MultiDeviceMethod::AddAfterwards`] divides the input into one part per device. Each part is
//!   scanned at once; then its offset is added by a kernel with 4 elements per thread.
//!
//! Both read and write device memory twice per element. The former, the default, needs memory for
//! at most four chunks per device, and uploads, scans and downloads different chunks concurrently,
//! in both directions of the bus. This requires [pinned](crate::device::Device::pinned) input and
//! output; otherwise each copy blocks its thread.
//!
//! Creating streams and device memory takes a driver about as long as scanning a few million
//! elements: a [`MultiDeviceScanner`] keeps them.

mod add_afterwards;
mod chunks;
mod device_slots;
mod rescan_with_offset;
mod scanner;

pub use scanner::MultiDeviceScanner;

use super::{Operator, ScanError, ScanKind, ScanValue, Scannable};
use crate::device::Device;

/// Method of a scan on several devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MultiDeviceMethod {
    /// In chunks, each scanned from its offset.
    #[default]
    RescanWithOffset,
    /// In one part per device, to which its offset is added in a final pass.
    AddAfterwards,
}

/// Parameters of [`multi_device`] and [`MultiDeviceScanner`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiDeviceParams<V> {
    /// Exclusive or inclusive.
    pub kind: ScanKind,
    /// Method of the scan.
    pub method: MultiDeviceMethod,
    /// Value that precedes the first element; `None` for the operator's identity.
    pub initial: Option<V>,
    /// Number of elements per chunk, at least 1; `None` for chunks that [fit the
    /// input](Self::chunks).
    pub chunk: Option<usize>,
}

impl<V> Default for MultiDeviceParams<V> {
    fn default() -> Self {
        Self {
            kind: ScanKind::default(),
            method: MultiDeviceMethod::default(),
            initial: None,
            chunk: None,
        }
    }
}

impl<V> MultiDeviceParams<V> {
    /// Returns the lengths of the parts that `len` elements are divided into; the devices process
    /// them in turn.
    ///
    /// Unless a length is given, all chunks have the same length and all devices the same number of
    /// chunks: eight each, or fewer or more if chunks would otherwise have fewer than 2^18 or more
    /// than 2^22 elements. If a quarter of a chunk has at least 2^17 elements, the first and the
    /// last chunk of each device are split, with the outer quarter on its own: short outer chunks
    /// minimise the time in which only one direction of the bus is in use.
    ///
    /// ```
    /// use ferrovox::scan::{MultiDeviceMethod, MultiDeviceParams};
    ///
    /// let chosen = MultiDeviceParams::<u32>::default();
    /// assert_eq!(chosen.chunks(1 << 20, 2), [1 << 18; 4]);
    /// let given = MultiDeviceParams { chunk: Some(1000), ..chosen };
    /// assert_eq!(given.chunks(2500, 2), [1000, 1000, 500]);
    /// let added = MultiDeviceParams { method: MultiDeviceMethod::AddAfterwards, ..chosen };
    /// assert_eq!(added.chunks(1 << 20, 2), [1 << 19; 2]);
    /// ```
    pub fn chunks(&self, len: usize, devices: usize) -> Vec<usize> {
        match (self.method, self.chunk) {
            (MultiDeviceMethod::RescanWithOffset, None) => chunks::default_chunks(len, devices),
            (MultiDeviceMethod::RescanWithOffset, Some(chunk)) => {
                chunks::chunk_lengths(len, std::iter::repeat(chunk))
            }
            (MultiDeviceMethod::AddAfterwards, _) => {
                let share = len.div_ceil(devices.max(1));
                chunks::chunk_lengths(len, std::iter::repeat(share))
            }
        }
    }
}

/// Scans `input` to `output` on several devices concurrently, and returns the total. The first
/// device uses the calling thread, each other one a thread of its own. A device may be listed more
/// than once. For repeated scans, [`MultiDeviceScanner`] is faster.
///
/// Integer results, minima and maxima are the same as on one device. The grouping of floating-point
/// sums depends on the method, the chunks or the number of devices, and the kind of device.
///
/// ```
/// use ferrovox::{device::Device, scan::{self, MultiDeviceParams, Sum}};
///
/// let devices = [Device::cpu(), Device::cpu()];
/// let mut output = [0u32; 5];
/// let params = MultiDeviceParams::default();
/// let total = scan::multi_device(&devices, Sum, &[3u8, 1, 4, 1, 5], &mut output, &params)?;
/// assert_eq!((total, output), (14, [0, 3, 4, 8, 9]));
/// # Ok::<(), scan::ScanError>(())
/// ```
///
/// # Errors
/// [`ScanError::NoDevices`], and as for [`MultiDeviceScanner::scan`].
pub fn multi_device<I, V, O>(
    devices: &[Device],
    operator: O,
    input: &[I],
    output: &mut [V],
    params: &MultiDeviceParams<V>,
) -> Result<V, ScanError>
where
    I: Scannable<V, O>,
    V: ScanValue,
    O: Operator<V>,
{
    MultiDeviceScanner::new(devices)?.scan(operator, input, output, params)
}

/// A range of the input, and the corresponding range of the output.
struct Chunk<'a, I, V> {
    number: usize,
    input: &'a [I],
    output: &'a mut [V],
}
