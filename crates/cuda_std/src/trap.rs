//! Ending a kernel with an error.

/// Ends the kernel with an error that the host sees as a failed launch.
#[inline(always)]
pub(crate) fn trap() -> ! {
    // SAFETY: stopping the kernel has no precondition.
    unsafe { core::arch::nvptx::trap() }
}
