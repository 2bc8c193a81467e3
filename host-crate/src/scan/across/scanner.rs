//! What scans over several devices, again and again.

use super::{AcrossMethod, AcrossParams, Chain, Part, Stop, added, folded, lane::Lane};
use crate::{
    device::Device,
    partition::workers,
    scan::{
        Operator, ScanError, ScanOf, ScanValue, element::sealed::Sealed, scanner::check_lengths,
    },
};

/// Scans host memory on several devices at once, one scan after the other. It keeps each device's streams and memory, which grows to
/// what the largest chunk took, so that scans after the first allocate nothing on the devices. Elements, values and operators may
/// differ from scan to scan.
///
/// ```
/// use ferrovox::{device::Device, scan::{AcrossParams, AcrossScanner, Max, Sum}};
///
/// let mut scanner = AcrossScanner::new(&[Device::cpu(), Device::cpu()])?;
/// let mut sums = [0u32; 5];
/// let total = scanner.scan(Sum, &[3u8, 1, 4, 1, 5], &mut sums, &AcrossParams::default())?;
/// assert_eq!((total, sums), (14, [0, 3, 4, 8, 9]));
/// let mut greatest = [0.0; 2];
/// let total = scanner.scan(Max, &[0.5, 0.25], &mut greatest, &AcrossParams::default())?;
/// assert_eq!((total, greatest), (0.5, [f64::NEG_INFINITY, 0.5]));
/// # Ok::<(), ferrovox::scan::ScanError>(())
/// ```
pub struct AcrossScanner {
    lanes: Vec<Lane>,
}

impl AcrossScanner {
    /// For scans on `devices`, of which one may be named more than once. Nothing is allocated before the first scan.
    ///
    /// # Errors
    /// [`ScanError::NoDevices`].
    pub fn new(devices: &[Device]) -> Result<Self, ScanError> {
        if devices.is_empty() {
            return Err(ScanError::NoDevices);
        }
        let lanes = devices.iter().cloned().map(Lane::new).collect();
        Ok(Self { lanes })
    }

    /// The scan of `input` to `output`; returns the total. As [`across`](super::across).
    ///
    /// # Errors
    /// [`ScanError::OutputTooSmall`], [`ScanError::LengthsDiffer`]; [`ScanError::OneOfSeveral`], which names the device, if one fails:
    /// then `output` holds what was done until the others had stopped. The scanner can still be used if the device can.
    pub fn scan<I, V, O>(
        &mut self,
        _operator: O,
        input: &[I],
        output: &mut [V],
        params: &AcrossParams<V>,
    ) -> Result<V, ScanError>
    where
        I: ScanOf<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        check_lengths(input.len(), output.len())?;
        let lengths = params.chunks(input.len(), self.lanes.len());
        let initial = params.initial.unwrap_or_else(<I as Sealed<V, O>>::initial);
        let chain = Chain::<V, O>::new(initial, lengths.len());
        let dealt = deal(input, output, &lengths, self.lanes.len());
        let jobs: Vec<_> = self
            .lanes
            .iter_mut()
            .zip(dealt)
            .enumerate()
            .filter(|(_, (_, parts))| !parts.is_empty())
            // whoever leaves early, by an error or a panic, must not be waited for
            .map(|job| (job, chain.give_up_unless_done()))
            .collect();
        let outcomes = workers::each(jobs, |_, ((number, (lane, parts)), guard)| {
            let outcome = match params.method {
                AcrossMethod::FoldedOffsets => folded::scan(lane, parts, params, &chain),
                AcrossMethod::AddedOffsets => added::scan(lane, parts, params, &chain),
            };
            if outcome.is_ok() {
                guard.done();
            }
            (number, outcome)
        });
        for (number, outcome) in outcomes {
            // who stopped because another failed has nothing to report
            if let Err(Stop::Failed(error)) = outcome {
                return Err(ScanError::OneOfSeveral {
                    number,
                    device: self.lanes[number].device.to_string(),
                    source: Box::new(error),
                });
            }
        }
        Ok(chain.total())
    }
}

/// Cuts input and output into parts, and deals them to the devices in turn.
fn deal<'a, I, V>(
    mut input: &'a [I],
    mut output: &'a mut [V],
    lengths: &[usize],
    devices: usize,
) -> Vec<Vec<Part<'a, I, V>>> {
    let mut dealt: Vec<Vec<_>> = (0..devices).map(|_| Vec::new()).collect();
    for (number, &length) in lengths.iter().enumerate() {
        let (of_input, rest) = input.split_at(length);
        input = rest;
        let (of_output, rest) = output.split_at_mut(length);
        output = rest;
        dealt[number % devices].push(Part {
            number,
            input: of_input,
            output: of_output,
        });
    }
    dealt
}
