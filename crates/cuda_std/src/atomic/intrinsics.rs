//! One function per PTX instruction.
//!
//! The names are `atomic_load_{order}_{bits}_{scope}`, `atomic_store_{order}_{bits}_{scope}`,
//! `atomic_fetch_{operation}_{order}_{type}_{scope}`, and the fences. Orders are `relaxed`,
//! `acquire`, `release`, `acqrel`, and `volatile`, which is the instruction without an order and
//! therefore relaxed. Scopes are `block`, `device` and `system`.
//!
//! `inc` and `dec` add and subtract one with wrap-around, for every integer type. (PTX has them for
//! `u32` only, with an upper bound as an operand; with the maximum bound they are equivalent.)
//! Float `and`, `or`, `xor`, `exch` and `cas` operate on the bits.

use super::ptx;
use core::ops::Neg;
use pastey::paste;

macro_rules! fences {
    ($($(#[$doc:meta])* $name:ident $instruction:literal;)+) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            ///
            /// Always safe; `unsafe` for compatibility with Rust-CUDA.
            #[inline(always)]
            pub unsafe fn $name() {
                #[cfg(target_arch = "nvptx64")]
                // SAFETY: a fence has no precondition.
                unsafe {
                    core::arch::asm!($instruction, options(nostack))
                };
                #[cfg(not(target_arch = "nvptx64"))]
                core::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst);
            }
        )+
    };
}

fences! {
    /// `membar.gl`.
    membar_device "membar.gl;";
    /// `membar.cta`.
    membar_block "membar.cta;";
    /// `membar.sys`.
    membar_system "membar.sys;";
    /// `fence.sc.gpu`.
    fence_sc_device "fence.sc.gpu;";
    /// `fence.sc.cta`.
    fence_sc_block "fence.sc.cta;";
    /// `fence.sc.sys`.
    fence_sc_system "fence.sc.sys;";
    /// `fence.acq_rel.gpu`.
    fence_acqrel_device "fence.acq_rel.gpu;";
    /// `fence.acq_rel.cta`.
    fence_acqrel_block "fence.acq_rel.cta;";
    /// `fence.acq_rel.sys`.
    fence_acqrel_system "fence.acq_rel.sys;";
}

/// Invokes `$make` for every scope.
macro_rules! scopes {
    ($make:ident $arguments:tt) => {
        $make! { block "cta" $arguments }
        $make! { device "gpu" $arguments }
        $make! { system "sys" $arguments }
    };
}

macro_rules! load {
    ($scope:ident $scope_ptx:tt ($bits:literal $word:ident $reg:ident $kind:literal)) => {
        load! { @ $scope relaxed "relaxed" $scope_ptx Relaxed $bits $word $reg $kind }
        load! { @ $scope acquire "acquire" $scope_ptx Acquire $bits $word $reg $kind }
        load! { @ $scope volatile "relaxed" $scope_ptx Relaxed $bits $word $reg $kind }
    };
    (@ $scope:ident $order:ident $order_ptx:literal $scope_ptx:literal $cpu:ident $bits:literal $word:ident $reg:ident $kind:literal) => {
        paste! {
            #[doc = concat!("A ", stringify!($order), " load of ", $bits, " bits at ", stringify!($scope), " scope.")]
            ///
            /// # Safety
            ///
            /// `ptr` must be valid for an atomic read and aligned.
            #[inline(always)]
            #[must_use]
            pub unsafe fn [<atomic_load_ $order _ $bits _ $scope>](ptr: *const $word) -> $word {
                let ptr = ptr.cast_mut();
                // SAFETY: guaranteed by the caller.
                unsafe { super::record_atomic(ptr); ptx::load!($order_ptx $scope_ptx "" $kind $reg, ptr, core::sync::atomic::Ordering::$cpu) }
            }
        }
    };
}

scopes!(load (32 u32 reg32 "b32"));
scopes!(load (64 u64 reg64 "b64"));

macro_rules! store {
    ($scope:ident $scope_ptx:tt ($bits:literal $word:ident $reg:ident $kind:literal)) => {
        store! { @ $scope relaxed "relaxed" $scope_ptx Relaxed $bits $word $reg $kind }
        store! { @ $scope release "release" $scope_ptx Release $bits $word $reg $kind }
        store! { @ $scope volatile "relaxed" $scope_ptx Relaxed $bits $word $reg $kind }
    };
    (@ $scope:ident $order:ident $order_ptx:literal $scope_ptx:literal $cpu:ident $bits:literal $word:ident $reg:ident $kind:literal) => {
        paste! {
            #[doc = concat!("A ", stringify!($order), " store of ", $bits, " bits at ", stringify!($scope), " scope.")]
            ///
            /// # Safety
            ///
            /// `ptr` must be valid for an atomic write and aligned.
            #[inline(always)]
            #[track_caller]
            pub unsafe fn [<atomic_store_ $order _ $bits _ $scope>](ptr: *mut $word, val: $word) {
                // SAFETY: guaranteed by the caller.
                unsafe { super::record_atomic_store(ptr); ptx::store!($order_ptx $scope_ptx "" $kind $reg, ptr, val, core::sync::atomic::Ordering::$cpu) };
            }
        }
    };
}

scopes!(store (32 u32 reg32 "b32"));
scopes!(store (64 u64 reg64 "b64"));

/// Invokes `$make` for every order of a read-modify-write.
macro_rules! orders {
    ($make:ident $scope:ident $scope_ptx:tt $arguments:tt) => {
        $make! { $scope $scope_ptx relaxed "relaxed" Relaxed $arguments }
        $make! { $scope $scope_ptx acquire "acquire" Acquire $arguments }
        $make! { $scope $scope_ptx release "release" Release $arguments }
        $make! { $scope $scope_ptx acqrel "acq_rel" AcqRel $arguments }
        $make! { $scope $scope_ptx volatile "relaxed" Relaxed $arguments }
    };
}

/// Defines read-modify-writes with one operand, by operation, PTX name with type, and type.
macro_rules! fetch {
    ($($operation:ident: $($word:ident $reg:ident $ptx:literal),+;)+) => {
        $($(scopes!(fetch_scope ($operation $word $reg $ptx));)+)+
    };
}

macro_rules! fetch_scope {
    ($scope:ident $scope_ptx:tt $arguments:tt) => {
        orders! { fetch_one $scope $scope_ptx $arguments }
    };
}

macro_rules! fetch_one {
    ($scope:ident $scope_ptx:literal $order:ident $order_ptx:literal $cpu:ident ($operation:ident $word:ident $reg:ident $ptx:literal)) => {
        paste! {
            #[doc = concat!("Performs `", $ptx, "`, ", stringify!($order), ", at ", stringify!($scope), " scope, and returns the old value.")]
            ///
            /// # Safety
            ///
            /// `ptr` must be valid for atomic reads and writes and aligned.
            #[inline(always)]
            #[track_caller]
            pub unsafe fn [<atomic_fetch_ $operation _ $order _ $word _ $scope>](ptr: *mut $word, val: $word) -> $word {
                // SAFETY: guaranteed by the caller.
                unsafe { super::record_atomic(ptr); ptx::fetch!($order_ptx $scope_ptx "" $ptx $reg, ptr, val, $operation, core::sync::atomic::Ordering::$cpu) }
            }
        }
    };
}

// Signed 64-bit addition uses the unsigned instruction, the only one that PTX has.
fetch! {
    add: u32 reg32 "add.u32", i32 reg32 "add.s32", u64 reg64 "add.u64", i64 reg64 "add.u64", f32 reg32 "add.f32", f64 reg64 "add.f64";
    and: u32 reg32 "and.b32", i32 reg32 "and.b32", u64 reg64 "and.b64", i64 reg64 "and.b64", f32 reg32 "and.b32", f64 reg64 "and.b64";
    or: u32 reg32 "or.b32", i32 reg32 "or.b32", u64 reg64 "or.b64", i64 reg64 "or.b64", f32 reg32 "or.b32", f64 reg64 "or.b64";
    xor: u32 reg32 "xor.b32", i32 reg32 "xor.b32", u64 reg64 "xor.b64", i64 reg64 "xor.b64", f32 reg32 "xor.b32", f64 reg64 "xor.b64";
    min: u32 reg32 "min.u32", i32 reg32 "min.s32", u64 reg64 "min.u64", i64 reg64 "min.s64";
    max: u32 reg32 "max.u32", i32 reg32 "max.s32", u64 reg64 "max.u64", i64 reg64 "max.s64";
    exch: u32 reg32 "exch.b32", i32 reg32 "exch.b32", u64 reg64 "exch.b64", i64 reg64 "exch.b64", f32 reg32 "exch.b32", f64 reg64 "exch.b64";
}

/// Defines operations that PTX expresses by another instruction: subtraction adds the negative.
macro_rules! derived {
    ($($word:ident $negate:ident;)+) => {
        $(scopes!(sub_scope ($word $negate));)+
    };
    (step $($word:ident;)+) => {
        $(scopes!(step_scope ($word));)+
    };
}

macro_rules! sub_scope {
    ($scope:ident $scope_ptx:tt $arguments:tt) => {
        orders! { sub_one $scope $scope_ptx $arguments }
    };
}

macro_rules! sub_one {
    ($scope:ident $scope_ptx:literal $order:ident $order_ptx:literal $cpu:ident ($word:ident $negate:ident)) => {
        paste! {
            #[doc = concat!("Subtracts `val`, ", stringify!($order), ", at ", stringify!($scope), " scope, and returns the old value.")]
            ///
            /// # Safety
            ///
            /// `ptr` must be valid for atomic reads and writes and aligned.
            #[inline(always)]
            #[track_caller]
            pub unsafe fn [<atomic_fetch_sub_ $order _ $word _ $scope>](ptr: *mut $word, val: $word) -> $word {
                // SAFETY: guaranteed by the caller.
                unsafe { [<atomic_fetch_add_ $order _ $word _ $scope>](ptr, val.$negate()) }
            }
        }
    };
}

macro_rules! step_scope {
    ($scope:ident $scope_ptx:tt $arguments:tt) => {
        orders! { step_one $scope $scope_ptx $arguments }
    };
}

macro_rules! step_one {
    ($scope:ident $scope_ptx:literal $order:ident $order_ptx:literal $cpu:ident ($word:ident)) => {
        paste! {
            #[doc = concat!("Adds one with wrap-around, ", stringify!($order), ", at ", stringify!($scope), " scope, and returns the old value.")]
            ///
            /// # Safety
            ///
            /// `ptr` must be valid for atomic reads and writes and aligned.
            #[inline(always)]
            #[track_caller]
            pub unsafe fn [<atomic_fetch_inc_ $order _ $word _ $scope>](ptr: *mut $word) -> $word {
                // SAFETY: guaranteed by the caller.
                unsafe { [<atomic_fetch_add_ $order _ $word _ $scope>](ptr, 1) }
            }

            #[doc = concat!("Subtracts one with wrap-around, ", stringify!($order), ", at ", stringify!($scope), " scope, and returns the old value.")]
            ///
            /// # Safety
            ///
            /// `ptr` must be valid for atomic reads and writes and aligned.
            #[inline(always)]
            #[track_caller]
            pub unsafe fn [<atomic_fetch_dec_ $order _ $word _ $scope>](ptr: *mut $word) -> $word {
                // SAFETY: guaranteed by the caller.
                unsafe { [<atomic_fetch_sub_ $order _ $word _ $scope>](ptr, 1) }
            }
        }
    };
}

derived! {
    u32 wrapping_neg;
    i32 wrapping_neg;
    u64 wrapping_neg;
    i64 wrapping_neg;
    f32 neg;
    f64 neg;
}
derived! { step u32; i32; u64; i64; }

/// Defines compare-and-swap, which compares bits.
macro_rules! cas {
    ($($word:ident $reg:ident $ptx:literal;)+) => {
        $(scopes!(cas_scope ($word $reg $ptx));)+
    };
}

macro_rules! cas_scope {
    ($scope:ident $scope_ptx:tt $arguments:tt) => {
        orders! { cas_one $scope $scope_ptx $arguments }
    };
}

macro_rules! cas_one {
    ($scope:ident $scope_ptx:literal $order:ident $order_ptx:literal $cpu:ident ($word:ident $reg:ident $ptx:literal)) => {
        paste! {
            #[doc = concat!("Stores `second_val` if the value equals `first_val`, ", stringify!($order), ", at ", stringify!($scope), " scope, and returns the old value.")]
            ///
            /// # Safety
            ///
            /// `ptr` must be valid for atomic reads and writes and aligned.
            #[inline(always)]
            #[track_caller]
            pub unsafe fn [<atomic_fetch_cas_ $order _ $word _ $scope>](ptr: *mut $word, first_val: $word, second_val: $word) -> $word {
                // SAFETY: guaranteed by the caller.
                unsafe { super::record_atomic(ptr); ptx::compare_and_swap!($order_ptx $scope_ptx "" $ptx $reg, ptr, first_val, second_val, core::sync::atomic::Ordering::$cpu) }
            }
        }
    };
}

cas! {
    u32 reg32 "b32";
    i32 reg32 "b32";
    u64 reg64 "b64";
    i64 reg64 "b64";
    f32 reg32 "b32";
    f64 reg64 "b64";
}
