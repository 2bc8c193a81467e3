//! A kernel's body in steps: what the compiler makes of it as the body of a future, so that a thread can wait at a barrier without a
//! stack. What it needs afterwards is in its frame, and one step runs from one barrier to the next.

use super::Executor;
use super::frames::{Frames, Head};
use super::record::here;
use crate::finding::Site;
use std::alloc::Layout;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The functions of a body in steps, for frames of one layout.
#[derive(Clone, Copy)]
pub struct StepFunctions {
    frame: Layout,
    begin: unsafe fn(arguments: *const (), frame: *mut u8) -> bool,
    go_on: unsafe fn(frame: *mut u8) -> bool,
    drop: unsafe fn(frame: *mut u8),
}

impl StepFunctions {
    /// `begin` makes a frame of the arguments and takes its first step, `go_on` takes the next. Both return whether the thread is done, and
    /// then, as when they unwind, nothing is left in the frame. `drop` ends a thread that waits.
    ///
    /// # Safety
    /// 1. `begin` may be called with a frame that is vacant memory of this layout, `go_on` and `drop` with one whose thread waits: which
    ///    is at a [`steps::end`](crate::steps::end), and nowhere else.
    /// 2. Frames are used by one operating-system thread, and may be left as they are where they stand for ever.
    pub const unsafe fn new(
        frame: Layout,
        begin: unsafe fn(arguments: *const (), frame: *mut u8) -> bool,
        go_on: unsafe fn(frame: *mut u8) -> bool,
        drop: unsafe fn(frame: *mut u8),
    ) -> Self {
        Self {
            frame,
            begin,
            go_on,
            drop,
        }
    }
}

/// A body in steps with its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Steps<'a> {
    functions: StepFunctions,
    arguments: *const (),
    borrow: PhantomData<&'a ()>,
}

// SAFETY: who made it promised that the functions may run in any number of threads.
unsafe impl Sync for Steps<'_> {}

impl Steps<'_> {
    /// # Safety
    /// `functions` may be called with these arguments, in any number of threads, while the result lives.
    pub(crate) unsafe fn new(functions: StepFunctions, arguments: *const ()) -> Self {
        Steps {
            functions,
            arguments,
            borrow: PhantomData,
        }
    }

    pub(super) fn frame(&self) -> Layout {
        self.functions.frame
    }

    /// The first step of a thread. `true` where it is done.
    ///
    /// # Safety
    /// `frame` is vacant memory of the layout.
    #[inline(always)]
    pub(super) unsafe fn begin(&self, frame: *mut u8) -> bool {
        // SAFETY: the caller's promise, and `new`'s of the arguments.
        unsafe { (self.functions.begin)(self.arguments, frame) }
    }

    /// The next step of a thread. `true` where it is done.
    ///
    /// # Safety
    /// A thread waits in `frame`, and is let go on.
    #[inline(always)]
    pub(super) unsafe fn go_on(&self, frame: *mut u8) -> bool {
        // SAFETY: the caller's promise.
        unsafe { (self.functions.go_on)(frame) }
    }

    /// Ends a thread.
    ///
    /// # Safety
    /// A thread waits in `frame`.
    pub(super) unsafe fn drop(&self, frame: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.functions.drop)(frame) }
    }
}

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
    /// The running thread arrives at the barrier: `true` where it has to end its step, and stands among those that wait.
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
