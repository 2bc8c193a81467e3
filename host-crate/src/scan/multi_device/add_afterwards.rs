//! One part per device, to which the part's offset is added in a final pass.

use super::{Chunk, MultiDeviceParams, device_slots::DeviceSlots};
use crate::{
    partition::{devices::Stop, offsets::Offsets},
    scan::{Operator, ScanError, ScanParams, ScanValue, Scannable},
};

/// Scans the parts of one device.
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
    for part in &mut parts {
        let len = part.input.len();
        let (input_bytes, output_bytes) = (size_of_val(part.input), size_of_val(part.output));
        device_slots.with_slots(1, input_bytes, output_bytes, |slots| {
            let slot = &mut slots[0];
            let from_nothing = ScanParams {
                kind: params.kind,
                initial: Some(O::identity()),
                ..Default::default()
            };
            // SAFETY: the part is borrowed for longer than the slots are in use.
            unsafe { slot.begin_upload(part.input)? };
            slot.scan::<I, V, O>(len, &from_nothing)?;
            slot.begin_total()?;
            offsets.publish(part.number, slot.total()?);
            let offset = offsets.before(part.number)?;
            slot.add_offset::<I, V, O>(offset, len)?;
            // SAFETY: as for the upload; no other code accesses the part's output.
            unsafe { slot.begin_download(part.output)? };
            Ok(())
        })?;
    }
    Ok(())
}
