//! Memory held by the buffers of a device.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes in the buffers of a device, as requested: without rounding and pooled memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// Current number of bytes.
    pub now: u64,
    /// Maximum number of bytes since the peak was reset.
    pub peak: u64,
}

/// Counter behind [`MemoryUse`]. Buffers are allocated and freed on several threads; a peak read
/// concurrently may miss their latest allocations.
#[derive(Default)]
pub(super) struct Usage {
    now: AtomicU64,
    peak: AtomicU64,
}

impl Usage {
    pub fn add(&self, bytes: u64) {
        let now = self.now.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(now, Ordering::Relaxed);
    }

    pub fn subtract(&self, bytes: u64) {
        self.now.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub fn read(&self) -> MemoryUse {
        MemoryUse {
            now: self.now.load(Ordering::Relaxed),
            peak: self.peak.load(Ordering::Relaxed),
        }
    }

    pub fn reset_peak(&self) {
        let now = self.now.load(Ordering::Relaxed);
        self.peak.store(now, Ordering::Relaxed);
    }
}
