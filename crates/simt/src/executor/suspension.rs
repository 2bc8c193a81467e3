//! Suspension points of coroutine bodies. The compiler turns a kernel body into the state machine
//! of a future, so that a thread can wait at a barrier without a stack: the values that it needs
//! later are in its frame, and one step runs from one barrier to the next.

use super::current_thread::{FrameHeader, current_thread};
use super::frames::Frames;
use super::{Executor, end_thread};
use crate::finding::Site;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A thread does not yield to others if at most `1 / MIN_READY_FRACTION` of the block's threads are
/// ready.
const MIN_READY_FRACTION: u32 = 8;

/// Future that ends a step: pending when first polled, ready when its thread is resumed.
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
    /// Records the arrival of the running thread at the barrier. Returns `true` if the thread must
    /// end its step and wait.
    ///
    /// Unwinding threads run no steps and aborted blocks begin none, so neither is checked for
    /// before the arrival.
    #[inline(always)]
    pub(crate) fn arrive(&self, site: Site, predicate: bool) -> bool {
        let Some((frames, head)) = self.current_frame() else {
            // The launch runs a plain body, whose threads wait on fibers.
            let outcome = self.barrier(site, predicate);
            self.barrier.completed.set(outcome);
            return false;
        };
        if self.arrive_and_check_last(site, predicate) {
            if self.failing.get() {
                // Another block has failed. The last thread of a block would never suspend.
                end_thread();
            }
            return false;
        }
        frames.wait(head, site);
        current_thread().is_resuming.set(false);
        true
    }

    /// Yields to the other ready threads. Returns `true` if the running thread must end its step.
    #[inline(always)]
    pub(crate) fn yield_step(&self, site: Site) -> bool {
        let Some((frames, head)) = self.current_frame() else {
            return false;
        };
        let threads = self.launch.threads;
        if threads - self.next.get() + frames.ready() <= threads / MIN_READY_FRACTION {
            // Too few ready threads to justify a pass over all frames.
            return false;
        }
        frames.yield_step(head, site);
        current_thread().is_resuming.set(false);
        true
    }

    /// Returns all frames and the header of the running thread, if its body is a coroutine.
    #[inline(always)]
    fn current_frame(&self) -> Option<(&Frames, &FrameHeader)> {
        let head = current_thread().frame()?;
        // SAFETY: frames only run in `run_frames`, which is called with these frames.
        let frames = unsafe { self.frames.as_ref().unwrap_unchecked() };
        Some((frames, head))
    }
}
