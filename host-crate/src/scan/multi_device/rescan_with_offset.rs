//! Chunks, each scanned from its offset on.
//!
//! Of a device's chunks, two are on their way to it or are scanned for their totals, while the one
//! before them is scanned from its offset and those before that go back. So neither direction of
//! the bus waits for the host: not for it to learn a total, nor for it to receive that of another
//! device.

use super::{
    Chunk, MultiDeviceParams,
    lane::{AHEAD, Lane, SLOTS, Worker},
};
use crate::{
    partition::{devices::Stop, offsets::Offsets},
    scan::{Operator, ScanError, ScanOf, ScanParams, ScanValue},
};

/// Scans a device's chunks.
pub(super) fn scan<I, V, O>(
    lane: &mut Lane,
    mut parts: Vec<Chunk<'_, I, V>>,
    params: &MultiDeviceParams<V>,
    offsets: &Offsets<V>,
) -> Result<(), Stop<ScanError>>
where
    I: ScanOf<V, O>,
    V: ScanValue,
    O: Operator<V>,
{
    let longest = parts.iter().map(|part| part.input.len()).max();
    let room = longest.unwrap_or(0);
    let slots = SLOTS.min(parts.len());
    let (input_bytes, output_bytes) = (room * size_of::<I>(), room * size_of::<V>());
    lane.work(slots, input_bytes, output_bytes, |workers| {
        for turn in 0..parts.len() + AHEAD {
            if let Some(part) = parts.get(turn) {
                begin::<I, V, O>(&mut workers[turn % SLOTS], part)?;
            }
            let earlier = turn.checked_sub(AHEAD);
            if let Some((turn, part)) = earlier.and_then(|turn| Some((turn, parts.get_mut(turn)?)))
            {
                finish(&mut workers[turn % SLOTS], part, params, offsets)?;
            }
        }
        Ok(())
    })
}

/// Enqueues a chunk's upload, and the scan that finds its total.
fn begin<I, V, O>(worker: &mut Worker<'_>, part: &Chunk<'_, I, V>) -> Result<(), Stop<ScanError>>
where
    I: ScanOf<V, O>,
    V: ScanValue,
    O: Operator<V>,
{
    // SAFETY: the part is borrowed for longer than the lane works.
    unsafe { worker.begin_upload(part.input)? };
    let params = ScanParams {
        initial: Some(O::identity()),
        ..Default::default()
    };
    worker.scan::<I, V, O>(part.input.len(), &params)?;
    Ok(worker.begin_total()?)
}

/// Downloads a chunk's total, waits for what comes before it, and enqueues its scan and its
/// download.
fn finish<I, V, O>(
    worker: &mut Worker<'_>,
    part: &mut Chunk<'_, I, V>,
    params: &MultiDeviceParams<V>,
    offsets: &Offsets<V>,
) -> Result<(), Stop<ScanError>>
where
    I: ScanOf<V, O>,
    V: ScanValue,
    O: Operator<V>,
{
    offsets.publish(part.number, worker.total()?);
    let params = ScanParams {
        kind: params.kind,
        initial: Some(offsets.before(part.number)?),
        ..Default::default()
    };
    worker.scan::<I, V, O>(part.input.len(), &params)?;
    // SAFETY: as for the upload; nothing else uses the part's output.
    unsafe { worker.begin_download(part.output)? };
    Ok(())
}
