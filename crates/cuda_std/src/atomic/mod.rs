//! Atomic operations with a scope.
//!
//! | type | synchronises | PTX scope |
//! | --- | --- | --- |
//! | `BlockAtomic…` | the threads of one block | `.cta` |
//! | `Atomic…` | all threads of the device | `.gpu` |
//! | `SystemAtomic…` | all threads of all devices, and the host | `.sys` |
//!
//! A kernel accesses atomics through a raw pointer or a buffer: `AtomicU32` has the layout of
//! `u32`, so a `*mut u32` may be cast to `*const AtomicU32`. [`ViewMut`](crate::ViewMut) and
//! [`SharedView`](crate::SharedView) have their own atomic operations.
//!
//! The types are built on [`mid`], with one function per operation, type and scope and the ordering
//! as an argument, and on [`intrinsics`], with one function per PTX instruction. The minimum device
//! is sm_70, whose memory model supports the orderings directly.
//!
//! The CPU supports the same scopes. A thread that polls (a load, an exchange, a failed
//! compare-and-exchange) periodically lets the other threads of its block run, so a loop that waits
//! for one of them terminates there too.

#[cfg(not(target_arch = "nvptx64"))]
mod block_local;
#[cfg(not(target_arch = "nvptx64"))]
mod cpu;
mod float;
mod integer;
pub mod intrinsics;
pub mod mid;
mod ptx;
pub(crate) mod spaces;

pub use float::*;
pub use integer::*;

use core::sync::atomic::Ordering;

/// Returns the single ordering of a compare-and-exchange that satisfies both outcomes.
#[inline(always)]
const fn merge_orderings(success: Ordering, failure: Ordering) -> Ordering {
    match (success, failure) {
        (_, Ordering::SeqCst) => Ordering::SeqCst,
        (Ordering::Relaxed, Ordering::Acquire) => Ordering::Acquire,
        (Ordering::Release, Ordering::Acquire) => Ordering::AcqRel,
        _ => success,
    }
}

/// Records an atomic operation through a pointer for the CPU's checked mode. Operations of views
/// are recorded by the views.
///
/// # Safety
///
/// `ptr` is valid for the operation.
#[inline(always)]
#[track_caller]
unsafe fn record_atomic<T>(ptr: *mut T) {
    #[cfg(not(target_arch = "nvptx64"))]
    if simt::memory::is_any_launch_checked() {
        crate::instrument::argument_received(ptr);
        // SAFETY: guaranteed by the caller.
        unsafe { crate::instrument::atomic(ptr) };
    }
    #[cfg(target_arch = "nvptx64")]
    let _ = ptr;
}

/// Records an atomic store through a pointer for the CPU's checked mode.
///
/// # Safety
///
/// `ptr` is valid for the operation.
#[inline(always)]
#[track_caller]
unsafe fn record_atomic_store<T>(ptr: *mut T) {
    #[cfg(not(target_arch = "nvptx64"))]
    if simt::memory::is_any_launch_checked() {
        crate::instrument::argument_received(ptr);
        // SAFETY: guaranteed by the caller.
        unsafe { crate::instrument::atomic_store(ptr) };
    }
    #[cfg(target_arch = "nvptx64")]
    let _ = ptr;
}
