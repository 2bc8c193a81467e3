//! What the compiler makes of a kernel's body in steps: functions for a thread's frame.

use std::alloc::Layout;
use std::marker::PhantomData;

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

    pub(crate) fn frame(&self) -> Layout {
        self.functions.frame
    }

    /// The first step of a thread. `true` where it is done.
    ///
    /// # Safety
    /// `frame` is vacant memory of the layout.
    #[inline(always)]
    pub(crate) unsafe fn begin(&self, frame: *mut u8) -> bool {
        // SAFETY: the caller's promise, and `new`'s of the arguments.
        unsafe { (self.functions.begin)(self.arguments, frame) }
    }

    /// The next step of a thread. `true` where it is done.
    ///
    /// # Safety
    /// A thread waits in `frame`, and is let go on.
    #[inline(always)]
    pub(crate) unsafe fn go_on(&self, frame: *mut u8) -> bool {
        // SAFETY: the caller's promise.
        unsafe { (self.functions.go_on)(frame) }
    }

    /// Ends a thread.
    ///
    /// # Safety
    /// A thread waits in `frame`.
    pub(crate) unsafe fn drop(&self, frame: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.functions.drop)(frame) }
    }
}
