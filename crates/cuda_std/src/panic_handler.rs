//! Panic handler of the device.

/// Traps, without a message unless the feature `panic-messages` is on. Running the kernel on the
/// CPU shows the message too.
#[panic_handler]
fn panic(_info: &core::panic::PanicInfo<'_>) -> ! {
    #[cfg(feature = "panic-messages")]
    crate::eprintln!("{_info}");
    crate::trap()
}
