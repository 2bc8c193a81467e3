//! Chunks, each scanned from its offset.
//!
//! While two chunks of a device are being uploaded or scanned for their totals, the preceding chunk
//! is scanned from its offset, and the one before that is downloaded. So both directions of the bus
//! stay busy while the host waits for a total of this or of another device.

use super::{
    Chunk, MultiDeviceParams,
    device_slots::{DeviceSlots, PREFETCH, SLOTS, ScanSlot},
};
use crate::{
    partition::{devices::Stop, offsets::Offsets},
    scan::{Operator, ScanError, ScanParams, ScanValue, Scannable},
};

/// Scans the chunks of one device.
pub(super) fn scan<I, V, O>(
    device_slots: &mut DeviceSlots,
    mut parts: Vec<Chunk<'_, I, V>>,
    params: &MultiDeviceParams<V>,
    offsets: &Offsets<V>,
) -> Result<(), Stop<ScanError>>
where
    I: Scannable<V, O>,
    V: ScanValue,
    O: Operator<V>,
{
    let longest = parts.iter().map(|part| part.input.len()).max();
    let capacity = longest.unwrap_or(0);
    let slot_count = SLOTS.min(parts.len());
    let (input_bytes, output_bytes) = (capacity * size_of::<I>(), capacity * size_of::<V>());
    device_slots.with_slots(slot_count, input_bytes, output_bytes, |slots| {
        for step in 0..parts.len() + PREFETCH {
            if let Some(part) = parts.get(step) {
                begin::<I, V, O>(&mut slots[step % SLOTS], part)?;
            }
            let earlier = step.checked_sub(PREFETCH);
            if let Some((step, part)) = earlier.and_then(|step| Some((step, parts.get_mut(step)?)))
            {
                finish(&mut slots[step % SLOTS], part, params, offsets)?;
            }
        }
        Ok(())
    })
}

/// Enqueues the upload of a chunk, and the scan for its total.
fn begin<I, V, O>(slot: &mut ScanSlot<'_>, part: &Chunk<'_, I, V>) -> Result<(), Stop<ScanError>>
where
    I: Scannable<V, O>,
    V: ScanValue,
    O: Operator<V>,
{
    // SAFETY: the part is borrowed for longer than the slots are in use.
    unsafe { slot.begin_upload(part.input)? };
    let params = ScanParams {
        initial: Some(O::identity()),
        ..Default::default()
    };
    slot.scan::<I, V, O>(part.input.len(), &params)?;
    Ok(slot.begin_total()?)
}

/// Downloads a chunk's total, waits for its offset, and enqueues its scan and its download.
fn finish<I, V, O>(
    slot: &mut ScanSlot<'_>,
    part: &mut Chunk<'_, I, V>,
    params: &MultiDeviceParams<V>,
    offsets: &Offsets<V>,
) -> Result<(), Stop<ScanError>>
where
    I: Scannable<V, O>,
    V: ScanValue,
    O: Operator<V>,
{
    offsets.publish(part.number, slot.total()?);
    let params = ScanParams {
        kind: params.kind,
        initial: Some(offsets.before(part.number)?),
        ..Default::default()
    };
    slot.scan::<I, V, O>(part.input.len(), &params)?;
    // SAFETY: as for the upload; nothing else uses the part's output.
    unsafe { slot.begin_download(part.output)? };
    Ok(())
}
