//! Coroutines of kernels compiled for each instruction set.

use super::InstructionSet;
use super::launch::CoroutineKernel;
use core::alloc::Layout;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use simt::coroutine::{CoroutineFunctions, ReadyFrames};

/// Returns the function table of kernel `K`'s coroutine, compiled for `instructions` in the crate
/// that defines the kernel. On x86-64 there is no baseline version, to save compilation time:
/// nearly every processor has AVX2.
#[must_use]
pub fn coroutine_functions<K: CoroutineKernel>(
    instructions: InstructionSet,
) -> Option<CoroutineFunctions> {
    select_functions::<K, _>(K::coroutine_body, instructions)
}

/// Builds the function table. The first argument only serves to name the type of the future.
fn select_functions<K: CoroutineKernel, F: Future<Output = ()>>(
    _body: unsafe fn(&'static K::Args<'static>) -> F,
    instructions: InstructionSet,
) -> Option<CoroutineFunctions> {
    let layout = Layout::new::<F>();
    // SAFETY: the functions are instantiated for the same future and its layout; suspended frames
    // are at `coroutine::suspend`, since a kernel's body awaits nothing else; and the launch
    // guarantees the type of the arguments.
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

/// Defines the functions for one instruction set, which the processor must support.
macro_rules! functions_for {
    ($(#[$instructions:meta])?) => {
        use super::{CoroutineKernel, ReadyFrames, poll_frame, write_frame};

        /// # Safety
        /// The requirements of [`Kernel::run_thread`](crate::Kernel::run_thread) with the `K::Args`
        /// at `args`; `frame` is vacant memory for the future.
        $(#[$instructions])?
        pub(super) unsafe fn begin<K: CoroutineKernel>(args: *const (), frame: *mut u8) {
            // SAFETY: guaranteed by the caller.
            unsafe { write_frame(K::coroutine_body(&*args.cast::<K::Args<'_>>()), frame) }
        }

        /// Resumes all ready threads of a block in one call, so that the cost of an indirect call
        /// is paid once.
        ///
        /// # Safety
        /// `ready` points to a [`ReadyFrames`] whose frames hold suspended threads.
        $(#[$instructions])?
        pub(super) unsafe fn resume<F: Future<Output = ()>>(ready: *mut ()) {
            // SAFETY: guaranteed by the caller.
            let ready = unsafe { &mut *ready.cast::<ReadyFrames<'_>>() };
            while let Some(frame) = ready.next_frame() {
                // SAFETY: guaranteed by the caller.
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
    // SAFETY: guaranteed by the caller.
    unsafe { frame.cast::<F>().write(future) }
}

/// Polls the future in `frame` and returns `true` if it completed.
///
/// # Safety
/// `frame` holds an incomplete future, which is not moved.
#[inline(always)]
unsafe fn poll_frame<F: Future<Output = ()>>(frame: *mut u8) -> bool {
    // SAFETY: guaranteed by the caller. A completed or unwound future holds only `Copy` values.
    let future = unsafe { Pin::new_unchecked(&mut *frame.cast::<F>()) };
    let mut context = Context::from_waker(Waker::noop());
    match future.poll(&mut context) {
        Poll::Ready(()) => true,
        Poll::Pending => false,
    }
}

/// # Safety
/// `frame` holds a suspended thread; it is vacant afterwards.
unsafe fn drop_frame<F>(frame: *mut u8) {
    // SAFETY: guaranteed by the caller.
    unsafe { frame.cast::<F>().drop_in_place() }
}
