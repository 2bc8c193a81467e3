//! A kernel's body in steps: what the compiler makes of it as the body of a future, so that a
//! thread can wait at a barrier without a stack. What it needs afterwards is in its frame, and one
//! step runs from one barrier to the next.

use super::Executor;
use super::current_thread::{FrameHeader, current_thread};
use super::frames::Frames;
use crate::finding::Site;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Where no more than this part of a block's threads can go on, nobody gives way to them.
const MIN_READY_FRACTION: u32 = 8;

/// The end of a step: the thread goes on with the next when it is let.
pub(crate) struct Suspension;

impl Future for Suspension {
    type Output = ();

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if current_thread().is_resuming.get() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl Executor<'_> {
    /// The current_executor thread arrives at the barrier: `true` where it has to end its step, and stands
    /// among those that wait.
    ///
    /// It does not ask whether the thread unwinds or its block is given up: neither takes a step.
    #[inline(always)]
    pub(crate) fn arrive(&self, site: Site, predicate: bool) -> bool {
        let Some((frames, head)) = self.current_frame() else {
            // not a launch in steps: the thread has a stack of its own
            let outcome = self.barrier(site, predicate);
            self.barrier.completed.set(outcome);
            return false;
        };
        if self.arrive_and_check_last(site, predicate) {
            return false;
        }
        frames.wait(head, site);
        current_thread().is_resuming.set(false);
        true
    }

    /// The current_executor thread lets others have their turn: `true` where it has to end its step.
    #[inline(always)]
    pub(crate) fn yield_step(&self, site: Site) -> bool {
        let Some((frames, head)) = self.current_frame() else {
            return false;
        };
        let threads = self.launch.threads;
        if threads - self.next.get() + frames.ready() <= threads / MIN_READY_FRACTION {
            // It is not worth a look at all frames.
            return false;
        }
        frames.yield_step(head, site);
        current_thread().is_resuming.set(false);
        true
    }

    /// The current_executor thread's frame, and all, where its body is in steps.
    #[inline(always)]
    fn current_frame(&self) -> Option<(&Frames, &FrameHeader)> {
        let head = current_thread().frame()?;
        // SAFETY: only `run_frames` has a frame run, and it is called with these.
        let frames = unsafe { self.frames.as_ref().unwrap_unchecked() };
        Some((frames, head))
    }
}
