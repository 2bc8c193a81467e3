//! Pools of freed memory: of a stream, and of a device.

use cust::{
    device::Device,
    memory::{DeviceBuffer, MemoryPool},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
};

/// Memory pools of the driver in use, by the index of the device.
static MEMORY_POOLS: Mutex<Option<HashMap<usize, Weak<MemoryPool>>>> = Mutex::new(None);

/// Returns the memory pool of a device, or `None` if the driver has no pools.
///
/// It is not the device's default pool, which other libraries of the process share. Freed memory
/// stays in it, so that the next allocation does not wait for the system, until the last
/// [`Device`](crate::device::Device) of this index is dropped.
pub(super) fn shared_memory_pool(index: usize, device: Device) -> Option<Arc<MemoryPool>> {
    let mut pools = MEMORY_POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let pools = pools.get_or_insert_default();
    if let Some(pool) = pools.get(&index).and_then(Weak::upgrade) {
        return Some(pool);
    }
    let pool = Arc::new(MemoryPool::new(device).ok()?);
    pool.set_release_threshold(u64::MAX).ok()?;
    pools.insert(index, Arc::downgrade(&pool));
    Some(pool)
}

/// Memory freed on a stream, for reuse by later work on the same stream.
#[derive(Default)]
pub(super) struct Pool {
    free: Mutex<Vec<DeviceBuffer<u8>>>,
}

/// Granularity of large blocks from [`LARGE`] bytes on; smaller ones use [`SMALL_UNIT`]. Rounding
/// lets similar sizes share blocks.
const LARGE_UNIT: usize = 2 << 20;
const LARGE: usize = 1 << 20;
const SMALL_UNIT: usize = 512;

/// Returns `true` if freed memory is pooled.
pub(super) fn is_enabled() -> bool {
    static IS_ENABLED: OnceLock<bool> = OnceLock::new();
    *IS_ENABLED
        .get_or_init(|| std::env::var_os("FERROVOX_MEMORY_POOL").is_none_or(|it| it != "off"))
}

/// Returns the block size for `bytes` bytes.
pub(super) fn block_size(bytes: usize) -> usize {
    if bytes == 0 || !is_enabled() {
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
    /// Takes the smallest block of at least `bytes` bytes, if it is at most a quarter larger.
    pub(super) fn acquire(&self, bytes: usize) -> Option<DeviceBuffer<u8>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |len: usize| len >= bytes && len - bytes <= bytes / 4;
        let best = (0..free.len())
            .filter(|&i| fits(free[i].len()))
            .min_by_key(|&i| free[i].len())?;
        Some(free.swap_remove(best))
    }

    /// Adds a block for reuse by later work on the stream.
    pub(super) fn release(&self, block: DeviceBuffer<u8>) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(block);
    }

    /// Returns the number of bytes in the pool.
    pub fn bytes(&self) -> u64 {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.iter().map(|buffer| buffer.len() as u64).sum()
    }

    /// Returns all memory to the driver, in stream order.
    pub fn clear(&self) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.clear();
    }
}
