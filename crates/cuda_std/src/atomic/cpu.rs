//! Atomic operations on the CPU, by `core`'s atomics. Floats are handled as their bits, in
//! compare-and-exchange loops.

use core::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::cell::Cell;

/// Number of polls after which the other threads of the block may run.
const POLLS_PER_YIELD: u32 = 64;

thread_local! {
    static POLLS: Cell<u32> = const { Cell::new(0) };
}

/// Counts an operation that can form a waiting loop. The threads of a block share one CPU thread,
/// so a loop that waits for another of them must let it run.
#[inline(always)]
pub(super) fn poll() {
    let polls = POLLS.get().wrapping_add(1);
    POLLS.set(polls);
    if polls.is_multiple_of(POLLS_PER_YIELD) {
        yield_now();
    }
}

#[cold]
#[inline(never)]
fn yield_now() {
    if simt::current::is_active() {
        simt::sync::yield_thread();
    }
}

/// Returns the ordering for a failed compare-and-exchange, which is only a load.
fn load_ordering(order: Ordering) -> Ordering {
    match order {
        Ordering::AcqRel => Ordering::Acquire,
        Ordering::Release => Ordering::Relaxed,
        other => other,
    }
}

/// A word with atomic operations. Every pointer must be aligned to the word and valid for atomic
/// reads and writes.
#[allow(
    clippy::missing_safety_doc,
    reason = "the only requirement is that of the trait"
)]
pub trait Word: Copy {
    unsafe fn load(ptr: *mut Self, order: Ordering) -> Self;
    unsafe fn store(ptr: *mut Self, value: Self, order: Ordering);
    unsafe fn exch(ptr: *mut Self, value: Self, order: Ordering) -> Self;
    unsafe fn add(ptr: *mut Self, value: Self, order: Ordering) -> Self;
    unsafe fn and(ptr: *mut Self, value: Self, order: Ordering) -> Self;
    unsafe fn or(ptr: *mut Self, value: Self, order: Ordering) -> Self;
    unsafe fn xor(ptr: *mut Self, value: Self, order: Ordering) -> Self;
    unsafe fn min(ptr: *mut Self, value: Self, order: Ordering) -> Self;
    unsafe fn max(ptr: *mut Self, value: Self, order: Ordering) -> Self;
    unsafe fn compare_and_swap(ptr: *mut Self, expected: Self, new: Self, order: Ordering) -> Self;
}

macro_rules! integer_word {
    ($($word:ident $atomic:ident;)+) => {
        $(
            impl Word for $word {
                #[inline]
                unsafe fn load(ptr: *mut Self, order: Ordering) -> Self {
                    poll();
                    // SAFETY: the requirement of the trait, here and below.
                    unsafe { $atomic::from_ptr(ptr) }.load(order)
                }

                #[inline]
                unsafe fn store(ptr: *mut Self, value: Self, order: Ordering) {
                    // SAFETY: see `load`.
                    unsafe { $atomic::from_ptr(ptr) }.store(value, order);
                }

                #[inline]
                unsafe fn exch(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    poll();
                    // SAFETY: see `load`.
                    unsafe { $atomic::from_ptr(ptr) }.swap(value, order)
                }

                #[inline]
                unsafe fn add(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    if value == 0 {
                        poll();
                    }
                    // SAFETY: see `load`.
                    unsafe { $atomic::from_ptr(ptr) }.fetch_add(value, order)
                }

                #[inline]
                unsafe fn and(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: see `load`.
                    unsafe { $atomic::from_ptr(ptr) }.fetch_and(value, order)
                }

                #[inline]
                unsafe fn or(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    poll();
                    // SAFETY: see `load`.
                    unsafe { $atomic::from_ptr(ptr) }.fetch_or(value, order)
                }

                #[inline]
                unsafe fn xor(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: see `load`.
                    unsafe { $atomic::from_ptr(ptr) }.fetch_xor(value, order)
                }

                #[inline]
                unsafe fn min(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: see `load`.
                    unsafe { $atomic::from_ptr(ptr) }.fetch_min(value, order)
                }

                #[inline]
                unsafe fn max(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: see `load`.
                    unsafe { $atomic::from_ptr(ptr) }.fetch_max(value, order)
                }

                #[inline]
                unsafe fn compare_and_swap(ptr: *mut Self, expected: Self, new: Self, order: Ordering) -> Self {
                    // SAFETY: see `load`.
                    let word = unsafe { $atomic::from_ptr(ptr) };
                    match word.compare_exchange(expected, new, order, load_ordering(order)) {
                        Ok(old) => old,
                        Err(old) => {
                            poll();
                            old
                        }
                    }
                }
            }
        )+
    };
}

integer_word! {
    u32 AtomicU32;
    i32 AtomicI32;
    u64 AtomicU64;
    i64 AtomicI64;
}

macro_rules! float_word {
    ($($word:ident $bits:ident $atomic:ident;)+) => {
        $(
            impl $crate::atomic::cpu::Word for $word {
                #[inline]
                unsafe fn load(ptr: *mut Self, order: Ordering) -> Self {
                    // SAFETY: the requirement of the trait, here and below; the float has the size
                    // and alignment of its bits.
                    Self::from_bits(unsafe { Word::load(ptr.cast::<$bits>(), order) })
                }

                #[inline]
                unsafe fn store(ptr: *mut Self, value: Self, order: Ordering) {
                    // SAFETY: see `load`.
                    unsafe { Word::store(ptr.cast::<$bits>(), value.to_bits(), order) }
                }

                #[inline]
                unsafe fn exch(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: see `load`.
                    Self::from_bits(unsafe { Word::exch(ptr.cast::<$bits>(), value.to_bits(), order) })
                }

                #[inline]
                unsafe fn add(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: see `load`.
                    unsafe { Self::update(ptr, order, |old| old + value) }
                }

                #[inline]
                unsafe fn and(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: see `load`.
                    Self::from_bits(unsafe { Word::and(ptr.cast::<$bits>(), value.to_bits(), order) })
                }

                #[inline]
                unsafe fn or(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: see `load`.
                    Self::from_bits(unsafe { Word::or(ptr.cast::<$bits>(), value.to_bits(), order) })
                }

                #[inline]
                unsafe fn xor(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: see `load`.
                    Self::from_bits(unsafe { Word::xor(ptr.cast::<$bits>(), value.to_bits(), order) })
                }

                #[inline]
                unsafe fn min(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: see `load`.
                    unsafe { Self::update(ptr, order, |old| old.min(value)) }
                }

                #[inline]
                unsafe fn max(ptr: *mut Self, value: Self, order: Ordering) -> Self {
                    // SAFETY: see `load`.
                    unsafe { Self::update(ptr, order, |old| old.max(value)) }
                }

                #[inline]
                unsafe fn compare_and_swap(ptr: *mut Self, expected: Self, new: Self, order: Ordering) -> Self {
                    // SAFETY: see `load`.
                    Self::from_bits(unsafe {
                        Word::compare_and_swap(ptr.cast::<$bits>(), expected.to_bits(), new.to_bits(), order)
                    })
                }
            }

            impl Update for $word {
                #[inline]
                unsafe fn update(ptr: *mut Self, order: Ordering, change: impl Fn(Self) -> Self) -> Self {
                    // SAFETY: the requirement of `Word`; the float has the size and alignment of
                    // its bits.
                    let word = unsafe { $atomic::from_ptr(ptr.cast()) };
                    let mut old = word.load(Ordering::Relaxed);
                    loop {
                        let new = change(Self::from_bits(old)).to_bits();
                        match word.compare_exchange_weak(old, new, order, Ordering::Relaxed) {
                            Ok(_) => return Self::from_bits(old),
                            Err(now) => old = now,
                        }
                    }
                }
            }
        )+
    };
}

/// A read-modify-write operation for which the CPU has no instruction.
trait Update: Sized {
    unsafe fn update(ptr: *mut Self, order: Ordering, change: impl Fn(Self) -> Self) -> Self;
}

float_word! {
    f32 u32 AtomicU32;
    f64 u64 AtomicU64;
}
