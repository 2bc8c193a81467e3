//! Scans over several devices, from host memory to host memory.
//!
//! | method | parts | how a part learns what comes before it | traffic on each device |
//! | --- | --- | --- | --- |
//! | [`AcrossMethod::FoldedOffsets`] | chunks, dealt to the devices in turn | each chunk is scanned for its total as soon as it is there; once the totals before it are known, it is scanned from there on | 2 reads, 2 writes |
//! | [`AcrossMethod::AddedOffsets`] | one for each device | scanned at once; the scan of the totals is added by a kernel, 4 elements a thread | 2 reads, 2 writes |
//!
//! The first, the default, needs memory for no more than four chunks on each device, and uploads, scans and downloads
//! different chunks at the same time in both directions of the bus. For that, input and output must be
//! [pinned](crate::device::Device::pinned); else each copy holds up its thread.
//!
//! Streams and device memory take a driver about as long to make as a few million elements take to scan: an [`AcrossScanner`]
//! keeps them.

mod added;
mod chain;
mod chunks;
mod folded;
mod lane;
mod scanner;

pub use scanner::AcrossScanner;

use super::{Operator, ScanError, ScanKind, ScanOf, ScanValue};
use crate::{
    device::{Device, DeviceError},
    partition::workers::GivenUp,
};
use chain::Chain;

/// How a scan over several devices is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AcrossMethod {
    /// In chunks, each scanned from its offset on.
    #[default]
    FoldedOffsets,
    /// In as many parts as there are devices, to each of which its offset is added in the end.
    AddedOffsets,
}

/// What [`across`] and an [`AcrossScanner`] are to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AcrossParams<V> {
    /// Exclusive or inclusive.
    pub kind: ScanKind,
    /// The method.
    pub method: AcrossMethod,
    /// What comes before the first element; `None` for nothing.
    pub initial: Option<V>,
    /// Elements of a chunk, at least 1; `None` for chunks that [fit the input](Self::chunks).
    pub chunk: Option<usize>,
}

impl<V> Default for AcrossParams<V> {
    fn default() -> Self {
        Self {
            kind: ScanKind::default(),
            method: AcrossMethod::default(),
            initial: None,
            chunk: None,
        }
    }
}

impl<V> AcrossParams<V> {
    /// The lengths of the parts that `len` elements are cut into; the devices take them in turn.
    ///
    /// Chunks whose length is not given are of one length, such that all devices have as many: eight each, but of no fewer than
    /// 2^18 elements and no more than 2^22, whatever their number is then. If a quarter of that is 2^17 or more, each
    /// device's first and last chunk are in two pieces, the outer one a quarter: the less there is before anything can go back,
    /// and after everything came, the less time is only one direction of the bus in use.
    ///
    /// ```
    /// use ferrovox::scan::{AcrossMethod, AcrossParams};
    ///
    /// let chosen = AcrossParams::<u32>::default();
    /// assert_eq!(chosen.chunks(1 << 20, 2), [1 << 18; 4]);
    /// let given = AcrossParams { chunk: Some(1000), ..chosen };
    /// assert_eq!(given.chunks(2500, 2), [1000, 1000, 500]);
    /// let added = AcrossParams { method: AcrossMethod::AddedOffsets, ..chosen };
    /// assert_eq!(added.chunks(1 << 20, 2), [1 << 19; 2]);
    /// ```
    pub fn chunks(&self, len: usize, devices: usize) -> Vec<usize> {
        match (self.method, self.chunk) {
            (AcrossMethod::FoldedOffsets, None) => chunks::chosen(len, devices),
            (AcrossMethod::FoldedOffsets, Some(chunk)) => {
                chunks::cut(len, std::iter::repeat(chunk))
            }
            (AcrossMethod::AddedOffsets, _) => {
                let share = len.div_ceil(devices.max(1));
                chunks::cut(len, std::iter::repeat(share))
            }
        }
    }
}

/// Scans `input` to `output` on several devices at once, the first worked by this thread and each other by one of its own;
/// returns the total. A device may be named more than once. For more than one scan an [`AcrossScanner`] is quicker.
///
/// Integers, minima and maxima are the same as on one device. The grouping of floating-point sums depends on the method, the
/// chunks or the number of devices, and on the sort of device.
///
/// ```
/// use ferrovox::{device::Device, scan::{self, AcrossParams, Sum}};
///
/// let devices = [Device::cpu(), Device::cpu()];
/// let mut output = [0u32; 5];
/// let total = scan::across(&devices, Sum, &[3u8, 1, 4, 1, 5], &mut output, &AcrossParams::default())?;
/// assert_eq!((total, output), (14, [0, 3, 4, 8, 9]));
/// # Ok::<(), scan::ScanError>(())
/// ```
///
/// # Errors
/// [`ScanError::NoDevices`], and those of [`AcrossScanner::scan`].
pub fn across<I, V, O>(
    devices: &[Device],
    operator: O,
    input: &[I],
    output: &mut [V],
    params: &AcrossParams<V>,
) -> Result<V, ScanError>
where
    I: ScanOf<V, O>,
    V: ScanValue,
    O: Operator<V>,
{
    AcrossScanner::new(devices)?.scan(operator, input, output, params)
}

/// A part of the input, and where its result goes.
struct Part<'a, I, V> {
    number: usize,
    input: &'a [I],
    output: &'a mut [V],
}

/// Why a device stops.
enum Stop {
    Failed(ScanError),
    /// Another one failed.
    OtherFailed,
}

impl From<ScanError> for Stop {
    fn from(error: ScanError) -> Self {
        Self::Failed(error)
    }
}

impl From<DeviceError> for Stop {
    fn from(error: DeviceError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<GivenUp> for Stop {
    fn from(_: GivenUp) -> Self {
        Self::OtherFailed
    }
}
