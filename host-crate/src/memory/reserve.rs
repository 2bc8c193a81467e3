//! Memory that each thread sets aside for unwinding.
//!
//! Unwinding allocates about a hundred bytes: the payload and the exception. Right after an
//! allocation has failed, these may fail too, and then the process aborts without stating what the
//! memory was for. Threads that allocate lists therefore keep a small block, which is freed before
//! they unwind. The block belongs to the thread because allocators such as glibc's have several
//! heaps, and a thread can only reuse memory of its own.

use std::cell::Cell;

/// Size of a thread's block in bytes.
const BLOCK_BYTES: usize = 16 << 10;

thread_local! {
    /// Block of the thread; without capacity before it is allocated and after it is freed.
    static BLOCK: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Allocates the block of this thread, unless it has one. Without memory the thread has none.
pub(super) fn set_aside() {
    // a thread that is ending has no block
    let _ = BLOCK.try_with(|block| {
        let mut bytes = block.take();
        if bytes.capacity() == 0 {
            let _ = bytes.try_reserve_exact(BLOCK_BYTES);
        }
        block.set(bytes);
    });
}

/// Frees the block of this thread.
pub(super) fn release() {
    let _ = BLOCK.try_with(Cell::take);
}
