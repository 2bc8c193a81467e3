//! One part per device, to which the part's offset is added in a final pass.

use super::{Chunk, MultiDeviceParams, lane::Lane};
use crate::{
    partition::{devices::Stop, offsets::Offsets},
    scan::{Operator, ScanError, ScanParams, ScanValue, Scannable},
};

/// Scans the parts of one device.
pub(super) fn scan<I, V, O>(
    lane: &mut Lane,
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
        lane.work(1, input_bytes, output_bytes, |workers| {
            let worker = &mut workers[0];
            let from_nothing = ScanParams {
                kind: params.kind,
                initial: Some(O::identity()),
                ..Default::default()
            };
            // SAFETY: the part is borrowed for longer than the lane works.
            unsafe { worker.begin_upload(part.input)? };
            worker.scan::<I, V, O>(len, &from_nothing)?;
            worker.begin_total()?;
            offsets.publish(part.number, worker.total()?);
            let offset = offsets.before(part.number)?;
            worker.add_offset::<I, V, O>(offset, len)?;
            // SAFETY: as for the upload; no other code accesses the part's output.
            unsafe { worker.begin_download(part.output)? };
            Ok(())
        })?;
    }
    Ok(())
}
