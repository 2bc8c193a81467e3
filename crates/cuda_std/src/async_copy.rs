//! Asynchronous copies from device memory to shared memory.
//!
//! From compute capability 8.0 on they are `cp.async`. On older devices and on the CPU they are
//! ordinary copies that are complete when the function returns; checked mode still treats them as
//! asynchronous and finds accesses to data that has not been waited for.
//!
//! After [`wait_all`] the copied data is visible to the copying thread only; other threads of the
//! block need a subsequent block barrier or [named barrier](crate::thread::NamedBarrier). The
//! source must not change until then. Before a copy overwrites shared memory that other threads
//! read, a barrier must follow the reads.

use crate::{SharedView, View};

/// Begins to copy elements `from..from + N` of `source` to elements `to..to + N` of `target`.
///
/// The copy is asynchronous if `N` elements occupy 4, 8 or 16 bytes, in which case both ranges must
/// be aligned to that size. Otherwise it is an ordinary copy.
#[inline(always)]
#[track_caller]
pub fn copy_vector<T: Copy, const N: usize>(
    source: View<T>,
    from: usize,
    target: SharedView<T>,
    to: usize,
) {
    let fits = matches!(size_of::<[T; N]>(), 4 | 8 | 16);
    #[cfg(target_arch = "nvptx64")]
    {
        use crate::cfg::ComputeCapability;
        if fits
            && ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32
        {
            // SAFETY: both ranges are within their views by the kernel's contract, which includes
            // the alignment.
            unsafe {
                start(
                    source.as_ptr().add(from).cast(),
                    target.as_mut_ptr().add(to).cast(),
                    size_of::<[T; N]>(),
                );
            }
            return;
        }
    }
    let values = source.read_vector::<N>(from);
    let mut i = 0;
    while i < N {
        target.write(to + i, values[i]);
        i += 1;
    }
    #[cfg(not(target_arch = "nvptx64"))]
    if fits && simt::memory::is_any_launch_checked() {
        let (source, target) = (
            source.as_ptr().wrapping_add(from).addr(),
            target.as_mut_ptr().wrapping_add(to).addr(),
        );
        simt::memory::record_async_copy(source, target, size_of::<[T; N]>());
    }
    #[cfg(target_arch = "nvptx64")]
    let _ = fits;
}

/// Waits for all copies that the calling thread has begun.
#[inline(always)]
pub fn wait_all() {
    #[cfg(target_arch = "nvptx64")]
    {
        use crate::cfg::ComputeCapability;
        if ComputeCapability::from_cuda_arch_env() as u32 >= ComputeCapability::Compute80 as u32 {
            // SAFETY: waiting has no precondition.
            unsafe { core::arch::asm!("cp.async.wait_all;", options(nostack)) };
        }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    if simt::memory::is_any_launch_checked() {
        simt::memory::record_async_copies_complete();
    }
}

/// # Safety
/// `from` is valid for reads of `bytes` bytes in device memory and `to` for writes in shared
/// memory; both are aligned to `bytes`.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
unsafe fn start(from: *const u8, to: *mut u8, bytes: usize) {
    use core::arch::asm;
    // SAFETY: guaranteed by the caller.
    unsafe {
        let offset: u64;
        asm!("cvta.to.shared.u64 {}, {};", out(reg64) offset, in(reg64) to, options(pure, nomem, nostack));
        match bytes {
            16 => {
                asm!("cp.async.cg.shared.global [{}], [{}], 16;", in(reg64) offset, in(reg64) from, options(nostack))
            }
            8 => {
                asm!("cp.async.ca.shared.global [{}], [{}], 8;", in(reg64) offset, in(reg64) from, options(nostack))
            }
            _ => {
                asm!("cp.async.ca.shared.global [{}], [{}], 4;", in(reg64) offset, in(reg64) from, options(nostack))
            }
        }
    }
}
