//! What the compiler makes of a kernel's body in steps: functions for a thread's frame.

use std::alloc::Layout;
use std::marker::PhantomData;

/// The functions of a body in steps, for frames of one layout.
#[derive(Clone, Copy)]
pub struct CoroutineFunctions {
    frame: Layout,
    begin: unsafe fn(arguments: *const (), frame: *mut u8),
    resume: unsafe fn(ready: *mut ()),
    drop: unsafe fn(frame: *mut u8),
}

impl CoroutineFunctions {
    /// `begin` makes a frame of the arguments, whose thread then has its first step before it.
    /// `resume` is called with a pointer to a [`ReadyFrames`](crate::coroutine::ReadyFrames): it takes the next step
    /// of each frame that [`next_frame`](crate::coroutine::ReadyFrames::next_frame) gives, until there is
    /// none, and says [`mark_returned`](crate::coroutine::ReadyFrames::mark_returned) of a thread that is done. Of such a
    /// thread, as when its step unwinds, nothing is left in the frame. `drop` ends a thread between
    /// two steps.
    ///
    /// # Safety
    /// 1. `begin` may be called with a frame that is vacant memory of this layout, `resume` with a
    ///    turn of frames whose threads are between two steps, `drop` with one: which is before the
    ///    first, or at a [`coroutine::suspend`](crate::coroutine::end), and nowhere else.
    /// 2. Frames are used by one operating-system thread, and may be left as they are where they
    ///    stand for ever.
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

/// A body in steps with its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Coroutine<'a> {
    functions: CoroutineFunctions,
    arguments: *const (),
    borrow: PhantomData<&'a ()>,
}

// SAFETY: who made it promised that the functions may run in any number of threads.
unsafe impl Sync for Coroutine<'_> {}

impl Coroutine<'_> {
    /// # Safety
    /// `functions` may be called with these arguments, in any number of threads, while the result
    /// lives.
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

    /// Makes the frame of a thread.
    ///
    /// # Safety
    /// `frame` is vacant memory of the layout.
    #[inline(always)]
    pub(crate) unsafe fn begin(&self, frame: *mut u8) {
        // SAFETY: the caller's promise, and `new`'s of the arguments.
        unsafe { (self.functions.begin)(self.arguments, frame) }
    }

    /// The next step of each thread that has its turn.
    ///
    /// # Safety
    /// It points to a `ReadyFrames` of frames of this body.
    #[inline(always)]
    pub(crate) unsafe fn resume(&self, ready: *mut ()) {
        // SAFETY: the caller's promise.
        unsafe { (self.functions.resume)(ready) }
    }

    /// Ends a thread.
    ///
    /// # Safety
    /// A thread is between two steps in `frame`.
    pub(crate) unsafe fn drop(&self, frame: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { (self.functions.drop)(frame) }
    }
}
