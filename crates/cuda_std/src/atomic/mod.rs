//! Atomic operations, with the scope that they synchronise across.
//!
//! | type | synchronises | PTX scope |
//! | --- | --- | --- |
//! | `BlockAtomic…` | the threads of one block | `.cta` |
//! | `Atomic…` | every thread of the device | `.gpu` |
//! | `SystemAtomic…` | every thread of every device, and the host | `.sys` |
//!
//! A kernel shares atomics through a raw pointer or a buffer: `AtomicU32` has the layout of `u32`,
//! so a `*mut u32` may be cast to `*const AtomicU32`. [`ViewMut`](crate::ViewMut) and
//! [`SharedView`](crate::SharedView) have atomic operations of their own.
//!
//! Below the types are [`mid`], one function per operation, type and scope with the ordering as an
//! argument, and [`intrinsics`], one per PTX instruction. The least device is sm_70, whose memory
//! model has the orderings as such.
//!
//! On the CPU the scopes are the same, and a thread that polls (a load, an exchange, a failed
//! compare-and-exchange) now and then lets the other threads of its block run, so a loop that waits
//! for one of them ends there too.

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

/// The one ordering of a compare-and-exchange that does for both outcomes.
#[inline(always)]
const fn merge_orderings(success: Ordering, failure: Ordering) -> Ordering {
    match (success, failure) {
        (_, Ordering::SeqCst) => Ordering::SeqCst,
        (Ordering::Relaxed, Ordering::Acquire) => Ordering::Acquire,
        (Ordering::Release, Ordering::Acquire) => Ordering::AcqRel,
        _ => success,
    }
}

/// Tells the CPU's checked mode of an atomic operation by a pointer; those of views are told by the
/// views.
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
        // SAFETY: the caller's promise.
        unsafe { crate::instrument::atomic(ptr) };
    }
    #[cfg(target_arch = "nvptx64")]
    let _ = ptr;
}

/// [`note`] of an operation that reads nothing.
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
        // SAFETY: the caller's promise.
        unsafe { crate::instrument::atomic_store(ptr) };
    }
    #[cfg(target_arch = "nvptx64")]
    let _ = ptr;
}
