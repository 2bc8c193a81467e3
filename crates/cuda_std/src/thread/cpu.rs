//! Thread functions on the CPU executor.

use simt::current;
use simt::sync::{self, Reduce};
use std::sync::atomic::{Ordering, fence};

macro_rules! component {
    ($($name:ident = $source:ident . $axis:ident;)+) => {
        $(
            #[inline(always)]
            pub fn $name() -> u32 {
                current::$source().$axis
            }
        )+
    };
}

component! {
    thread_idx_x = thread_idx.x;
    thread_idx_y = thread_idx.y;
    thread_idx_z = thread_idx.z;
    block_idx_x = block_idx.x;
    block_idx_y = block_idx.y;
    block_idx_z = block_idx.z;
    block_dim_x = block_dim.x;
    block_dim_y = block_dim.y;
    block_dim_z = block_dim.z;
    grid_dim_x = grid_dim.x;
    grid_dim_y = grid_dim.y;
    grid_dim_z = grid_dim.z;
}

#[inline(always)]
#[track_caller]
pub fn sync_threads() {
    sync::barrier();
}

#[inline(always)]
#[track_caller]
pub fn sync_threads_count(predicate: u32) -> u32 {
    sync::barrier_reduce(Reduce::Count, predicate)
}

#[inline(always)]
#[track_caller]
pub fn sync_threads_and(predicate: u32) -> u32 {
    sync::barrier_reduce(Reduce::And, predicate)
}

#[inline(always)]
#[track_caller]
pub fn sync_threads_or(predicate: u32) -> u32 {
    sync::barrier_reduce(Reduce::Or, predicate)
}

#[inline(always)]
#[track_caller]
pub fn named_sync<const ID: u32>(threads: u32) {
    sync::named_barrier(ID, threads);
}

#[inline(always)]
#[track_caller]
pub fn numbered_sync(number: u32, threads: u32) {
    sync::named_barrier(number, threads);
}

#[inline(always)]
#[track_caller]
pub fn named_arrive<const ID: u32>(threads: u32) {
    sync::named_barrier_arrive(ID, threads);
}

/// Memory fence of a block. The block's threads share one CPU thread, so a compiler fence would
/// suffice; a full fence keeps the rule simple.
#[inline(always)]
pub fn block_fence() {
    fence(Ordering::SeqCst);
}

#[inline(always)]
pub fn device_fence() {
    fence(Ordering::SeqCst);
}

#[inline(always)]
pub fn system_fence() {
    fence(Ordering::SeqCst);
}

#[inline(always)]
pub fn nanosleep(_nanos: u32) {
    sync::yield_thread();
}
