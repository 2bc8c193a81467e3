//! One part for each device, to which its offset is added in the end.

use super::{AcrossParams, Chain, Part, Stop, lane::Lane};
use crate::scan::{Operator, ScanOf, ScanParams, ScanValue};

/// Scans a device's part.
pub(super) fn scan<I, V, O>(
    lane: &mut Lane,
    mut parts: Vec<Part<'_, I, V>>,
    params: &AcrossParams<V>,
    chain: &Chain<V, O>,
) -> Result<(), Stop>
where
    I: ScanOf<V, O>,
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
            chain.tell(part.number, worker.total()?);
            let offset = chain.before(part.number)?;
            worker.add_offset::<I, V, O>(offset, len)?;
            // SAFETY: as for the upload; nothing else uses the part's output.
            unsafe { worker.begin_download(part.output)? };
            Ok(())
        })?;
    }
    Ok(())
}
