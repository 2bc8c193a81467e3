//! Execution of coroutine bodies.

use super::Executor;
use super::current_thread::Current;
use super::end_thread::discard_payload;
use super::frames::{Frames, NOT_WAITING};
use super::ready_frames::ReadyFrames;
use crate::coroutine_functions::Coroutine;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;

impl Executor<'_> {
    /// Creates frames for the unstarted threads, then resumes all ready threads in rank order until
    /// none is ready. Runs on a fiber, since a thread may wait for something other than a barrier.
    pub(super) fn run_frames(&self, frames: &Frames, coroutine: &Coroutine<'_>, current: &Current) {
        while self.start_next(current) {
            let rank = current.rank();
            let (head, frame) = frames.at(rank);
            head.thread.set(current.thread.get());
            head.site.set(None);
            head.barrier.set(frames.completed.get());
            frames.ready.set(frames.ready.get() + 1);
            // SAFETY: the thread has not started, so its frame is vacant.
            unsafe { coroutine.begin(frame) };
        }
        while frames.ready() > 0 && !self.failing.get() {
            let mut ready = ReadyFrames {
                executor: self,
                frames,
                current,
                rank: 0,
                start: frames.start(0),
            };
            // SAFETY: `ready` iterates over frames of this coroutine.
            unsafe { coroutine.resume((&raw mut ready).cast()) };
        }
        current.frame.set(ptr::null());
    }

    /// Drops the frames of all waiting threads of an aborted block.
    #[cold]
    pub(super) fn drop_frames(
        &self,
        frames: &Frames,
        coroutine: &Coroutine<'_>,
        current: &Current,
    ) {
        frames.ready.set(0);
        for rank in 0..frames.threads {
            let (head, frame) = frames.at(rank);
            if head.barrier.replace(NOT_WAITING) != NOT_WAITING {
                current.thread.set(head.thread.get());
                // SAFETY: the thread is suspended, and no queue refers to it any more.
                let drop = || unsafe { coroutine.drop(frame) };
                // Destructors of the thread's values may wait, which ends the thread, or panic.
                if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(drop)) {
                    discard_payload(payload);
                }
            }
        }
    }
}
