//! Copies between pageable host memory and a device through pinned staging memory.
//!
//! The driver copies pageable memory with one thread through pinned memory of its own. Here all
//! threads of rayon copy to and from the staging slots while the device transfers the slots before;
//! page faults of new host memory are then also shared by all threads.

use super::Shared;
use crate::{device::DeviceError, parallel};
use cust::{
    error::CudaResult,
    event::{Event, EventFlags},
    memory::{AsyncCopyDestination, DeviceSlice, LockedBuffer},
    stream::Stream,
};
use std::sync::PoisonError;

/// Bytes of a slot: a transfer of about 40 microseconds.
const SLOT: usize = 2 << 20;
/// Number of slots; all but one are in transfer.
const SLOTS: usize = 8;
/// Number of bytes that a thread copies at a time.
const CHUNK: usize = 128 << 10;
/// Number of staging buffers that a device keeps; more are allocated for more concurrent copies.
const MAX_POOLED: usize = 2;

/// Minimum size in bytes of a staged copy.
pub(super) const STAGED: usize = 2 * SLOT;

/// Pinned memory of 16 MiB, divided into slots.
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

    /// Enqueues a copy to the device. `from` has been read when this returns.
    fn upload(&mut self, stream: &Stream, to: &DeviceSlice<u8>, from: &[u8]) -> CudaResult<()> {
        for (number, part) in from.chunks(SLOT).enumerate() {
            let at = number % SLOTS;
            let slot = &mut self.slots[at];
            slot.synchronize()?;
            let staged = &mut self.memory.as_mut_slice()[at * SLOT..][..part.len()];
            copy(staged, part);
            let first = number * SLOT;
            let mut to = to.index(first..first + part.len());
            // SAFETY: the slot is not touched before the event after this copy.
            unsafe { to.async_copy_from(&*staged, stream)? };
            slot.record(stream)?;
        }
        Ok(())
    }

    /// Copies to the host, after the work on the stream.
    fn download(
        &mut self,
        stream: &Stream,
        from: &DeviceSlice<u8>,
        to: &mut [u8],
    ) -> CudaResult<()> {
        let len = to.len();
        let mut begun = 0;
        for (number, part) in to.chunks_mut(SLOT).enumerate() {
            while begun * SLOT < len && begun < number + SLOTS {
                let at = begun % SLOTS;
                let slot = &mut self.slots[at];
                slot.synchronize()?;
                let first = begun * SLOT;
                let bytes = SLOT.min(len - first);
                let staged = &mut self.memory.as_mut_slice()[at * SLOT..][..bytes];
                // SAFETY: the slot is not touched before the event after this copy.
                unsafe {
                    from.index(first..first + bytes)
                        .async_copy_to(staged, stream)?
                };
                slot.record(stream)?;
                begun += 1;
            }
            let at = number % SLOTS;
            self.slots[at].synchronize()?;
            copy(part, &self.memory.as_slice()[at * SLOT..][..part.len()]);
        }
        Ok(())
    }
}

/// Copies memory with all threads.
fn copy(to: &mut [u8], from: &[u8]) {
    parallel::for_each_chunk_mut(to, CHUNK, |first, to| {
        to.copy_from_slice(&from[first..][..to.len()]);
    });
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
                // copies may still be running; the first error is the one to report
                let _ = stream.synchronize();
                return Err(error);
            }
            let mut pool = pool();
            if pool.len() < MAX_POOLED {
                pool.push(staging);
            } else {
                drop(pool);
                stream.synchronize()?;
            }
            Ok(true)
        })
    }
}
