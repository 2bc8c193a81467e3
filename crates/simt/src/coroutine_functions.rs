//! Functions that the compiler generates for a coroutine body.

use std::alloc::Layout;
use std::marker::PhantomData;

/// Function table of a coroutine body, for frames of one layout.
#[derive(Clone, Copy)]
pub struct CoroutineFunctions {
    frame: Layout,
    begin: unsafe fn(arguments: *const (), frame: *mut u8),
    resume: unsafe fn(ready: *mut ()),
    drop: unsafe fn(frame: *mut u8),
}

impl CoroutineFunctions {
    /// Creates a function table. `begin` constructs a thread's frame from the arguments, suspended
    /// before its first step. `resume` receives a pointer to
    /// [`ReadyFrames`](crate::coroutine::ReadyFrames); it resumes each frame returned by
    /// [`next_frame`](crate::coroutine::ReadyFrames::next_frame) until there is none, and calls
    /// [`mark_returned`](crate::coroutine::ReadyFrames::mark_returned) for threads that return. The
    /// frame of a thread that returned or unwound holds no value. `drop` drops a suspended frame.
    ///
    /// # Safety
    /// 1. `begin` may be called with vacant memory of this layout, `resume` with frames of
    ///    suspended threads, and `drop` with one such frame. A thread is suspended before its first
    ///    step and at a [`coroutine::suspend`](crate::coroutine::suspend), and nowhere else.
    /// 2. Frames are used by one operating-system thread, and may be leaked in place.
    pub const unsafe fn new(
        frame: Layout,
        begin: unsafe fn(arguments: *const (), frame: *mut u8),
        resume: unsafe fn(ready: *mut ()),
        drop: unsafe fn(frame: *mut u8),
    ) -> Self {
        Self {
            frame,
            begin,
            resume,
            drop,
        }
    }
}

/// A coroutine body with its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Coroutine<'a> {
    functions: CoroutineFunctions,
    arguments: *const (),
    borrow: PhantomData<&'a ()>,
}

// SAFETY: `new` requires that the functions may run on any number of threads.
unsafe impl Sync for Coroutine<'_> {}

impl Coroutine<'_> {
    /// # Safety
    /// While the result lives, `functions` may be called with these arguments on any number of
    /// threads.
    pub(crate) unsafe fn new(functions: CoroutineFunctions, arguments: *const ()) -> Self {
        Coroutine {
            functions,
            arguments,
            borrow: PhantomData,
        }
    }

    pub(crate) fn frame(&self) -> Layout {
        self.functions.frame
    }

    /// Constructs the frame of a thread.
    ///
    /// # Safety
    /// `frame` is vacant memory of the frame's layout.
    #[inline(always)]
    pub(crate) unsafe fn begin(&self, frame: *mut u8) {
        // SAFETY: guaranteed by the caller, and by `new` for the arguments.
        unsafe { (self.functions.begin)(self.arguments, frame) }
    }

    /// Resumes each ready thread once.
    ///
    /// # Safety
    /// `ready` points to a `ReadyFrames` of this body.
    #[inline(always)]
    pub(crate) unsafe fn resume(&self, ready: *mut ()) {
        // SAFETY: guaranteed by the caller.
        unsafe { (self.functions.resume)(ready) }
    }

    /// Drops the frame of a suspended thread.
    ///
    /// # Safety
    /// `frame` holds a suspended thread.
    pub(crate) unsafe fn drop(&self, frame: *mut u8) {
        // SAFETY: guaranteed by the caller.
        unsafe { (self.functions.drop)(frame) }
    }
}
