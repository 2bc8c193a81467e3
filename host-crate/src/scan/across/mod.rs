//! Scans over several devices, from host memory to host memory.
//!
//! | method | parts | how a part learns what comes before it | traffic on each device |
//! | --- | --- | --- | --- |
//! | [`AcrossMethod::FoldedOffsets`] | chunks, dealt to the devices in turn | each chunk is scanned for its total as soon as it is there; once the totals before it are known, it is scanned from there on | 2 reads, 2 writes |
//! | [`AcrossMethod::AddedOffsets`] | one for each device | scanned at once; the scan of the totals is added by a kernel, 4 elements a thread | 2 reads, 2 writes |
//!
//! The first, the default, needs memory for no more than three chunks on each device, and uploads, scans and downloads
//! different chunks at the same time in both directions of the bus. For that, input and output must be
//! [pinned](crate::device::Device::pinned); else each copy holds up its thread.

mod added;
mod chain;
mod folded;

use super::{Operator, ScanError, ScanKind, ScanOf, ScanValue, scanner::check_lengths};
use crate::device::Device;
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

/// What [`across`] is to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AcrossParams<V> {
    /// Exclusive or inclusive.
    pub kind: ScanKind,
    /// The method.
    pub method: AcrossMethod,
    /// What comes before the first element; `None` for nothing.
    pub initial: Option<V>,
    /// Elements of a chunk, at least 1.
    pub chunk: usize,
}

impl<V> Default for AcrossParams<V> {
    fn default() -> Self {
        Self {
            kind: ScanKind::default(),
            method: AcrossMethod::default(),
            initial: None,
            chunk: 1 << 22,
        }
    }
}

/// Scans `input` to `output` on several devices at once, each with a thread of its own; returns the total. A device may be named
/// more than once.
///
/// Integers, minima and maxima are the same as on one device. The grouping of floating-point sums depends on the method, the
/// chunk or the number of devices, and on the sort of device.
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
/// [`ScanError::OutputTooSmall`], [`ScanError::LengthsDiffer`], [`ScanError::NoDevices`]; [`ScanError::OneOfSeveral`], which names
/// the device, if one fails: then `output` holds what was done until the others had stopped.
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
    O: Operator<V> + Copy,
{
    check_lengths(input.len(), output.len())?;
    if devices.is_empty() {
        return Err(ScanError::NoDevices);
    }
    let part = match params.method {
        AcrossMethod::FoldedOffsets => params.chunk.max(1),
        AcrossMethod::AddedOffsets => input.len().div_ceil(devices.len()).max(1),
    };
    let parts: Vec<Part<I, V>> = input
        .chunks(part)
        .zip(output.chunks_mut(part))
        .enumerate()
        .map(|(number, (input, output))| Part {
            number,
            input,
            output,
        })
        .collect();
    let initial = params
        .initial
        .unwrap_or_else(<I as super::element::sealed::Sealed<V, O>>::initial);
    let chain = Chain::<V, O>::new(initial, parts.len());
    let mut dealt: Vec<Vec<Part<I, V>>> = devices.iter().map(|_| Vec::new()).collect();
    for part in parts {
        dealt[part.number % devices.len()].push(part);
    }
    let outcomes: Vec<Result<(), ScanError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = devices
            .iter()
            .zip(dealt)
            .map(|(device, parts)| {
                let chain = &chain;
                scope.spawn(move || {
                    // whoever leaves early, by an error or a panic, must not be waited for
                    let guard = chain.give_up_unless_done();
                    match params.method {
                        AcrossMethod::FoldedOffsets => {
                            folded::scan(device, operator, parts, params, part, chain)?;
                        }
                        AcrossMethod::AddedOffsets => {
                            added::scan(device, operator, parts, params, chain)?;
                        }
                    }
                    guard.done();
                    Ok(())
                })
            })
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<(), ScanError>>| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    let mut given_up = None;
    for (number, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Ok(()) => {}
            // it stopped because another failed, which is what there is to report
            Err(ScanError::NoDevices) => given_up = Some(ScanError::NoDevices),
            Err(error) => {
                return Err(ScanError::OneOfSeveral {
                    number,
                    device: devices[number].to_string(),
                    source: Box::new(error),
                });
            }
        }
    }
    match given_up {
        Some(error) => Err(error),
        None => chain.total(),
    }
}

/// A part of the input, and where its result goes.
struct Part<'a, I, V> {
    number: usize,
    input: &'a [I],
    output: &'a mut [V],
}
