//! How a thread stops on the device.

/// Ends the kernel with an error that the host sees as a failed launch.
#[inline(always)]
pub(crate) fn trap() -> ! {
    // SAFETY: stopping the kernel has no precondition.
    unsafe { core::arch::nvptx::trap() }
}

/// Traps. There is no one to read a message on the device: run the kernel on the CPU to see it.
#[cfg(feature = "panic-handler")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    trap()
}
