//! Sizes of a block's shared memory.

/// Returns the size of the block's dynamic shared memory in bytes, see
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

/// Returns the total shared memory of the block in bytes, static and dynamic, rounded up to the
/// device's allocation unit.
///
/// The CPU executor creates static arrays when a thread first uses them, so on the CPU it returns
/// [`dynamic_smem_size`] rounded up to 128.
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
