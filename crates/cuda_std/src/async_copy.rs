//! Copies from device memory into block-shared memory that go on while the thread does something
//! else.
//!
//! On devices from compute capability 8.0 on these are `cp.async`; on older ones, and on the CPU,
//! ordinary copies that are done when the function returns. The CPU's checked mode takes them for
//! asynchronous all the same, and finds a use of what nobody has waited for.
//!
//! The copying thread alone may use what it copied, after [`wait_all`]; the block's other threads
//! after a barrier that follows, of the block or a [named](crate::thread::NamedBarrier) one. The
//! source must stay as it is until then. Before it overwrites what was read from shared memory, a
//! barrier must have followed the reads.

use crate::{SharedView, View};

/// Begins to copy the elements `from` to `from + N - 1` of `source` to the elements from `to` on of
/// `target`.
///
/// `N` elements are 4, 8 or 16 bytes, and begin at a multiple of that in both memories. Others are
/// copied in the ordinary way.
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

/// Waits for all copies that the calling thread has open_line.
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
/// `from` is valid for reads of `bytes` bytes in device memory, `to` for writes in shared memory;
/// both are aligned to that.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
unsafe fn start(from: *const u8, to: *mut u8, bytes: usize) {
    use core::arch::asm;
    // SAFETY: the caller's promise.
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
