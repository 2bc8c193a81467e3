//! Barriers, fences and sleeping.

use super::imp;

/// Waits until every thread of the block has arrived (`__syncthreads`). Writes that any of them
/// made before are visible to all of them afterwards.
///
/// All threads of the block must reach the same barrier. If a thread exits, or waits at another
/// barrier, while others wait here, the device may hang; the CPU's checked mode reports it.
#[inline(always)]
#[track_caller]
pub fn sync_threads() {
    imp::sync_threads();
}

/// Waits like [`sync_threads`] and returns the number of threads of the block with a non-zero
/// `predicate`.
#[inline(always)]
#[track_caller]
#[must_use]
pub fn sync_threads_count(predicate: u32) -> u32 {
    imp::sync_threads_count(predicate)
}

/// Waits like [`sync_threads`] and returns non-zero if `predicate` is non-zero in all threads of
/// the block.
#[inline(always)]
#[track_caller]
#[must_use]
pub fn sync_threads_and(predicate: u32) -> u32 {
    imp::sync_threads_and(predicate)
}

/// Waits like [`sync_threads`] and returns non-zero if `predicate` is non-zero in any thread of the
/// block.
#[inline(always)]
#[track_caller]
#[must_use]
pub fn sync_threads_or(predicate: u32) -> u32 {
    imp::sync_threads_or(predicate)
}

/// Orders this thread's earlier memory accesses before its later ones as observed by its block. It
/// does not wait for other threads.
#[inline(always)]
pub fn block_fence() {
    imp::block_fence();
}

/// Orders this thread's earlier memory accesses before its later ones as observed by all threads of
/// the launch. It does not wait for other threads.
#[inline(always)]
pub fn grid_fence() {
    imp::device_fence();
}

/// Orders this thread's earlier memory accesses before its later ones as observed by all threads of
/// the device. It does not wait for other threads.
#[inline(always)]
pub fn device_fence() {
    imp::device_fence();
}

/// Orders this thread's earlier memory accesses before its later ones as observed by the host and
/// all devices. It does not wait for other threads.
#[inline(always)]
pub fn system_fence() {
    imp::system_fence();
}

/// Pauses the thread for about `nanos` nanoseconds (between zero and twice as long), for back-off
/// in polling loops. On the CPU it lets other threads of the block run and does not sleep.
#[inline(always)]
pub fn nanosleep(nanos: u32) {
    imp::nanosleep(nanos);
}
