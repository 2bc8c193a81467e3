//! What scans over several devices, again and again.

use super::{
    Chunk, MultiDeviceMethod, MultiDeviceParams, add_afterwards, lane::Lane, rescan_with_offset,
};
use crate::{
    device::Device,
    partition::offsets::Offsets,
    scan::{
        Operator, ScanError, ScanOf, ScanValue, element::sealed::Sealed, scanner::check_lengths,
    },
};

/// Scans host memory on several devices at once, one scan after the other. It keeps each device's
/// streams and memory, which grows to what the largest chunk took, so that scans after the first
/// allocate nothing on the devices. Elements, values and operators may differ from scan to scan.
///
/// ```
/// use ferrovox::{device::Device, scan::{MultiDeviceParams, MultiDeviceScanner, Max, Sum}};
///
/// let mut scanner = MultiDeviceScanner::new(&[Device::cpu(), Device::cpu()])?;
/// let mut sums = [0u32; 5];
/// let total = scanner.scan(Sum, &[3u8, 1, 4, 1, 5], &mut sums, &MultiDeviceParams::default())?;
/// assert_eq!((total, sums), (14, [0, 3, 4, 8, 9]));
/// let mut greatest = [0.0; 2];
/// let total = scanner.scan(Max, &[0.5, 0.25], &mut greatest, &MultiDeviceParams::default())?;
/// assert_eq!((total, greatest), (0.5, [f64::NEG_INFINITY, 0.5]));
/// # Ok::<(), ferrovox::scan::ScanError>(())
/// ```
pub struct MultiDeviceScanner {
    devices: Vec<Device>,
    lanes: Vec<Lane>,
}

impl MultiDeviceScanner {
    /// For scans on `devices`, of which one may be named more than once. Nothing is allocated
    /// before the first scan.
    ///
    /// # Errors
    /// [`ScanError::NoDevices`].
    pub fn new(devices: &[Device]) -> Result<Self, ScanError> {
        if devices.is_empty() {
            return Err(ScanError::NoDevices);
        }
        let lanes = devices.iter().cloned().map(Lane::new).collect();
        let devices = devices.to_vec();
        Ok(Self { devices, lanes })
    }

    /// The scan of `input` to `output`; returns the total. As
    /// [`multi_device`](super::multi_device).
    ///
    /// # Errors
    /// [`ScanError::OutputTooSmall`], [`ScanError::LengthsDiffer`]; [`ScanError::OnDevice`] if one
    /// fails: then `output` holds what was done until the others had stopped. The scanner can still
    /// be used if the device can.
    pub fn scan<I, V, O>(
        &mut self,
        _operator: O,
        input: &[I],
        output: &mut [V],
        params: &MultiDeviceParams<V>,
    ) -> Result<V, ScanError>
    where
        I: ScanOf<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        check_lengths(input.len(), output.len())?;
        let lengths = params.chunks(input.len(), self.lanes.len());
        let initial = params.initial.unwrap_or_else(<I as Sealed<V, O>>::initial);
        let offsets = Offsets::new(initial, lengths.len(), O::combine);
        let dealt = deal(input, output, &lengths, self.lanes.len());
        // the first lanes have chunks, if not all do
        let jobs = self.lanes.iter_mut().zip(dealt);
        let jobs = jobs.filter(|(_, chunks)| !chunks.is_empty());
        let work = |_, (lane, chunks): (&mut Lane, _)| match params.method {
            MultiDeviceMethod::RescanWithOffset => {
                rescan_with_offset::scan(lane, chunks, params, &offsets)
            }
            MultiDeviceMethod::AddAfterwards => {
                add_afterwards::scan(lane, chunks, params, &offsets)
            }
        };
        offsets.run_workers(&self.devices, jobs, work)?;
        Ok(offsets.total())
    }
}

/// Cuts input and output into chunks, and deals them to the devices in turn.
fn deal<'a, I, V>(
    mut input: &'a [I],
    mut output: &'a mut [V],
    lengths: &[usize],
    devices: usize,
) -> Vec<Vec<Chunk<'a, I, V>>> {
    let mut dealt: Vec<Vec<_>> = (0..devices).map(|_| Vec::new()).collect();
    for (number, &length) in lengths.iter().enumerate() {
        let (of_input, rest) = input.split_at(length);
        input = rest;
        let (of_output, rest) = output.split_at_mut(length);
        output = rest;
        dealt[number % devices].push(Chunk {
            number,
            input: of_input,
            output: of_output,
        });
    }
    dealt
}
