//! A kernel's body in steps: what the compiler makes of it as the body of a future, so that a
//! thread can wait at a barrier without a stack. What it needs afterwards is in its frame, and one
//! step runs from one barrier to the next.

use super::Executor;
use super::frames::Frames;
use super::record::{Head, here};
use crate::finding::Site;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Where no more than this part of a block's threads can go on, nobody gives way to them.
const FEW: u32 = 8;

/// The end of a step: the thread goes on with the next when it is let.
pub(crate) struct EndOfStep;

impl Future for EndOfStep {
    type Output = ();

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if here().goes_on.get() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl Executor<'_> {
    /// The running thread arrives at the barrier: `true` where it has to end its step, and stands
    /// among those that wait.
    ///
    /// It does not ask whether the thread unwinds or its block is given up: neither takes a step.
    #[inline(always)]
    pub(crate) fn arrive(&self, site: Site, predicate: bool) -> bool {
        let Some((frames, head)) = self.frame_of_step() else {
            // not a launch in steps: the thread has a stack of its own
            let outcome = self.barrier(site, predicate);
            self.barrier.completed.set(outcome);
            return false;
        };
        if self.is_last_to_arrive(site, predicate) {
            return false;
        }
        frames.wait(head, site);
        here().goes_on.set(false);
        true
    }

    /// The running thread lets others have their turn: `true` where it has to end its step.
    #[inline(always)]
    pub(crate) fn give_way(&self, site: Site) -> bool {
        let Some((frames, head)) = self.frame_of_step() else {
            return false;
        };
        let threads = self.launch.threads;
        if threads - self.next.get() + frames.ready() <= threads / FEW {
            // It is not worth a look at all frames.
            return false;
        }
        frames.give_way(head, site);
        here().goes_on.set(false);
        true
    }

    /// The running thread's frame, and all, where its body is in steps.
    #[inline(always)]
    fn frame_of_step(&self) -> Option<(&Frames, &Head)> {
        let head = here().frame()?;
        // SAFETY: only `run_frames` has a frame run, and it is called with these.
        let frames = unsafe { self.frames.as_ref().unwrap_unchecked() };
        Some((frames, head))
    }
}
