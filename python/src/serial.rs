//! Computations on the calling thread alone.
//!
//! Waking a thread of the pool, and the caller again at the end, takes longer than a small
//! computation. Loops of rayon run on the pool that their thread belongs to. A thread of Python
//! belongs to none, and would use rayon's global pool, whose threads a child made by `fork` lacks.
//! Therefore each calling thread becomes the only member of a pool of its own.

use rayon::ThreadPoolBuilder;
use std::{
    cell::Cell,
    mem,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Maximum number of pools, which are never freed (a few kilobytes each). Later threads use the
/// threads of the process for small computations too.
const MAX_POOLS: usize = 256;

/// Number of threads that have, or failed to get, a pool of their own.
static POOLS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// `true` if the thread has a pool of its own; `None` before its first computation.
    static IS_SERIAL: Cell<Option<bool>> = const { Cell::new(None) };
}

/// Returns `true` if the calling thread runs loops alone, and lets it do so if possible.
pub(crate) fn become_serial() -> bool {
    if let Some(is_serial) = IS_SERIAL.get() {
        return is_serial;
    }
    let is_serial = POOLS.fetch_add(1, Ordering::Relaxed) < MAX_POOLS && create_pool();
    IS_SERIAL.set(Some(is_serial));
    is_serial
}

/// Makes the calling thread the only member of a new pool, unless it belongs to one.
fn create_pool() -> bool {
    let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    // the thread belongs to the pool as long as it lives
    pool.build().map(mem::forget).is_ok()
}
