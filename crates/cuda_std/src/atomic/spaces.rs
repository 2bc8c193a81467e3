//! Atomic operations of views, whose address space is known: `.global` at device scope, `.shared`
//! at block scope. Without it an atomic is generic, and the device has to determine the address
//! space.

use super::ptx;
use core::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

/// Address space of a view.
pub trait Space {
    const SHARED: bool;
}

/// Global memory, accessible to all threads of the device.
pub enum Global {}

/// Shared memory of a block.
pub enum Shared {}

impl Space for Global {
    const SHARED: bool = false;
}

impl Space for Shared {
    const SHARED: bool = true;
}

/// A word with atomic operations in views. Every pointer must be aligned, valid, and in the address
/// space.
#[allow(
    clippy::missing_safety_doc,
    reason = "the only requirement is that of the trait"
)]
pub trait SpaceWord: Copy {
    unsafe fn load<S: Space>(ptr: *mut Self, order: Ordering) -> Self;
    unsafe fn store<S: Space>(ptr: *mut Self, value: Self, order: Ordering);
    unsafe fn add<S: Space>(ptr: *mut Self, value: Self) -> Self;
    unsafe fn exchange<S: Space>(ptr: *mut Self, value: Self) -> Self;
}

/// Integer-only operations.
#[allow(
    clippy::missing_safety_doc,
    reason = "the only requirement is that of the trait"
)]
pub trait SpaceInteger: SpaceWord {
    unsafe fn min<S: Space>(ptr: *mut Self, value: Self) -> Self;
    unsafe fn max<S: Space>(ptr: *mut Self, value: Self) -> Self;
    unsafe fn and<S: Space>(ptr: *mut Self, value: Self) -> Self;
    unsafe fn or<S: Space>(ptr: *mut Self, value: Self) -> Self;
    unsafe fn xor<S: Space>(ptr: *mut Self, value: Self) -> Self;
    unsafe fn compare_exchange<S: Space>(ptr: *mut Self, expected: Self, new: Self) -> Self;
}

macro_rules! fetch_methods {
    ($words:ident: $($method:ident $cpu:ident $ptx:literal $reg:ident;)+) => {
        $(
            #[inline(always)]
            unsafe fn $method<S: Space>(ptr: *mut Self, value: Self) -> Self {
                #[cfg(not(target_arch = "nvptx64"))]
                if S::SHARED {
                    // SAFETY: the requirement of the trait.
                    return unsafe { crate::atomic::block_local::$words::$cpu(ptr, value) };
                }
                // SAFETY: the requirement of the trait.
                unsafe {
                    if S::SHARED {
                        ptx::fetch!("relaxed" "cta" ".shared" $ptx $reg, ptr, value, $cpu, Relaxed)
                    } else {
                        ptx::fetch!("relaxed" "gpu" ".global" $ptx $reg, ptr, value, $cpu, Relaxed)
                    }
                }
            }
        )+
    };
}

macro_rules! space_word {
    ($($word:ident $reg:ident $bits:literal $add:literal $exchange:literal;)+) => {
        $(
            impl SpaceWord for $word {
                #[inline(always)]
                #[track_caller]
                unsafe fn load<S: Space>(ptr: *mut Self, order: Ordering) -> Self {
                    // SAFETY: the requirement of the trait.
                    unsafe {
                        match (order, S::SHARED) {
                            (Relaxed, false) => ptx::load!("relaxed" "gpu" ".global" $bits $reg, ptr, Relaxed),
                            (Acquire, false) => ptx::load!("acquire" "gpu" ".global" $bits $reg, ptr, Acquire),
                            (Relaxed, true) => ptx::load!("relaxed" "cta" ".shared" $bits $reg, ptr, Relaxed),
                            (Acquire, true) => ptx::load!("acquire" "cta" ".shared" $bits $reg, ptr, Acquire),
                            _ => panic!("a view's atomic load is Relaxed or Acquire"),
                        }
                    }
                }

                #[inline(always)]
                #[track_caller]
                unsafe fn store<S: Space>(ptr: *mut Self, value: Self, order: Ordering) {
                    // SAFETY: the requirement of the trait.
                    unsafe {
                        match (order, S::SHARED) {
                            (Relaxed, false) => ptx::store!("relaxed" "gpu" ".global" $bits $reg, ptr, value, Relaxed),
                            (Release, false) => ptx::store!("release" "gpu" ".global" $bits $reg, ptr, value, Release),
                            (Relaxed, true) => ptx::store!("relaxed" "cta" ".shared" $bits $reg, ptr, value, Relaxed),
                            (Release, true) => ptx::store!("release" "cta" ".shared" $bits $reg, ptr, value, Release),
                            _ => panic!("a view's atomic store is Relaxed or Release"),
                        }
                    }
                }

                fetch_methods! {
                    Word:
                    add add $add $reg;
                    exchange exch $exchange $reg;
                }
            }
        )+
    };
}

space_word! {
    u32 reg32 "b32" "add.u32" "exch.b32";
    i32 reg32 "b32" "add.s32" "exch.b32";
    f32 reg32 "b32" "add.f32" "exch.b32";
    u64 reg64 "b64" "add.u64" "exch.b64";
    i64 reg64 "b64" "add.u64" "exch.b64";
    f64 reg64 "b64" "add.f64" "exch.b64";
}

macro_rules! space_integer {
    ($($word:ident $reg:ident $bits:literal $min:literal $max:literal $and:literal $or:literal $xor:literal;)+) => {
        $(
            impl SpaceInteger for $word {
                fetch_methods! {
                    Integer:
                    min min $min $reg;
                    max max $max $reg;
                    and and $and $reg;
                    or or $or $reg;
                    xor xor $xor $reg;
                }

                #[inline(always)]
                unsafe fn compare_exchange<S: Space>(ptr: *mut Self, expected: Self, new: Self) -> Self {
                    #[cfg(not(target_arch = "nvptx64"))]
                    if S::SHARED {
                        // SAFETY: the requirement of the trait.
                        return unsafe { crate::atomic::block_local::compare_and_swap(ptr, expected, new) };
                    }
                    // SAFETY: the requirement of the trait.
                    unsafe {
                        if S::SHARED {
                            ptx::compare_and_swap!("relaxed" "cta" ".shared" $bits $reg, ptr, expected, new, Relaxed)
                        } else {
                            ptx::compare_and_swap!("relaxed" "gpu" ".global" $bits $reg, ptr, expected, new, Relaxed)
                        }
                    }
                }
            }
        )+
    };
}

space_integer! {
    u32 reg32 "b32" "min.u32" "max.u32" "and.b32" "or.b32" "xor.b32";
    i32 reg32 "b32" "min.s32" "max.s32" "and.b32" "or.b32" "xor.b32";
    u64 reg64 "b64" "min.u64" "max.u64" "and.b64" "or.b64" "xor.b64";
    i64 reg64 "b64" "min.s64" "max.s64" "and.b64" "or.b64" "xor.b64";
}
