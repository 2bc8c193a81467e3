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

use crate::executor::{EndOfStep, running};
use crate::sync::Reduce;
use std::panic::Location;

pub use crate::executor::Turn;
pub use crate::step_functions::StepFunctions;
pub use crate::workers::launch_kernel_in_steps;

/// The running thread arrives at the block's barrier. `true` where others have yet to come: then it
/// has to [`end`] its step.
///
/// # Safety
/// In a body in steps, which ends its step as soon as this says so.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub unsafe fn arrive(predicate: bool) -> bool {
    running().arrive(Location::caller(), predicate)
}

/// What the threads brought to the barrier at which the running thread arrived last, once it may go
/// on.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
pub fn outcome(op: Reduce) -> u32 {
    op.of(running().outcome())
}

/// The running thread lets the others that can go on have their turn, and waits for nothing. `true`
/// where it has to [`end`] its step.
///
/// # Safety
/// As for [`arrive`].
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub unsafe fn give_way() -> bool {
    running().give_way(Location::caller())
}

/// Ends the step, when it is awaited.
///
/// # Safety
/// Awaited at once, where [`arrive`] or [`give_way`] have just said `true`.
#[inline(always)]
pub unsafe fn end() -> impl Future<Output = ()> {
    EndOfStep
}
