//! Stackless kernel bodies: a body compiled as the state machine of a future, which is suspended
//! where it waits at a barrier.
//!
//! A waiting thread is then a frame that holds only the values needed later, instead of a stack,
//! and resuming it is a function call. The module is meant for kernel compilers such as
//! `cuda_std`'s `#[kernel]`, which rewrites a barrier to
//!
//! ```text
//! if unsafe { coroutine::arrive(false) } {
//!     unsafe { coroutine::suspend() }.await;
//! }
//! ```
//!
//! Any other wait, such as a warp operation or a [`barrier`](crate::sync::barrier) in a called
//! function, suspends a stack as in any other body.

use crate::executor::{Suspension, current_executor};
use crate::sync::Reduce;
use std::panic::Location;

pub use crate::coroutine_functions::CoroutineFunctions;
pub use crate::executor::ReadyFrames;
pub use crate::launcher::launch_kernel_as_coroutine;

/// Records the arrival of the running thread at the block's barrier. Returns `true` if other
/// threads have yet to arrive, in which case the body must [`suspend`].
///
/// # Safety
/// Called in a coroutine body, which suspends at once if this returns `true`.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub unsafe fn arrive(predicate: bool) -> bool {
    current_executor().arrive(Location::caller(), predicate)
}

/// Returns the result of the barrier at which the running thread arrived last, once the thread may
/// continue.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
pub fn outcome(op: Reduce) -> u32 {
    op.apply(current_executor().outcome())
}

/// Yields to the other ready threads of the block. Returns `true` if the body must [`suspend`].
///
/// # Safety
/// Called in a coroutine body, which suspends at once if this returns `true`.
///
/// # Panics
/// Outside a launch.
#[inline(always)]
#[track_caller]
pub unsafe fn yield_step() -> bool {
    current_executor().yield_step(Location::caller())
}

/// Returns a future that suspends the running step when awaited.
///
/// # Safety
/// Awaited at once, and only after [`arrive`] or [`yield_step`] returned `true`.
#[inline(always)]
pub unsafe fn suspend() -> impl Future<Output = ()> {
    Suspension
}
