//! Thread functions on the GPU.
//!
//! Block barriers are LLVM intrinsics rather than inline assembly: LLVM treats them as convergent,
//! so it neither duplicates them nor moves them into branches.

use core::arch::asm;
use core::arch::nvptx;
use core::hint::assert_unchecked;

/// A special register and its value range, from the technical limits in the CUDA programming guide:
/// a block has at most 1024 × 1024 × 64 threads (1024 in total), a grid at most (2³¹ − 1) × 65535 ×
/// 65535 blocks.
macro_rules! register {
    ($($name:ident = $source:ident in $min:literal ..= $max:literal;)+) => {
        $(
            #[inline(always)]
            pub fn $name() -> u32 {
                // SAFETY: reading a special register has no precondition, and no launch exceeds the
                // device's limits.
                unsafe {
                    let value = nvptx::$source() as u32;
                    assert_unchecked(($min..=$max).contains(&value));
                    value
                }
            }
        )+
    };
}

register! {
    thread_idx_x = _thread_idx_x in 0..=1023;
    thread_idx_y = _thread_idx_y in 0..=1023;
    thread_idx_z = _thread_idx_z in 0..=63;
    block_idx_x = _block_idx_x in 0..=2_147_483_646;
    block_idx_y = _block_idx_y in 0..=65_534;
    block_idx_z = _block_idx_z in 0..=65_534;
    block_dim_x = _block_dim_x in 1..=1024;
    block_dim_y = _block_dim_y in 1..=1024;
    block_dim_z = _block_dim_z in 1..=64;
    grid_dim_x = _grid_dim_x in 1..=2_147_483_647;
    grid_dim_y = _grid_dim_y in 1..=65_535;
    grid_dim_z = _grid_dim_z in 1..=65_535;
}

unsafe extern "C" {
    #[link_name = "llvm.nvvm.barrier0.popc"]
    fn barrier_count(predicate: u32) -> u32;
    #[link_name = "llvm.nvvm.barrier0.and"]
    fn barrier_and(predicate: u32) -> u32;
    #[link_name = "llvm.nvvm.barrier0.or"]
    fn barrier_or(predicate: u32) -> u32;
}

#[inline(always)]
pub fn sync_threads() {
    // SAFETY: a barrier accesses no memory of its own; diverging threads hang, which is safe.
    unsafe { nvptx::_syncthreads() };
}

#[inline(always)]
pub fn sync_threads_count(predicate: u32) -> u32 {
    // SAFETY: as in `sync_threads`.
    unsafe { barrier_count(predicate) }
}

#[inline(always)]
pub fn sync_threads_and(predicate: u32) -> u32 {
    // SAFETY: as in `sync_threads`.
    unsafe { barrier_and(predicate) }
}

#[inline(always)]
pub fn sync_threads_or(predicate: u32) -> u32 {
    // SAFETY: as in `sync_threads`.
    unsafe { barrier_or(predicate) }
}

/// Waits at a named barrier. Inline assembly, because older LLVM versions lack some of the
/// intrinsics. The compiler assumes that it accesses memory, and `cuda_builder` marks it as
/// convergent.
#[inline(always)]
pub fn named_sync<const ID: u32>(threads: u32) {
    // SAFETY: as in `sync_threads`.
    unsafe {
        asm!("barrier.sync {}, {};", const ID, in(reg32) threads, options(nostack));
    }
}

/// Waits at a named barrier whose number is in a register, for which assemblers reserve all sixteen
/// barriers.
#[inline(always)]
pub fn numbered_sync(number: u32, threads: u32) {
    // SAFETY: as in `sync_threads`.
    unsafe {
        asm!("barrier.sync {}, {};", in(reg32) number, in(reg32) threads, options(nostack));
    }
}

#[inline(always)]
pub fn named_arrive<const ID: u32>(threads: u32) {
    // SAFETY: as in `sync_threads`.
    unsafe {
        asm!("barrier.arrive {}, {};", const ID, in(reg32) threads, options(nostack));
    }
}

#[inline(always)]
pub fn block_fence() {
    // SAFETY: a fence has no precondition.
    unsafe { asm!("membar.cta;", options(nostack)) };
}

#[inline(always)]
pub fn device_fence() {
    // SAFETY: as above.
    unsafe { asm!("membar.gl;", options(nostack)) };
}

#[inline(always)]
pub fn system_fence() {
    // SAFETY: as above.
    unsafe { asm!("membar.sys;", options(nostack)) };
}

#[inline(always)]
pub fn nanosleep(nanos: u32) {
    // SAFETY: sleeping has no precondition. The instruction counts as accessing memory, so a
    // polling loop rereads memory after it.
    unsafe { asm!("nanosleep.u32 {};", in(reg32) nanos, options(nostack)) };
}
