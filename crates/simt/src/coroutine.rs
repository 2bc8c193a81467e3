//! Bodies in steps: a kernel's body as a future that ends a step where it waits at a barrier.
//!
//! A thread that waits then is a frame of as many bytes as the compiler finds that it needs later,
//! and no stack; to go on with it is a call. It is for who compiles kernels, as `#[kernel]` of
//! `cuda_std` does: a barrier is
//!
//! ```text
//! if unsafe { steps::arrive(false) } {
//!     unsafe { steps::end() }.await;
//! }
//! ```
//!
//! Whatever else waits, a warp operation or a [`barrier`](crate::sync::barrier) in a function that
//! the body calls, does so on a stack as in any other body.

use crate::executor::{Suspension, current_executor};
use crate::sync::Reduce;
use std::panic::Location;

pub use crate::coroutine_functions::CoroutineFunctions;
pub use crate::executor::ReadyFrames;
pub use crate::launcher::launch_kernel_as_coroutine;

/// The running thread arrives at the block's barrier. `true` where others have yet to come: then it
/// has to [`suspend`] its step.
///
/// # Safety
/// In a body in steps, which ends its step as soon as this says so.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub unsafe fn arrive(predicate: bool) -> bool {
    current_executor().arrive(Location::caller(), predicate)
}

/// What the threads brought to the barrier at which the running thread arrived last, once it may go
/// on.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
pub fn outcome(op: Reduce) -> u32 {
    op.apply(current_executor().outcome())
}

/// The running thread lets the others that can go on have their turn, and waits for nothing. `true`
/// where it has to [`suspend`] its step.
///
/// # Safety
/// As for [`arrive`].
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub unsafe fn yield_step() -> bool {
    current_executor().yield_step(Location::caller())
}

/// Ends the step, when it is awaited.
///
/// # Safety
/// Awaited at once, where [`arrive`] or [`yield_step`] have just said `true`.
#[inline(always)]
pub unsafe fn suspend() -> impl Future<Output = ()> {
    Suspension
}
