//! The operations on a block's shared memory on the CPU: none of them is an atomic instruction.
//!
//! A block runs on one thread of the operating system, and its threads take turns where one of them
//! waits or yields, which is never within an operation. So one thread's operation is done before
//! another's begins, and nobody else has the memory: views of it stay on the thread
//! ([`SharedView`](crate::SharedView) is not `Send`), and who launches promises that they are not
//! used after the block.
//!
//! What a waiting loop may be made of counts as a poll, as in [`cpu`](super::cpu).

use super::cpu::poll;

/// A word in shared memory. Every pointer must be valid for reads and writes and aligned, and to
/// memory of the block at hand.
#[allow(
    clippy::missing_safety_doc,
    reason = "the one condition is the trait's"
)]
pub trait Word: Copy {
    unsafe fn exch(ptr: *mut Self, value: Self) -> Self;
    unsafe fn add(ptr: *mut Self, value: Self) -> Self;
}

/// The operations that only integers have.
#[allow(
    clippy::missing_safety_doc,
    reason = "the one condition is the trait's"
)]
pub trait Integer: Word + Eq {
    unsafe fn and(ptr: *mut Self, value: Self) -> Self;
    unsafe fn or(ptr: *mut Self, value: Self) -> Self;
    unsafe fn xor(ptr: *mut Self, value: Self) -> Self;
    unsafe fn min(ptr: *mut Self, value: Self) -> Self;
    unsafe fn max(ptr: *mut Self, value: Self) -> Self;
}

/// Puts what `change` makes of the word there: the value before it.
///
/// # Safety
/// The condition of [`Word`].
#[inline(always)]
unsafe fn update<T: Copy>(ptr: *mut T, change: impl FnOnce(T) -> T) -> T {
    // SAFETY: the caller's promise.
    unsafe {
        let old = ptr.read();
        ptr.write(change(old));
        old
    }
}

/// Stores `new` where the word is `expected`: the value before it.
///
/// # Safety
/// The condition of [`Word`].
#[inline(always)]
pub unsafe fn compare_and_swap<T: Integer>(ptr: *mut T, expected: T, new: T) -> T {
    // SAFETY: the caller's promise.
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
                    // SAFETY: the trait's condition, here and below.
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
                    // SAFETY: the trait's condition, here and below.
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
