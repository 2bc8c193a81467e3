//! What a panic does on the device.

/// Traps, without a message unless the feature `panic-messages` is on: the kernel on the CPU tells
/// it too.
#[panic_handler]
fn panic(_info: &core::panic::PanicInfo<'_>) -> ! {
    #[cfg(feature = "panic-messages")]
    crate::eprintln!("{_info}");
    crate::trap()
}
