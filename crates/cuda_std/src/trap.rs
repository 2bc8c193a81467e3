//! How a thread stops on the device.

/// Ends the kernel with an error that the host sees as a failed launch.
#[inline(always)]
pub(crate) fn trap() -> ! {
    // SAFETY: stopping the kernel has no precondition.
    unsafe { core::arch::nvptx::trap() }
}

/// Traps, without a message unless the feature `panic-messages` is on: the kernel on the CPU tells it too.
#[cfg(feature = "panic-handler")]
#[panic_handler]
fn panic(_info: &core::panic::PanicInfo<'_>) -> ! {
    #[cfg(feature = "panic-messages")]
    crate::eprintln!("{_info}");
    trap()
}
