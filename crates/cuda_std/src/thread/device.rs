//! Threads of the GPU.
//!
//! The block's barriers are LLVM intrinsics and not inline assembly: LLVM knows that they are
//! convergent, so it neither duplicates them nor moves them into a branch.

use core::arch::asm;
use core::arch::nvptx;
use core::hint::assert_unchecked;

/// A special register and the range of its values, from the table of technical limits in the CUDA
/// programming guide: a block has at most 1024 x 1024 x 64 threads (1024 in all), a grid 2³¹ - 1 x
/// 65535 x 65535 blocks.
macro_rules! register {
    ($($name:ident = $source:ident in $least:literal ..= $most:literal;)+) => {
        $(
            #[inline(always)]
            pub fn $name() -> u32 {
                // SAFETY: reading a special register has no precondition, and no launch exceeds the
                // device's limits.
                unsafe {
                    let value = nvptx::$source() as u32;
                    assert_unchecked(($least..=$most).contains(&value));
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
    // SAFETY: a barrier reads and writes no memory of its own; threads that disagree on it hang,
    // which is safe.
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

/// Named barriers are assembly, since LLVM has had intrinsics for all of them only of late. It
/// reads and writes memory for all that the compiler knows, and the builder says of it that it is
/// convergent.
#[inline(always)]
pub fn named_sync<const ID: u32>(threads: u32) {
    // SAFETY: as in `sync_threads`.
    unsafe {
        asm!("barrier.sync {}, {};", const ID, in(reg32) threads, options(nostack));
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
    // SAFETY: sleeping has no precondition. It is not marked as leaving memory alone, so a loop
    // that polls memory reads it anew.
    unsafe { asm!("nanosleep.u32 {};", in(reg32) nanos, options(nostack)) };
}
