//! Iteration over the ready threads of a block.

use super::Executor;
use super::current_thread::Current;
use super::frames::{Frames, NOT_WAITING};

/// One pass over the frames of a block: yields each ready thread once, in rank order.
pub struct ReadyFrames<'a> {
    pub(super) executor: &'a Executor<'a>,
    pub(super) frames: &'a Frames,
    pub(super) current: &'a Current,
    /// Rank of the next thread to consider.
    pub(super) rank: u32,
    /// Start of that thread's frame memory.
    pub(super) start: *mut u8,
}

impl ReadyFrames<'_> {
    /// Returns the frame of the next ready thread and makes it the running thread.
    #[inline(always)]
    pub fn next_frame(&mut self) -> Option<*mut u8> {
        while self.rank < self.frames.threads {
            // SAFETY: `rank` is the rank of a thread, and `start` the start of its frame memory.
            let (head, frame) = unsafe { self.frames.parts(self.start) };
            self.start = self.start.wrapping_add(self.frames.stride);
            self.rank += 1;
            if head.barrier.get() != self.frames.completed.get() {
                continue;
            }
            head.barrier.set(NOT_WAITING);
            self.frames.ready.set(self.frames.ready.get() - 1);
            self.current.thread.set(head.thread.get());
            self.current.frame.set(head);
            self.current.is_resuming.set(true);
            return Some(frame);
        }
        None
    }

    /// Records that the running thread has returned from the kernel.
    #[inline(always)]
    pub fn mark_returned(&mut self) {
        self.executor.exit_thread(self.rank - 1);
    }
}
