//! Memory of a CUDA device.
//!
//! Memory that is freed is kept by its stream and used again: the driver's own pool takes microseconds for a piece, and now and
//! then a tenth of a millisecond to map it anew. `FERROVOX_MEMORY_POOL=off` turns this off, so that tools that watch allocations
//! see each of them.

use super::{Shared, stream::StreamOwner};
use crate::device::DeviceError;
use cust::{
    error::CudaError,
    memory::{DeviceBuffer, DeviceSlice, LockedBuffer, mem_get_info},
};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Bytes on the device. When dropped they go back to the stream that allocated them, in its order.
pub(in crate::device) struct CudaMemory {
    /// `None` only while it is dropped.
    buffer: Option<DeviceBuffer<u8>>,
    bytes: usize,
    owner: Arc<StreamOwner>,
}

/// Memory that was freed on a stream and can be used again by what comes later on it.
#[derive(Default)]
pub(super) struct Pool {
    free: Mutex<Vec<DeviceBuffer<u8>>>,
}

/// Pieces are whole multiples of this from [`LARGE`] on, and of [`SMALL_UNIT`] below, so that similar ones fit each other.
const LARGE_UNIT: usize = 2 << 20;
const LARGE: usize = 1 << 20;
const SMALL_UNIT: usize = 512;

/// Whether freed memory is kept.
fn keeps() -> bool {
    static KEEPS: OnceLock<bool> = OnceLock::new();
    *KEEPS.get_or_init(|| std::env::var_os("FERROVOX_MEMORY_POOL").is_none_or(|it| it != "off"))
}

/// The size of the piece for `bytes` bytes.
fn piece(bytes: usize) -> usize {
    if bytes == 0 || !keeps() {
        return bytes;
    }
    let unit = if bytes < LARGE {
        SMALL_UNIT
    } else {
        LARGE_UNIT
    };
    bytes.checked_next_multiple_of(unit).unwrap_or(bytes)
}

impl Pool {
    /// The smallest piece of at least `bytes`, if it is not more than a quarter larger.
    fn take(&self, bytes: usize) -> Option<DeviceBuffer<u8>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |len: usize| len >= bytes && len - bytes <= bytes / 4;
        let best = (0..free.len())
            .filter(|&i| fits(free[i].len()))
            .min_by_key(|&i| free[i].len())?;
        Some(free.swap_remove(best))
    }

    /// How many bytes it holds.
    pub fn bytes(&self) -> u64 {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.iter().map(|buffer| buffer.len() as u64).sum()
    }

    /// Gives everything back to the driver, in the stream's order.
    pub fn clear(&self) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.clear();
    }
}

impl CudaMemory {
    pub(super) fn new(owner: &Arc<StreamOwner>, bytes: usize) -> Result<Self, DeviceError> {
        let shared = &owner.shared;
        let size = piece(bytes);
        let kept = if size == 0 {
            None
        } else {
            owner.pool.take(size)
        };
        let allocate = || {
            // SAFETY: nothing reads the bytes before they are written: what an allocation holds is documented as
            // unspecified.
            unsafe { DeviceBuffer::<u8>::uninitialized_async(size, &owner.stream) }
        };
        let allocated = match kept {
            Some(buffer) => Ok(buffer),
            None => match allocate() {
                // what streams of this device keep may be enough
                Err(CudaError::OutOfMemory) => shared.clear_pools().and_then(|()| allocate()),
                result => result,
            },
        };
        match allocated {
            Ok(buffer) => Ok(Self {
                buffer: Some(buffer),
                bytes,
                owner: owner.clone(),
            }),
            Err(CudaError::OutOfMemory) => Err(out_of_memory(shared, bytes)),
            Err(error) => Err(shared.error(format!("allocating {bytes} bytes"), error)),
        }
    }

    /// The address of the first byte, on the device.
    pub fn pointer(&self) -> u64 {
        self.slice().as_device_ptr().as_raw()
    }

    pub(super) fn slice(&self) -> DeviceSlice<u8> {
        let buffer = self.buffer.as_ref().expect("taken only when dropped");
        // of the buffer's context, whichever is current; the piece has at least these bytes
        buffer.index(0..self.bytes)
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take()
            && keeps()
            && !buffer.is_empty()
        {
            let pool = &self.owner.pool;
            let mut free = pool.free.lock().unwrap_or_else(PoisonError::into_inner);
            free.push(buffer);
        }
    }
}

/// Pinned bytes on the host.
pub(in crate::device) struct CudaHostMemory {
    buffer: LockedBuffer<u8>,
}

impl CudaHostMemory {
    pub(super) fn new(shared: &Shared, bytes: usize) -> Result<Self, DeviceError> {
        let what = format!("pinning {bytes} bytes on the host");
        // SAFETY: the one caller writes every byte before it gives the memory out.
        let buffer = shared.with(&what, || unsafe { LockedBuffer::uninitialized(bytes) })?;
        Ok(Self { buffer })
    }

    pub fn bytes(&self) -> &[u8] {
        self.buffer.as_slice()
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.buffer.as_mut_slice()
    }
}

fn out_of_memory(shared: &Shared, bytes: usize) -> DeviceError {
    let (free, total) = shared
        .with("asking for its memory", mem_get_info)
        .unwrap_or_default();
    DeviceError::OutOfMemory {
        device: shared.id.clone(),
        requested: bytes as u64,
        free: free as u64,
        total: total as u64,
    }
}
