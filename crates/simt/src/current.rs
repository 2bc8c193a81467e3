//! Indices of the running kernel thread, its block and its grid.
//!
//! They are kept in one thread-local record, so each function costs one thread-local read. Outside
//! a launch there are no indices: all functions panic there, except those that return `bool`.

use crate::Dim3;
use crate::executor::{active_thread, current_thread, try_executor};

/// Returns the running thread's index within its block.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn thread_idx() -> Dim3 {
    active_thread().index()
}

/// Returns the running block's index within the grid.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn block_idx() -> Dim3 {
    active_thread().block.get()
}

/// Returns the block's extent in threads along each axis.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn block_dim() -> Dim3 {
    active_thread().block_dim.get()
}

/// Returns the grid's extent in blocks along each axis.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn grid_dim() -> Dim3 {
    active_thread().grid_dim.get()
}

/// Returns the running thread's linear rank within its block, `x` fastest. Its lane is `rank % 32`
/// and its warp `rank / 32`.
///
/// # Panics
/// Outside a launch.
#[inline]
pub fn thread_rank() -> u32 {
    active_thread().rank()
}

/// Returns `true` if a kernel runs on this thread, so that the other functions of this module may
/// be called.
///
/// ```
/// assert!(!simt::current::is_active());
/// ```
#[inline]
pub fn is_active() -> bool {
    current_thread().is_active()
}

/// Returns `true` if the running launch was started by [`launch_kernel`](crate::launch_kernel),
/// whose caller guarantees the correct use of shared memory.
#[inline]
pub fn is_kernel_launch() -> bool {
    try_executor().is_some_and(|executor| executor.launch.is_kernel)
}

/// Returns `true` if the running launch is in checked mode.
#[inline]
pub fn is_checked() -> bool {
    try_executor().is_some_and(|executor| executor.checker.is_some())
}
