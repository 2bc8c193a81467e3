//! Reusable scanner for several devices.

use super::{
    Chunk, MultiDeviceMethod, MultiDeviceParams, add_afterwards, device_slots::DeviceSlots,
    rescan_with_offset,
};
use crate::{
    device::Device,
    partition::offsets::Offsets,
    scan::{
        Operator, ScanError, ScanValue, Scannable, element::sealed::Sealed, scanner::check_lengths,
    },
};

/// Scans host memory on several devices concurrently, one scan at a time. Keeps the streams and the
/// memory of each device, which grows to the size of the largest chunk, so that later scans
/// allocate no device memory. Element types, value types and operators may differ between scans.
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
    slots_by_device: Vec<DeviceSlots>,
}

impl MultiDeviceScanner {
    /// Creates a scanner for `devices`, which may contain a device more than once. Nothing is
    /// allocated before the first scan.
    ///
    /// # Errors
    /// [`ScanError::NoDevices`].
    pub fn new(devices: &[Device]) -> Result<Self, ScanError> {
        if devices.is_empty() {
            return Err(ScanError::NoDevices);
        }
        let slots_by_device = devices.iter().cloned().map(DeviceSlots::new).collect();
        let devices = devices.to_vec();
        Ok(Self {
            devices,
            slots_by_device,
        })
    }

    /// Scans `input` to `output` and returns the total: see [`multi_device`](super::multi_device).
    ///
    /// # Errors
    /// [`ScanError::OutputTooSmall`], [`ScanError::LengthsDiffer`]; [`ScanError::OnDevice`] if a
    /// device fails: `output` then holds the results computed before all devices had stopped. The
    /// scanner remains usable if the device does.
    pub fn scan<I, V, O>(
        &mut self,
        _operator: O,
        input: &[I],
        output: &mut [V],
        params: &MultiDeviceParams<V>,
    ) -> Result<V, ScanError>
    where
        I: Scannable<V, O>,
        V: ScanValue,
        O: Operator<V>,
    {
        check_lengths(input.len(), output.len())?;
        let lengths = params.chunks(input.len(), self.devices.len());
        let initial = params.initial.unwrap_or_else(<I as Sealed<V, O>>::initial);
        let offsets = Offsets::new(initial, lengths.len(), O::combine);
        let chunks_by_device = assign_chunks(input, output, &lengths, self.devices.len());
        // with fewer chunks than devices, the first devices have one each
        let jobs = self.slots_by_device.iter_mut().zip(chunks_by_device);
        let jobs = jobs.filter(|(_, chunks)| !chunks.is_empty());
        let work = |_, (device_slots, chunks): (&mut DeviceSlots, _)| match params.method {
            MultiDeviceMethod::RescanWithOffset => {
                rescan_with_offset::scan(device_slots, chunks, params, &offsets)
            }
            MultiDeviceMethod::AddAfterwards => {
                add_afterwards::scan(device_slots, chunks, params, &offsets)
            }
        };
        offsets.run_workers(&self.devices, jobs, work)?;
        Ok(offsets.total())
    }
}

/// Divides input and output into chunks, and assigns them to the devices round-robin.
fn assign_chunks<'a, I, V>(
    mut input: &'a [I],
    mut output: &'a mut [V],
    lengths: &[usize],
    devices: usize,
) -> Vec<Vec<Chunk<'a, I, V>>> {
    let mut chunks_by_device: Vec<Vec<_>> = (0..devices).map(|_| Vec::new()).collect();
    for (number, &length) in lengths.iter().enumerate() {
        let (chunk_input, rest) = input.split_at(length);
        input = rest;
        let (chunk_output, rest) = output.split_at_mut(length);
        output = rest;
        chunks_by_device[number % devices].push(Chunk {
            number,
            input: chunk_input,
            output: chunk_output,
        });
    }
    chunks_by_device
}
