//! Memory that threads set aside for unwinding.
//!
//! Unwinding allocates about a hundred bytes: the payload and the exception, the latter again in
//! each thread to which rayon passes the panic on. Right after an allocation has failed, these may
//! fail too, and then the process aborts without stating what the memory was for. Threads that
//! allocate lists therefore keep two small blocks each: one that is freed before the thread itself
//! unwinds, and one that is freed before any thread unwinds. Each thread has its own because
//! allocators such as glibc's have several heaps: a freed block returns to the heap of its thread.

use std::{
    cell::Cell,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};

/// Size of a thread's block in bytes.
const BLOCK_BYTES: usize = 16 << 10;

/// Block of a thread that is freed before any thread unwinds.
struct Block {
    /// Number of the block, unique in the process.
    id: u64,
    /// The reserved capacity.
    _bytes: Vec<u8>,
}

/// Blocks of all threads.
static BLOCKS: Mutex<Vec<Block>> = Mutex::new(Vec::new());

/// Number of the next block.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// All blocks below this number have been freed.
static FIRST_ID: AtomicU64 = AtomicU64::new(1);

/// `true` from the moment a thread unwinds until its error has been caught. No blocks are allocated
/// meanwhile.
static IS_UNWINDING: AtomicBool = AtomicBool::new(false);

/// Number of the block of a thread, or 0, freed at the end of the thread.
struct BlockId(Cell<u64>);

impl Drop for BlockId {
    fn drop(&mut self) {
        let id = self.0.get();
        blocks().retain(|block| block.id != id);
    }
}

thread_local! {
    /// Block that is freed before this thread unwinds; without capacity if there is none.
    static OWN_BLOCK: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    static BLOCK_ID: BlockId = const { BlockId(Cell::new(0)) };
}

fn blocks() -> MutexGuard<'static, Vec<Block>> {
    BLOCKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Allocates the blocks of this thread, unless it has them. Without memory the thread has none.
pub(super) fn set_aside() {
    // a thread that is ending has no blocks
    let _ = OWN_BLOCK.try_with(|block| {
        let mut bytes = block.take();
        if bytes.capacity() == 0 {
            let _ = bytes.try_reserve_exact(BLOCK_BYTES);
        }
        block.set(bytes);
    });
    let _ = BLOCK_ID.try_with(|id| {
        if id.0.get() < FIRST_ID.load(Relaxed) && !IS_UNWINDING.load(Relaxed) {
            id.0.set(add_block().unwrap_or(0));
        }
    });
}

/// Allocates a block and returns its number; `None` without memory.
#[cold]
fn add_block() -> Option<u64> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(BLOCK_BYTES).ok()?;
    let mut blocks = blocks();
    blocks.try_reserve(1).ok()?;
    let id = NEXT_ID.fetch_add(1, Relaxed);
    blocks.push(Block { id, _bytes: bytes });
    Some(id)
}

/// Frees the blocks of this thread and one of every other thread, before this thread unwinds.
pub(super) fn release() {
    drop(OWN_BLOCK.try_with(Cell::take));
    IS_UNWINDING.store(true, Relaxed);
    let mut blocks = blocks();
    FIRST_ID.store(NEXT_ID.load(Relaxed), Relaxed);
    blocks.clear();
}

/// Permits threads to allocate blocks again, after an unwinding has been caught.
pub(super) fn restore() {
    IS_UNWINDING.store(false, Relaxed);
}
