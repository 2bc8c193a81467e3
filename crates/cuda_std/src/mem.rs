//! How much shared memory a block has.

/// Bytes of shared memory per block that the launch chose, see
/// [`dynamic_shared_mem`](crate::shared::dynamic_shared_mem).
#[inline(always)]
#[must_use]
pub fn dynamic_smem_size() -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let bytes;
        // SAFETY: reading a special register has no precondition.
        unsafe {
            core::arch::asm!("mov.u32 {}, %dynamic_smem_size;", out(reg32) bytes, options(pure, nomem, nostack));
        }
        bytes
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        u32::try_from(simt::memory::dynamic_shared().1).unwrap_or(u32::MAX)
    }
}

/// Bytes of shared memory per block in all, static and dynamic, rounded up as the device allocates
/// them.
///
/// The CPU executor knows the static arrays only when a thread comes to them; there this is
/// [`dynamic_smem_size`], rounded up to 128.
#[inline(always)]
#[must_use]
pub fn total_smem_size() -> u32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let bytes;
        // SAFETY: reading a special register has no precondition.
        unsafe {
            core::arch::asm!("mov.u32 {}, %total_smem_size;", out(reg32) bytes, options(pure, nomem, nostack));
        }
        bytes
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        dynamic_smem_size().next_multiple_of(128)
    }
}
