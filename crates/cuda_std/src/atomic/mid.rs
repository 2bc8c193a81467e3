//! One function per operation, type and scope, with the ordering as an argument.
//!
//! The ordering is usually a constant, so all but one arm of each function is eliminated. A
//! sequentially consistent operation is a `fence.sc` followed by an acquire operation, according to
//! the PTX memory model's mapping of C++.
//!
//! # Panics
//!
//! A load panics if its ordering is `Release` or `AcqRel`, a store if it is `Acquire` or `AcqRel`,
//! like those of `core`.

use super::intrinsics;
use core::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use pastey::paste;

macro_rules! thread_fences {
    ($($scope:ident)+) => {
        paste! {
            $(
                #[doc = concat!("Issues a fence of `ordering` at ", stringify!($scope), " scope, or nothing if it is `Relaxed`.")]
                #[inline(always)]
                pub fn [<$scope _thread_fence>](ordering: Ordering) {
                    // SAFETY: fences have no precondition.
                    unsafe {
                        match ordering {
                            Relaxed => {}
                            SeqCst => intrinsics::[<fence_sc_ $scope>](),
                            _ => intrinsics::[<fence_acqrel_ $scope>](),
                        }
                    }
                }
            )+
        }
    };
}

thread_fences!(block device system);

macro_rules! scopes {
    ($make:ident $arguments:tt) => {
        $make! { block $arguments }
        $make! { device $arguments }
        $make! { system $arguments }
    };
}

macro_rules! load_and_store {
    ($scope:ident ($bits:literal $word:ident)) => {
        paste! {
            #[doc = concat!("Loads ", $bits, " bits at ", stringify!($scope), " scope.")]
            ///
            /// # Safety
            ///
            /// `ptr` must be valid for an atomic read and aligned.
            #[inline(always)]
            #[must_use]
            #[track_caller]
            pub unsafe fn [<atomic_load_ $bits _ $scope>](ptr: *mut $word, ordering: Ordering) -> $word {
                // SAFETY: guaranteed by the caller.
                unsafe {
                    match ordering {
                        Relaxed => intrinsics::[<atomic_load_relaxed_ $bits _ $scope>](ptr),
                        Acquire => intrinsics::[<atomic_load_acquire_ $bits _ $scope>](ptr),
                        SeqCst => {
                            intrinsics::[<fence_sc_ $scope>]();
                            intrinsics::[<atomic_load_acquire_ $bits _ $scope>](ptr)
                        }
                        _ => panic!("a load cannot release: use Relaxed, Acquire or SeqCst"),
                    }
                }
            }

            #[doc = concat!("Stores ", $bits, " bits at ", stringify!($scope), " scope.")]
            ///
            /// # Safety
            ///
            /// `ptr` must be valid for an atomic write and aligned.
            #[inline(always)]
            #[track_caller]
            pub unsafe fn [<atomic_store_ $bits _ $scope>](ptr: *mut $word, ordering: Ordering, val: $word) {
                // SAFETY: guaranteed by the caller.
                unsafe {
                    match ordering {
                        Relaxed => intrinsics::[<atomic_store_relaxed_ $bits _ $scope>](ptr, val),
                        Release => intrinsics::[<atomic_store_release_ $bits _ $scope>](ptr, val),
                        SeqCst => {
                            intrinsics::[<fence_sc_ $scope>]();
                            intrinsics::[<atomic_store_relaxed_ $bits _ $scope>](ptr, val);
                        }
                        _ => panic!("a store cannot acquire: use Relaxed, Release or SeqCst"),
                    }
                }
            }
        }
    };
}

scopes!(load_and_store (32 u32));
scopes!(load_and_store (64 u64));

macro_rules! fetch {
    ($($operation:ident: $($word:ident)+;)+) => {
        $($(scopes!(fetch_one ($operation $word));)+)+
    };
}

macro_rules! fetch_one {
    ($scope:ident ($operation:ident $word:ident)) => {
        paste! {
            #[doc = concat!("Performs `", stringify!($operation), "` at ", stringify!($scope), " scope and returns the old value.")]
            ///
            /// # Safety
            ///
            /// `ptr` must be valid for atomic reads and writes and aligned.
            #[inline(always)]
            #[track_caller]
            pub unsafe fn [<atomic_fetch_ $operation _ $word _ $scope>](ptr: *mut $word, ordering: Ordering, val: $word) -> $word {
                // SAFETY: guaranteed by the caller.
                unsafe {
                    match ordering {
                        Relaxed => intrinsics::[<atomic_fetch_ $operation _relaxed_ $word _ $scope>](ptr, val),
                        Acquire => intrinsics::[<atomic_fetch_ $operation _acquire_ $word _ $scope>](ptr, val),
                        Release => intrinsics::[<atomic_fetch_ $operation _release_ $word _ $scope>](ptr, val),
                        AcqRel => intrinsics::[<atomic_fetch_ $operation _acqrel_ $word _ $scope>](ptr, val),
                        _ => {
                            intrinsics::[<fence_sc_ $scope>]();
                            intrinsics::[<atomic_fetch_ $operation _acquire_ $word _ $scope>](ptr, val)
                        }
                    }
                }
            }
        }
    };
}

fetch! {
    and: u32 u64 i32 i64 f32 f64;
    or: u32 u64 i32 i64 f32 f64;
    xor: u32 u64 i32 i64 f32 f64;
    add: u32 u64 i32 i64 f32 f64;
    sub: u32 u64 i32 i64 f32 f64;
    min: u32 u64 i32 i64;
    max: u32 u64 i32 i64;
    exch: u32 u64 i32 i64 f32 f64;
}

macro_rules! compare_and_swap {
    ($scope:ident ($word:ident)) => {
        paste! {
            #[doc = concat!("Stores `new` if the value equals `expected`, at ", stringify!($scope), " scope, and returns the old value.")]
            ///
            /// # Safety
            ///
            /// `ptr` must be valid for atomic reads and writes and aligned.
            #[inline(always)]
            #[track_caller]
            pub unsafe fn [<atomic_fetch_cas_ $word _ $scope>](
                ptr: *mut $word,
                ordering: Ordering,
                expected: $word,
                new: $word,
            ) -> $word {
                // SAFETY: guaranteed by the caller.
                unsafe {
                    match ordering {
                        Relaxed => intrinsics::[<atomic_fetch_cas_relaxed_ $word _ $scope>](ptr, expected, new),
                        Acquire => intrinsics::[<atomic_fetch_cas_acquire_ $word _ $scope>](ptr, expected, new),
                        Release => intrinsics::[<atomic_fetch_cas_release_ $word _ $scope>](ptr, expected, new),
                        AcqRel => intrinsics::[<atomic_fetch_cas_acqrel_ $word _ $scope>](ptr, expected, new),
                        _ => {
                            intrinsics::[<fence_sc_ $scope>]();
                            intrinsics::[<atomic_fetch_cas_acquire_ $word _ $scope>](ptr, expected, new)
                        }
                    }
                }
            }
        }
    };
}

scopes!(compare_and_swap(u32));
scopes!(compare_and_swap(i32));
scopes!(compare_and_swap(u64));
scopes!(compare_and_swap(i64));
scopes!(compare_and_swap(f32));
scopes!(compare_and_swap(f64));
