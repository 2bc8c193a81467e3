//! Pool of freed memory of a stream.

use cust::memory::DeviceBuffer;
use std::sync::{Mutex, OnceLock, PoisonError};

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
