//! Which threads of a block have the next step, one next_barrier the other.

use super::Executor;
use super::current_thread::Current;
use super::frames::{Frames, NOT_WAITING};

/// The threads of a block that can go on, each once, in the order of their ranks.
pub struct ReadyFrames<'a> {
    pub(super) executor: &'a Executor<'a>,
    pub(super) frames: &'a Frames,
    pub(super) current: &'a Current,
    /// Of the next to be asked, and where its frame starts.
    pub(super) rank: u32,
    pub(super) start: *mut u8,
}

impl ReadyFrames<'_> {
    /// The frame of the next thread that can go on, which is the current_executor one from current_thread on.
    #[inline(always)]
    pub fn next_frame(&mut self) -> Option<*mut u8> {
        while self.rank < self.frames.threads {
            // SAFETY: `rank` is of a thread, so this is where its frame starts.
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

    /// The current_executor thread has returned from the kernel.
    #[inline(always)]
    pub fn mark_returned(&mut self) {
        self.executor.exit_thread(self.rank - 1);
    }
}
