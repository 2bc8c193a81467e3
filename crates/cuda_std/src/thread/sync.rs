//! Barriers, fences and waiting.

use super::imp;

/// Waits until every thread of the block is here; what any of them wrote before is seen by all of
/// them after.
///
/// Every thread of the block must come to the same barrier. A thread that leaves the kernel, or
/// waits at another barrier, while others wait here is a bug: the device may hang, and the CPU's
/// checked mode reports it.
#[inline(always)]
#[track_caller]
pub fn sync_threads() {
    imp::sync_threads();
}

/// [`sync_threads`], and how many threads of the block passed a `predicate` that is not zero.
#[inline(always)]
#[track_caller]
#[must_use]
pub fn sync_threads_count(predicate: u32) -> u32 {
    imp::sync_threads_count(predicate)
}

/// [`sync_threads`], and not zero where every thread of the block passed a `predicate` that is not
/// zero.
#[inline(always)]
#[track_caller]
#[must_use]
pub fn sync_threads_and(predicate: u32) -> u32 {
    imp::sync_threads_and(predicate)
}

/// [`sync_threads`], and not zero where any thread of the block passed a `predicate` that is not
/// zero.
#[inline(always)]
#[track_caller]
#[must_use]
pub fn sync_threads_or(predicate: u32) -> u32 {
    imp::sync_threads_or(predicate)
}

/// Orders this thread's memory accesses before it and after it, as the threads of its block see
/// them. It waits for no thread.
#[inline(always)]
pub fn block_fence() {
    imp::block_fence();
}

/// Orders this thread's memory accesses as all threads of the launch see them. It waits for no
/// thread.
#[inline(always)]
pub fn grid_fence() {
    imp::device_fence();
}

/// Orders this thread's memory accesses as every thread of the device sees them. It waits for no
/// thread.
#[inline(always)]
pub fn device_fence() {
    imp::device_fence();
}

/// Orders this thread's memory accesses as the host and every device see them. It waits for no
/// thread.
#[inline(always)]
pub fn system_fence() {
    imp::system_fence();
}

/// Pauses the thread for about `nanos` nanoseconds, between none and twice as long; for back-off in
/// a loop that waits for another thread. On the CPU it lets the block's other threads run and does
/// not sleep.
#[inline(always)]
pub fn nanosleep(nanos: u32) {
    imp::nanosleep(nanos);
}
