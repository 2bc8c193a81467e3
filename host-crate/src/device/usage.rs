//! How much memory a device's buffers hold.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes in the buffers of a device: those asked for, without what an allocator rounds up or keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// Now.
    pub now: u64,
    /// At most since the peak was reset.
    pub peak: u64,
}

/// The count behind it. Buffers come and go on several threads; a peak that is read meanwhile may
/// miss what they are about to add.
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
