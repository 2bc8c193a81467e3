//! Memory of a stream that was freed, and is used again.

use cust::memory::DeviceBuffer;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Memory that was freed on a stream and can be used again by what comes later on it.
#[derive(Default)]
pub(super) struct Pool {
    free: Mutex<Vec<DeviceBuffer<u8>>>,
}

/// Pieces are whole multiples of this from [`LARGE`] on, and of [`SMALL_UNIT`] below, so that
/// similar ones fit each other.
const LARGE_UNIT: usize = 2 << 20;
const LARGE: usize = 1 << 20;
const SMALL_UNIT: usize = 512;

/// Whether freed memory is kept.
pub(super) fn keeps() -> bool {
    static KEEPS: OnceLock<bool> = OnceLock::new();
    *KEEPS.get_or_init(|| std::env::var_os("FERROVOX_MEMORY_POOL").is_none_or(|it| it != "off"))
}

/// The size of the piece for `bytes` bytes.
pub(super) fn piece(bytes: usize) -> usize {
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
    pub(super) fn take(&self, bytes: usize) -> Option<DeviceBuffer<u8>> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |len: usize| len >= bytes && len - bytes <= bytes / 4;
        let best = (0..free.len())
            .filter(|&i| fits(free[i].len()))
            .min_by_key(|&i| free[i].len())?;
        Some(free.swap_remove(best))
    }

    /// Keeps a piece for what comes later on the stream.
    pub(super) fn put(&self, piece: DeviceBuffer<u8>) {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(piece);
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
