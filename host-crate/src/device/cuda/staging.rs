//! Copies between pageable host memory and a device through pinned staging memory.
//!
//! The driver copies pageable memory with one thread through pinned memory of its own. Here every
//! thread of rayon copies a range of its own through slots of its own, while the device transfers
//! the slots before; page faults of new host memory are then also shared by all threads.

use super::Shared;
use crate::{device::DeviceError, parallel};
use cust::{
    error::CudaResult,
    event::{Event, EventFlags},
    memory::{AsyncCopyDestination, DeviceSlice, LockedBuffer},
    stream::Stream,
};
use std::ops::Range;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes of a slot: a transfer of about 20 microseconds.
pub(in crate::device) const SLOT: usize = 1 << 20;
/// Number of slots, a power of two. More would take longer to pin than they save.
const SLOTS: usize = 32;
/// Least number of slots of a thread, which fills one while another is transferred.
const MIN_SLOTS_PER_THREAD: usize = 2;
/// Number of staging buffers that a device keeps; more are allocated for more concurrent copies.
const MAX_POOLED: usize = 2;

/// Minimum size in bytes of a staged copy.
pub(super) const STAGED: usize = 4 << 20;

/// Pinned memory of 32 MiB, divided into slots.
pub(super) struct Staging {
    memory: LockedBuffer<u8>,
    slots: Vec<Slot>,
}

/// State of a slot.
struct Slot {
    /// Event after the last copy from or to the slot.
    done: Event,
    /// `true` if that copy may still be running.
    busy: bool,
}

impl Slot {
    fn synchronize(&mut self) -> CudaResult<()> {
        if self.busy {
            self.done.synchronize()?;
            self.busy = false;
        }
        Ok(())
    }

    fn record(&mut self, stream: &Stream) -> CudaResult<()> {
        self.busy = true;
        self.done.record(stream)
    }
}

/// Slots that one thread uses in turn, with their memory.
struct Lane<'a> {
    memory: &'a mut [u8],
    slots: &'a mut [Slot],
}

impl Lane<'_> {
    /// Returns the slot of a part, and `bytes` bytes of its memory, once its last copy has
    /// finished.
    fn slot(&mut self, part: usize, bytes: usize) -> CudaResult<(&mut Slot, &mut [u8])> {
        let at = part % self.slots.len();
        let slot = &mut self.slots[at];
        slot.synchronize()?;
        Ok((slot, &mut self.memory[at * SLOT..][..bytes]))
    }

    /// Enqueues a copy of `from` to the device.
    fn upload(&mut self, stream: &Stream, to: DeviceSlice<u8>, from: &[u8]) -> CudaResult<()> {
        for (number, part) in from.chunks(SLOT).enumerate() {
            let (slot, staged) = self.slot(number, part.len())?;
            staged.copy_from_slice(part);
            let first = number * SLOT;
            let mut to = to.index(first..first + part.len());
            // SAFETY: the slot is not touched before the event after this copy.
            unsafe { to.async_copy_from(&*staged, stream)? };
            slot.record(stream)?;
        }
        Ok(())
    }

    /// Copies from the device to `to`.
    fn download(
        &mut self,
        stream: &Stream,
        from: DeviceSlice<u8>,
        to: &mut [u8],
    ) -> CudaResult<()> {
        let len = to.len();
        let mut begun = 0;
        for (number, part) in to.chunks_mut(SLOT).enumerate() {
            while begun * SLOT < len && begun < number + self.slots.len() {
                let first = begun * SLOT;
                let bytes = SLOT.min(len - first);
                let (slot, staged) = self.slot(begun, bytes)?;
                // SAFETY: the slot is not touched before the event after this copy.
                unsafe {
                    from.index(first..first + bytes)
                        .async_copy_to(staged, stream)?
                };
                slot.record(stream)?;
                begun += 1;
            }
            let (_, staged) = self.slot(number, part.len())?;
            part.copy_from_slice(staged);
        }
        Ok(())
    }
}

impl Staging {
    fn new() -> CudaResult<Self> {
        let slots = (0..SLOTS).map(|_| {
            Ok(Slot {
                done: Event::new(EventFlags::DISABLE_TIMING)?,
                busy: false,
            })
        });
        Ok(Self {
            memory: LockedBuffer::new(&0, SLOT * SLOTS)?,
            slots: slots.collect::<CudaResult<_>>()?,
        })
    }

    /// Returns a lane for most threads: a power of two, at most half of the number of slots. Also
    /// returns the number of bytes that each copies if all of them copy `bytes` bytes.
    fn lanes(&mut self, bytes: usize) -> (Vec<Lane<'_>>, usize) {
        let threads = rayon::current_num_threads().clamp(1, SLOTS / MIN_SLOTS_PER_THREAD);
        let lanes = (threads + 1).next_power_of_two() / 2;
        let slots = SLOTS / lanes;
        let memory = self.memory.as_mut_slice().chunks_mut(slots * SLOT);
        let lanes = memory.zip(self.slots.chunks_mut(slots));
        let lanes: Vec<_> = lanes
            .map(|(memory, slots)| Lane { memory, slots })
            .collect();
        let share = bytes.div_ceil(lanes.len()).next_multiple_of(SLOT);
        (lanes, share)
    }

    /// Enqueues a copy to the device. `from` has been read when this returns.
    fn upload(&mut self, stream: &Stream, to: &DeviceSlice<u8>, from: &[u8]) -> CudaResult<()> {
        let (mut lanes, share) = self.lanes(from.len());
        let copied = parallel::map_mut(&mut lanes, |index, lane| {
            let first = from.len().min(index * share);
            let from = &from[first..from.len().min(first + share)];
            lane.upload(stream, to.index(first..first + from.len()), from)
        });
        copied.into_iter().collect()
    }

    /// Enqueues copies to the device of bytes that `fill` writes to the slots, until it returns
    /// `false`. Their indices begin with `start`.
    fn upload_filled(
        &mut self,
        stream: &Stream,
        to: &DeviceSlice<u8>,
        start: usize,
        fill: &(dyn Fn(usize, &mut [u8]) -> bool + Sync),
    ) -> CudaResult<()> {
        let list = start..start + to.len();
        let next = AtomicUsize::new(0);
        let (mut lanes, _) = self.lanes(to.len());
        let copied = parallel::map_mut(&mut lanes, |_, lane| {
            for number in 0.. {
                let Some(part) = part_at(&list, next.fetch_add(1, Relaxed)) else {
                    break;
                };
                let (slot, staged) = lane.slot(number, part.len())?;
                if !fill(part.start, staged) {
                    break;
                }
                let mut to = to.index(part.start - start..part.end - start);
                // SAFETY: the slot is not touched before the event after this copy.
                unsafe { to.async_copy_from(&*staged, stream)? };
                slot.record(stream)?;
            }
            Ok(())
        });
        copied.into_iter().collect()
    }

    /// Copies to the host, after the work on the stream.
    fn download(
        &mut self,
        stream: &Stream,
        from: &DeviceSlice<u8>,
        to: &mut [u8],
    ) -> CudaResult<()> {
        let (lanes, share) = self.lanes(to.len());
        let mut lanes: Vec<_> = lanes.into_iter().zip(to.chunks_mut(share)).collect();
        let copied = parallel::map_mut(&mut lanes, |index, (lane, to)| {
            let first = index * share;
            lane.download(stream, from.index(first..first + to.len()), to)
        });
        copied.into_iter().collect()
    }
}

/// Returns part `number` of a range of bytes that is divided at the multiples of [`SLOT`].
pub(super) fn part_at(bytes: &Range<usize>, number: usize) -> Option<Range<usize>> {
    let slot = (bytes.start / SLOT).saturating_add(number);
    let start = bytes.start.max(slot.saturating_mul(SLOT));
    let end = bytes.end.min(slot.saturating_add(1).saturating_mul(SLOT));
    (start < end).then_some(start..end)
}

impl Drop for Staging {
    /// Waits for the copies from and to the slots, which may be running after an upload or a panic.
    fn drop(&mut self) {
        for slot in &mut self.slots {
            // an error means that the context is lost, and its copies have ended
            let _ = slot.synchronize();
        }
    }
}

impl Shared {
    /// Enqueues a copy of at least [`STAGED`] bytes to the device. Returns `true` if `from` has
    /// been read, and `false` if there is no pinned memory.
    pub(super) fn upload_staged(
        &self,
        stream: &Stream,
        to: &DeviceSlice<u8>,
        from: &[u8],
    ) -> Result<bool, DeviceError> {
        self.staged("copying to the device", stream, |staging| {
            staging.upload(stream, to, from)
        })
    }

    /// Enqueues copies to the device of bytes that `fill` writes, as for
    /// [`fill_memory`](super::CudaStream::fill_memory). Returns `false` if there is no pinned
    /// memory.
    pub(super) fn upload_filled(
        &self,
        stream: &Stream,
        to: &DeviceSlice<u8>,
        start: usize,
        fill: &(dyn Fn(usize, &mut [u8]) -> bool + Sync),
    ) -> Result<bool, DeviceError> {
        self.staged("copying to the device", stream, |staging| {
            staging.upload_filled(stream, to, start, fill)
        })
    }

    /// Copies at least [`STAGED`] bytes to the host, after the work on the stream. Returns `false`
    /// if there is no pinned memory.
    pub(super) fn download_staged(
        &self,
        stream: &Stream,
        from: &DeviceSlice<u8>,
        to: &mut [u8],
    ) -> Result<bool, DeviceError> {
        self.staged("copying to the host", stream, |staging| {
            staging.download(stream, from, to)
        })
    }

    fn staged(
        &self,
        what: &str,
        stream: &Stream,
        act: impl FnOnce(&mut Staging) -> CudaResult<()>,
    ) -> Result<bool, DeviceError> {
        let pool = || self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let pooled = pool().pop();
        self.with(what, || {
            let mut staging = match pooled {
                Some(staging) => staging,
                None => match Staging::new() {
                    Ok(staging) => staging,
                    Err(_) => return Ok(false),
                },
            };
            if let Err(error) = act(&mut staging) {
                // a copy may be running without an event; the first error is the one to report
                let _ = stream.synchronize();
                return Err(error);
            }
            let mut pool = pool();
            if pool.len() < MAX_POOLED {
                pool.push(staging);
            } else {
                // outside of the lock, because this waits for the copies
                drop(pool);
                drop(staging);
            }
            Ok(true)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_at_multiples_of_the_slot() {
        for bytes in [
            0..0,
            0..1,
            7..SLOT,
            3 * SLOT - 1..3 * SLOT + 1,
            5 * SLOT..9 * SLOT + 2,
        ] {
            let parts: Vec<_> = (0..).map_while(|number| part_at(&bytes, number)).collect();
            let slots = bytes.end.div_ceil(SLOT) - bytes.start / SLOT;
            assert_eq!(parts.len(), if bytes.is_empty() { 0 } else { slots });
            let ends = parts.iter().map(|part| part.end);
            let starts = std::iter::once(bytes.start).chain(ends);
            assert!(starts.zip(&parts).all(|(start, part)| start == part.start));
            let inner = parts.iter().skip(1);
            assert!(inner.clone().all(|part| part.start.is_multiple_of(SLOT)));
            assert_eq!(parts.last().map_or(bytes.start, |part| part.end), bytes.end);
            assert_eq!(part_at(&bytes, usize::MAX), None);
        }
    }
}
