//! Coroutine frames: the state of waiting threads whose body is a coroutine, one frame per thread
//! of the block.

use super::current_thread::{FrameHeader, ThreadId};
use crate::blocked::Waiter;
use crate::finding::Site;
use std::alloc::Layout;
use std::cell::{Cell, UnsafeCell};
use std::mem::{self, MaybeUninit};

/// Unit of frame memory: one cache line.
#[repr(align(64))]
struct CacheLine(#[allow(dead_code, reason = "memory")] UnsafeCell<MaybeUninit<[u8; LINE_BYTES]>>);

const LINE_BYTES: usize = 64;

/// Size of the [`FrameHeader`] in front of each frame, in bytes.
const HEADER_BYTES: usize = 32;

const _: () =
    assert!(size_of::<FrameHeader>() <= HEADER_BYTES && align_of::<FrameHeader>() <= HEADER_BYTES);

/// Maximum number of cache lines that an operating-system thread keeps for later launches.
const MAX_KEPT_LINES: usize = (1 << 20) / LINE_BYTES;

thread_local! {
    static POOL: Cell<Vec<CacheLine>> = const { Cell::new(Vec::new()) };
}

/// Barrier number of a thread that does not wait: it runs, has exited, or has not started.
pub(super) const NOT_WAITING: u32 = u32::MAX;

/// The coroutine frames of a block's threads.
pub(super) struct Frames {
    memory: Vec<CacheLine>,
    /// Distance between consecutive frames, in bytes.
    pub(super) stride: usize,
    pub(super) threads: u32,
    /// Number of threads that are ready to run.
    pub(super) ready: Cell<u32>,
    /// Sequence number of the most recently completed barrier. It wraps around before
    /// [`NOT_WAITING`].
    pub(super) completed: Cell<u32>,
}

impl Frames {
    /// Allocates frames for blocks of `threads` threads. Returns `None` if the frame's alignment
    /// exceeds [`HEADER_BYTES`], the offset of a frame behind its header.
    pub(super) fn new(frame: Layout, threads: u32) -> Option<Self> {
        if frame.align() > HEADER_BYTES {
            return None;
        }
        let lines = (HEADER_BYTES + frame.size()).div_ceil(LINE_BYTES);
        // The pool may already be destroyed while the thread exits.
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
            // SAFETY: the frame's memory starts with its header, and nothing else refers to it yet.
            unsafe { frames.start(rank).cast::<FrameHeader>().write(head) };
        }
        Some(frames)
    }

    /// Returns the start of the memory of a thread's frame, that is, its header.
    #[inline(always)]
    pub(super) fn start(&self, rank: u32) -> *mut u8 {
        assert!(rank < self.threads);
        let first = UnsafeCell::raw_get(self.memory.as_ptr().cast::<UnsafeCell<u8>>());
        // SAFETY: `new` allocated `stride` bytes for each thread.
        unsafe { first.add(rank as usize * self.stride) }
    }

    /// Returns the header and the frame of a thread.
    #[inline(always)]
    pub(super) fn at(&self, rank: u32) -> (&FrameHeader, *mut u8) {
        // SAFETY: `start` returns the start of the thread's frame memory.
        unsafe { self.parts(self.start(rank)) }
    }

    /// Returns the header at `start` and the frame behind it.
    ///
    /// # Safety
    /// `start` is the start of the frame memory of a thread.
    #[inline(always)]
    pub(super) unsafe fn parts(&self, start: *mut u8) -> (&FrameHeader, *mut u8) {
        // SAFETY: `new` wrote a header there, which is only borrowed shared; the frame follows it.
        unsafe { (&*start.cast::<FrameHeader>(), start.add(HEADER_BYTES)) }
    }

    /// Makes the thread of this frame wait at the next barrier to complete.
    #[inline(always)]
    pub(super) fn wait(&self, head: &FrameHeader, site: Site) {
        head.site.set(Some(site));
        head.barrier.set(next_barrier(self.completed.get()));
    }

    /// Makes the thread of this frame ready again, for the next pass over the frames.
    #[inline(always)]
    pub(super) fn yield_step(&self, head: &FrameHeader, site: Site) {
        head.site.set(Some(site));
        // The next barrier cannot complete before this thread has arrived, so this number stays
        // valid.
        head.barrier.set(self.completed.get());
        self.ready.set(self.ready.get() + 1);
    }

    /// Completes the current barrier and makes its `waiting` threads ready.
    pub(super) fn release(&self, waiting: u32) {
        self.completed.set(next_barrier(self.completed.get()));
        self.ready.set(self.ready.get() + waiting);
    }

    /// Returns the number of threads that are ready to run.
    #[inline(always)]
    pub(super) fn ready(&self) -> u32 {
        self.ready.get()
    }

    /// Returns the threads that wait at the barrier.
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
            // The executor itself panicked: the values of waiting threads can be neither used nor
            // freed.
            mem::forget(memory);
            return;
        }
        memory.truncate(MAX_KEPT_LINES);
        let _ = POOL.try_with(|pool| pool.set(memory));
    }
}

/// Returns the sequence number of the barrier after `barrier`.
#[inline(always)]
fn next_barrier(barrier: u32) -> u32 {
    (barrier + 1) % NOT_WAITING
}
