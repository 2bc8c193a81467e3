//! Atomic operations on a block's shared memory on the CPU, implemented without atomic
//! instructions.
//!
//! A block runs on one operating-system thread, and its threads switch only where one waits or
//! yields, never within an operation. Operations are therefore atomic with respect to each other.
//! No other thread has access: views of shared memory stay on the thread
//! ([`SharedView`](crate::SharedView) is not `Send`), and the caller of a launch guarantees that
//! they are not used after the block.
//!
//! Operations that can form a waiting loop count as polls, as in [`cpu`](super::cpu).

use super::cpu::poll;

/// A word in shared memory. Every pointer must be aligned, valid for reads and writes, and refer to
/// memory of the current block.
#[allow(
    clippy::missing_safety_doc,
    reason = "the only requirement is that of the trait"
)]
pub trait Word: Copy {
    unsafe fn exch(ptr: *mut Self, value: Self) -> Self;
    unsafe fn add(ptr: *mut Self, value: Self) -> Self;
}

/// Integer-only operations.
#[allow(
    clippy::missing_safety_doc,
    reason = "the only requirement is that of the trait"
)]
pub trait Integer: Word + Eq {
    unsafe fn and(ptr: *mut Self, value: Self) -> Self;
    unsafe fn or(ptr: *mut Self, value: Self) -> Self;
    unsafe fn xor(ptr: *mut Self, value: Self) -> Self;
    unsafe fn min(ptr: *mut Self, value: Self) -> Self;
    unsafe fn max(ptr: *mut Self, value: Self) -> Self;
}

/// Replaces the word by `change(word)` and returns the old value.
///
/// # Safety
/// The requirement of [`Word`].
#[inline(always)]
unsafe fn update<T: Copy>(ptr: *mut T, change: impl FnOnce(T) -> T) -> T {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let old = ptr.read();
        ptr.write(change(old));
        old
    }
}

/// Stores `new` if the word equals `expected`, and returns the old value.
///
/// # Safety
/// The requirement of [`Word`].
#[inline(always)]
pub unsafe fn compare_and_swap<T: Integer>(ptr: *mut T, expected: T, new: T) -> T {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let old = ptr.read();
        if old == expected {
            ptr.write(new);
        } else {
            poll();
        }
        old
    }
}

macro_rules! integer_words {
    ($($word:ident)+) => {
        $(
            impl Word for $word {
                #[inline(always)]
                unsafe fn exch(ptr: *mut Self, value: Self) -> Self {
                    poll();
                    // SAFETY: the requirement of the trait, here and below.
                    unsafe { update(ptr, #[inline(always)] |_| value) }
                }

                #[inline(always)]
                unsafe fn add(ptr: *mut Self, value: Self) -> Self {
                    if value == 0 {
                        poll();
                    }
                    // SAFETY: see `exch`.
                    unsafe { update(ptr, #[inline(always)] |old| old.wrapping_add(value)) }
                }
            }

            impl Integer for $word {
                #[inline(always)]
                unsafe fn and(ptr: *mut Self, value: Self) -> Self {
                    // SAFETY: see `exch`.
                    unsafe { update(ptr, #[inline(always)] |old| old & value) }
                }

                #[inline(always)]
                unsafe fn or(ptr: *mut Self, value: Self) -> Self {
                    poll();
                    // SAFETY: see `exch`.
                    unsafe { update(ptr, #[inline(always)] |old| old | value) }
                }

                #[inline(always)]
                unsafe fn xor(ptr: *mut Self, value: Self) -> Self {
                    // SAFETY: see `exch`.
                    unsafe { update(ptr, #[inline(always)] |old| old ^ value) }
                }

                #[inline(always)]
                unsafe fn min(ptr: *mut Self, value: Self) -> Self {
                    // SAFETY: see `exch`.
                    unsafe { update(ptr, #[inline(always)] |old| Ord::min(old, value)) }
                }

                #[inline(always)]
                unsafe fn max(ptr: *mut Self, value: Self) -> Self {
                    // SAFETY: see `exch`.
                    unsafe { update(ptr, #[inline(always)] |old| Ord::max(old, value)) }
                }
            }
        )+
    };
}

integer_words!(u32 i32 u64 i64);

macro_rules! float_words {
    ($($word:ident)+) => {
        $(
            impl Word for $word {
                #[inline(always)]
                unsafe fn exch(ptr: *mut Self, value: Self) -> Self {
                    poll();
                    // SAFETY: the requirement of the trait, here and below.
                    unsafe { update(ptr, #[inline(always)] |_| value) }
                }

                #[inline(always)]
                unsafe fn add(ptr: *mut Self, value: Self) -> Self {
                    // SAFETY: see `exch`.
                    unsafe { update(ptr, #[inline(always)] |old| old + value) }
                }
            }
        )+
    };
}

float_words!(f32 f64);
