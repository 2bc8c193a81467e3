//! A kernel's body in steps: what `#[kernel]` makes of one with barriers in it, for blocks of
//! several threads on the CPU.
//!
//! It is the kernel's own source as the body of a future, in which a barrier is waited for as a
//! future is. So a thread that waits is its future and no stack. What is not in the source, such as
//! a barrier in a function that the kernel calls, waits on a stack as ever.

use super::{InstructionSet, Kernel};
use core::alloc::Layout;
use core::any::TypeId;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
pub use simt::coroutine::{CoroutineFunctions, ReadyFrames, arrive, outcome, suspend, yield_step};
pub use simt::sync::Reduce;

/// A kernel whose body is there in steps, too.
///
/// # Safety
///
/// The future awaits nothing but [`end`], where [`arrive`] or [`yield_step`] have just asked for it.
pub unsafe trait CoroutineKernel: Kernel {
    /// The body, for the executor's current thread.
    ///
    /// # Safety
    ///
    /// As for [`Kernel::run_thread`]; and it is polled by [`coroutine_functions`] alone.
    unsafe fn coroutine_body<'a>(args: &'a Self::Args<'a>) -> impl Future<Output = ()> + 'a;
}

/// The body in steps of kernel `K`, compiled for `instructions`, in the crate that defines the
/// kernel. On x86-64 there is none for the baseline: a kernel is compiled often enough, and nearly
/// every processor has the better instructions.
#[must_use]
pub fn coroutine_functions<K: CoroutineKernel>(
    instructions: InstructionSet,
) -> Option<CoroutineFunctions> {
    select_functions::<K, _>(K::coroutine_body, instructions)
}

/// The first argument is there for the name of its future.
fn select_functions<K: CoroutineKernel, F: Future<Output = ()>>(
    _body: unsafe fn(&'static K::Args<'static>) -> F,
    instructions: InstructionSet,
) -> Option<CoroutineFunctions> {
    let layout = Layout::new::<F>();
    // SAFETY: the functions are made for each other and for that layout; frames that wait are at
    // `steps::end`, since a kernel's body awaits nothing else, and the launch promises what the
    // arguments are.
    unsafe {
        match instructions {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => Some(CoroutineFunctions::new(
                layout,
                avx2::begin::<K>,
                avx2::resume::<F>,
                drop_frame::<F>,
            )),
            #[cfg(not(target_arch = "x86_64"))]
            InstructionSet::Baseline => Some(CoroutineFunctions::new(
                layout,
                baseline::begin::<K>,
                baseline::resume::<F>,
                drop_frame::<F>,
            )),
            _ => None,
        }
    }
}

/// The functions for one set of instructions, which the machine must have.
macro_rules! functions_for {
    ($(#[$instructions:meta])?) => {
        use super::{CoroutineKernel, ReadyFrames, write_frame, poll_frame};

        /// # Safety
        /// As for [`Kernel::run_thread`](super::Kernel::run_thread), with the `K::Args` that `args`
        /// points to; `frame` is vacant memory for the future.
        $(#[$instructions])?
        pub(super) unsafe fn begin<K: CoroutineKernel>(args: *const (), frame: *mut u8) {
            // SAFETY: the caller's promise.
            unsafe { write_frame(K::coroutine_body(&*args.cast::<K::Args<'_>>()), frame) }
        }

        /// One function for all threads of a block: what a call costs is paid once for all of them.
        ///
        /// # Safety
        /// `turn` points to a [`ReadyFrames`], in whose frames are threads between two steps.
        $(#[$instructions])?
        pub(super) unsafe fn resume<F: Future<Output = ()>>(ready: *mut ()) {
            // SAFETY: the caller's promise.
            let ready = unsafe { &mut *ready.cast::<ReadyFrames<'_>>() };
            while let Some(frame) = ready.next_frame() {
                // SAFETY: the caller's promise.
                if unsafe { poll_frame::<F>(frame) } {
                    ready.mark_returned();
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    functions_for!(#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]);
}

#[cfg(not(target_arch = "x86_64"))]
mod baseline {
    functions_for!();
}

/// # Safety
/// `frame` is vacant memory for the future.
#[inline(always)]
unsafe fn write_frame<F: Future<Output = ()>>(future: F, frame: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { frame.cast::<F>().write(future) }
}

/// # Safety
/// A future that is not done is in `frame`, and stays there.
#[inline(always)]
unsafe fn poll_frame<F: Future<Output = ()>>(frame: *mut u8) -> bool {
    // SAFETY: the caller's promise. A future that is done, or that unwound, has nothing left to be
    // dropped but what is `Copy`.
    let future = unsafe { Pin::new_unchecked(&mut *frame.cast::<F>()) };
    let mut context = Context::from_waker(Waker::noop());
    match future.poll(&mut context) {
        Poll::Ready(()) => true,
        Poll::Pending => false,
    }
}

/// # Safety
/// A thread that waits is in `frame`; then nothing is.
unsafe fn drop_frame<F>(frame: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { frame.cast::<F>().drop_in_place() }
}

/// The future, named so that an attribute can be write_frame before it.
#[inline(always)]
pub fn identity_future<F: Future<Output = ()>>(future: F) -> F {
    future
}

/// Whether `function` is the barrier that `barrier` is: `#[kernel]` knows a name, which may be
/// another function's.
#[inline(always)]
pub fn is_barrier<F: 'static, B: 'static>(_function: &F, _barrier: &B) -> bool {
    TypeId::of::<F>() == TypeId::of::<B>()
}
