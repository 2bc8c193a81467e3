//! Scans over several devices, from host memory to host memory.
//!
//! | method | parts | how a part learns what comes before it | traffic on each device |
//! | --- | --- | --- | --- |
//! | [`MultiDeviceMethod::RescanWithOffset`] | chunks, dealt to the devices in turn | each chunk is scanned for its total as soon as it is there; once the totals before it are known, it is scanned from there on | 2 reads, 2 writes |
//! | [`MultiDeviceMethod::AddAfterwards`] | one for each device | scanned at once; the scan of the totals is added by a kernel, 4 elements a thread | 2 reads, 2 writes |
//!
//! The first, the default, needs memory for no more than four chunks on each device, and uploads,
//! scans and downloads different chunks at the same time in both directions of the bus. For that,
//! input and output must be [pinned](crate::device::Device::pinned); else each copy holds up its
//! thread.
//!
//! Streams and device memory take a driver about as long to make as a few million elements take to
//! scan: a [`MultiDeviceScanner`] keeps them.

mod add_afterwards;
mod chunks;
mod lane;
mod rescan_with_offset;
mod scanner;

pub use scanner::MultiDeviceScanner;

use super::{Operator, ScanError, ScanKind, ScanOf, ScanValue};
use crate::device::Device;

/// How a scan over several devices is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MultiDeviceMethod {
    /// In chunks, each scanned from its offset on.
    #[default]
    RescanWithOffset,
    /// In as many parts as there are devices, to each of which its offset is added in the end.
    AddAfterwards,
}

/// What [`multi_device`] and a [`MultiDeviceScanner`] are to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiDeviceParams<V> {
    /// Exclusive or inclusive.
    pub kind: ScanKind,
    /// The method.
    pub method: MultiDeviceMethod,
    /// What comes before the first element; `None` for nothing.
    pub initial: Option<V>,
    /// Elements of a chunk, at least 1; `None` for chunks that [fit the input](Self::chunks).
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
    /// The lengths of the parts that `len` elements are cut into; the devices take them in turn.
    ///
    /// Chunks whose length is not given are of one length, such that all devices have as many:
    /// eight each, but of no fewer than 2^18 elements and no more than 2^22, whatever their number
    /// is then. If a quarter of that is 2^17 or more, each device's first and last chunk are in two
    /// pieces, the outer one a quarter: the less there is before anything can go back, and after
    /// everything came, the less time is only one direction of the bus in use.
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
            (MultiDeviceMethod::RescanWithOffset, None) => chunks::chosen(len, devices),
            (MultiDeviceMethod::RescanWithOffset, Some(chunk)) => {
                chunks::cut(len, std::iter::repeat(chunk))
            }
            (MultiDeviceMethod::AddAfterwards, _) => {
                let share = len.div_ceil(devices.max(1));
                chunks::cut(len, std::iter::repeat(share))
            }
        }
    }
}

/// Scans `input` to `output` on several devices at once, the first worked by this thread and each
/// other by one of its own; returns the total. A device may be named more than once. For more than
/// one scan a [`MultiDeviceScanner`] is quicker.
///
/// Integers, minima and maxima are the same as on one device. The grouping of floating-point sums
/// depends on the method, the chunks or the number of devices, and on the sort of device.
///
/// ```
/// use ferrovox::{device::Device, scan::{self, MultiDeviceParams, Sum}};
///
/// let devices = [Device::cpu(), Device::cpu()];
/// let mut output = [0u32; 5];
/// let total = scan::multi_device(&devices, Sum, &[3u8, 1, 4, 1, 5], &mut output, &MultiDeviceParams::default())?;
/// assert_eq!((total, output), (14, [0, 3, 4, 8, 9]));
/// # Ok::<(), scan::ScanError>(())
/// ```
///
/// # Errors
/// [`ScanError::NoDevices`], and those of [`MultiDeviceScanner::scan`].
pub fn multi_device<I, V, O>(
    devices: &[Device],
    operator: O,
    input: &[I],
    output: &mut [V],
    params: &MultiDeviceParams<V>,
) -> Result<V, ScanError>
where
    I: ScanOf<V, O>,
    V: ScanValue,
    O: Operator<V>,
{
    MultiDeviceScanner::new(devices)?.scan(operator, input, output, params)
}

/// A range of the input, and where its result goes.
struct Chunk<'a, I, V> {
    number: usize,
    input: &'a [I],
    output: &'a mut [V],
}
