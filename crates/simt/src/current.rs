//! Which thread of which block runs now.
//!
//! All of it is one thread-local record, so each question costs one thread-local read. Outside a
//! launch every function but those that answer yes or no panics: there is no thread index to give.

use crate::Dim3;
use crate::executor::{active_thread, current_thread, try_executor};

/// The running thread's index within its block.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn thread_idx() -> Dim3 {
    active_thread().index()
}

/// The running block's index within the grid.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn block_idx() -> Dim3 {
    active_thread().block.get()
}

/// Threads of a block, per axis.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn block_dim() -> Dim3 {
    active_thread().block_dim.get()
}

/// Blocks of the grid, per axis.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn grid_dim() -> Dim3 {
    active_thread().grid_dim.get()
}

/// The running thread's linear rank within its block, `x` fastest: its lane is `rank % 32`, its
/// warp `rank / 32`.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn thread_rank() -> u32 {
    active_thread().rank()
}

/// Whether a kernel runs on this thread, that is, whether the other functions of this module may be
/// called.
///
/// ```
/// assert!(!simt::current::is_active());
/// ```
#[inline]
pub fn is_active() -> bool {
    current_thread().is_active()
}

/// Whether the launch that runs on this thread was made by [`launch_kernel`](crate::launch_kernel),
/// whose caller answers for what its body does with shared memory.
#[inline]
pub fn is_kernel_launch() -> bool {
    try_executor().is_some_and(|executor| executor.launch.is_kernel)
}

/// Whether the launch that runs on this thread is in checked mode.
#[inline]
pub fn is_checked() -> bool {
    try_executor().is_some_and(|executor| executor.checker.is_some())
}
