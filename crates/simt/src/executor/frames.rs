//! Where threads wait whose body runs in steps: one frame for each thread of the block, in a row.

use super::current_thread::{FrameHeader, ThreadId};
use crate::blocked::Waiter;
use crate::finding::Site;
use std::alloc::Layout;
use std::cell::{Cell, UnsafeCell};
use std::mem::{self, MaybeUninit};

/// What frames are cut from: a line of the cache.
#[repr(align(64))]
struct CacheLine(#[allow(dead_code, reason = "memory")] UnsafeCell<MaybeUninit<[u8; LINE_BYTES]>>);

const LINE_BYTES: usize = 64;

/// Bytes before a frame, for its [`FrameHeader`].
const HEADER_BYTES: usize = 32;

const _: () =
    assert!(size_of::<FrameHeader>() <= HEADER_BYTES && align_of::<FrameHeader>() <= HEADER_BYTES);

/// AccessedMemory that an operating-system thread keeps for later launches, at most.
const MAX_KEPT_LINES: usize = (1 << 20) / LINE_BYTES;

thread_local! {
    static POOL: Cell<Vec<CacheLine>> = const { Cell::new(Vec::new()) };
}

/// The frame's thread does not wait: it runs, has left, or has not begun.
pub(super) const NOT_WAITING: u32 = u32::MAX;

/// The frames of a block's threads.
pub(super) struct Frames {
    memory: Vec<CacheLine>,
    /// Bytes from one frame to the next.
    pub(super) stride: usize,
    pub(super) threads: u32,
    /// How many threads can go on.
    pub(super) ready: Cell<u32>,
    /// Number of the barrier that completed last: they are counted, and begin again before
    /// [`NOT_WAITING`].
    pub(super) completed: Cell<u32>,
}

impl Frames {
    /// For blocks of `threads` threads. `None` where frames are aligned to more than fits.
    pub(super) fn new(frame: Layout, threads: u32) -> Option<Self> {
        if frame.align() > HEADER_BYTES {
            return None;
        }
        let lines = (HEADER_BYTES + frame.size()).div_ceil(LINE_BYTES);
        // While the thread exits its pool may be gone.
        let mut memory = POOL.try_with(Cell::take).unwrap_or_default();
        let missing = (lines * threads as usize).saturating_sub(memory.len());
        memory.extend((0..missing).map(|_| CacheLine(UnsafeCell::new(MaybeUninit::uninit()))));
        let frames = Frames {
            memory,
            stride: lines * LINE_BYTES,
            threads,
            ready: Cell::new(0),
            completed: Cell::new(0),
        };
        for rank in 0..threads {
            let head = FrameHeader {
                thread: Cell::new(ThreadId::FIRST),
                site: Cell::new(None),
                barrier: Cell::new(NOT_WAITING),
            };
            // SAFETY: the memory of the frame begins with that of its head, and nobody else has it
            // yet.
            unsafe { frames.start(rank).cast::<FrameHeader>().write(head) };
        }
        Some(frames)
    }

    /// Where the memory for the thread's frame starts.
    #[inline(always)]
    pub(super) fn start(&self, rank: u32) -> *mut u8 {
        assert!(rank < self.threads);
        let first = UnsafeCell::raw_get(self.memory.as_ptr().cast::<UnsafeCell<u8>>());
        // SAFETY: `new` made as many bytes for each of the threads.
        unsafe { first.add(rank as usize * self.stride) }
    }

    /// The thread's head and frame.
    #[inline(always)]
    pub(super) fn at(&self, rank: u32) -> (&FrameHeader, *mut u8) {
        // SAFETY: it starts there.
        unsafe { self.parts(self.start(rank)) }
    }

    /// The head and the frame behind it.
    ///
    /// # Safety
    /// `start` is where a thread's frame starts.
    #[inline(always)]
    pub(super) unsafe fn parts(&self, start: *mut u8) -> (&FrameHeader, *mut u8) {
        // SAFETY: `new` wrote a head there, which is only ever borrowed shared, and the frame is
        // behind it.
        unsafe { (&*start.cast::<FrameHeader>(), start.add(HEADER_BYTES)) }
    }

    /// The thread of this frame waits at the barrier that is next to complete.
    #[inline(always)]
    pub(super) fn wait(&self, head: &FrameHeader, site: Site) {
        head.site.set(Some(site));
        head.barrier.set(next_barrier(self.completed.get()));
    }

    /// The thread of this frame waits for nothing but its turn.
    #[inline(always)]
    pub(super) fn yield_step(&self, head: &FrameHeader, site: Site) {
        head.site.set(Some(site));
        // No barrier completes before all threads have arrived there, and this one has not.
        head.barrier.set(self.completed.get());
        self.ready.set(self.ready.get() + 1);
    }

    /// Who waits at the barrier, which is `waiting` of the threads, can go on.
    pub(super) fn release(&self, waiting: u32) {
        self.completed.set(next_barrier(self.completed.get()));
        self.ready.set(self.ready.get() + waiting);
    }

    /// How many threads can go on.
    #[inline(always)]
    pub(super) fn ready(&self) -> u32 {
        self.ready.get()
    }

    /// The threads that wait at the barrier.
    pub(super) fn waiters(&self) -> Vec<Waiter> {
        let waiter = |rank| {
            let (head, _) = self.at(rank);
            let site = head
                .site
                .get()
                .filter(|_| head.barrier.get() != NOT_WAITING)?;
            Some(Waiter { rank, site })
        };
        (0..self.threads).filter_map(waiter).collect()
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        let any_waits = !self.waiters().is_empty();
        let mut memory = mem::take(&mut self.memory);
        if any_waits {
            // Only if the executor itself panicked: what a thread that waits has is neither used
            // nor freed.
            mem::forget(memory);
            return;
        }
        memory.truncate(MAX_KEPT_LINES);
        let _ = POOL.try_with(|pool| pool.set(memory));
    }
}

/// The number of the barrier that follows.
#[inline(always)]
fn next_barrier(barrier: u32) -> u32 {
    (barrier + 1) % NOT_WAITING
}
