//! The steps of a block's threads.

use super::Executor;
use super::current_thread::Current;
use super::frames::{Frames, NOT_WAITING};
use super::ready_frames::ReadyFrames;
use crate::coroutine_functions::Coroutine;
use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::ptr;

impl Executor<'_> {
    /// Makes frames of the threads that are left to start, then takes the steps of all threads that
    /// can take one, in turn, until there is none. On a fiber, since a step may have to wait for
    /// something else than a barrier.
    pub(super) fn run_frames(&self, frames: &Frames, coroutine: &Coroutine<'_>, current: &Current) {
        while self.start_next(current) {
            let rank = current.rank();
            let (head, frame) = frames.at(rank);
            head.thread.set(current.thread.get());
            head.site.set(None);
            head.barrier.set(frames.completed.get());
            frames.ready.set(frames.ready.get() + 1);
            // SAFETY: the thread begins, so its frame is vacant.
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
            // SAFETY: a turn, of frames of this body.
            unsafe { coroutine.resume((&raw mut ready).cast()) };
        }
        current.frame.set(ptr::null());
    }

    /// Ends every thread that waits in a frame: its block is given up.
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
                // SAFETY: the thread waits, and no queue has it any more.
                let drop = || unsafe { coroutine.drop(frame) };
                // What its values do when they are dropped may be to wait, which ends them, or to
                // panic, which is given up.
                if let Err(payload) = panic::catch_unwind(AssertUnwindSafe(drop)) {
                    mem::forget(payload);
                }
            }
        }
    }
}
