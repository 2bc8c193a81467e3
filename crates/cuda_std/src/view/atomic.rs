//! Atomic operations on the elements of views.

use super::{SharedView, ViewMut};
use crate::atomic::spaces::{Global, Shared, SpaceInteger, SpaceWord};
use core::sync::atomic::Ordering;

mod sealed {
    pub trait Sealed {}
}

/// An element type with atomic operations: `u32`, `i32`, `u64`, `i64`, `f32`, `f64`.
#[allow(
    private_bounds,
    reason = "the implementation of the operations is private"
)]
pub trait AtomicElement: SpaceWord + sealed::Sealed {}

/// An element type with the integer-only atomic operations: `u32`, `i32`, `u64`, `i64`.
#[allow(
    private_bounds,
    reason = "the implementation of the operations is private"
)]
pub trait AtomicInteger: AtomicElement + SpaceInteger + Eq {}

macro_rules! elements {
    ($trait:ident: $($word:ident)+) => {
        $(impl $trait for $word {})+
    };
}

impl sealed::Sealed for u32 {}
impl sealed::Sealed for i32 {}
impl sealed::Sealed for u64 {}
impl sealed::Sealed for i64 {}
impl sealed::Sealed for f32 {}
impl sealed::Sealed for f64 {}
elements!(AtomicElement: u32 i32 u64 i64 f32 f64);
elements!(AtomicInteger: u32 i32 u64 i64);

/// Defines the operations of one kind of view. Out of bounds they behave like its `read`.
macro_rules! atomic_operations {
    ($view:ty, $space:ident, $scope:literal) => {
        impl<T: AtomicElement> $view {
            #[doc = concat!("Reads element `i` atomically at ", $scope, " scope.")]
            ///
            /// # Panics
            ///
            /// If `order` is neither `Relaxed` nor `Acquire`.
            #[inline(always)]
            #[track_caller]
            #[must_use]
            pub fn atomic_load(&self, i: usize, order: Ordering) -> T {
                // SAFETY: the pointer is to an element of this view, here and below.
                unsafe { T::load::<$space>(self.atomic_ptr(i), order) }
            }

            #[doc = concat!("Puts `value` into element `i` atomically at ", $scope, " scope.")]
            ///
            /// # Panics
            ///
            /// If `order` is neither `Relaxed` nor `Release`.
            #[inline(always)]
            #[track_caller]
            pub fn atomic_store(&self, i: usize, value: T, order: Ordering) {
                // SAFETY: see `atomic_load`.
                unsafe { T::store::<$space>(self.atomic_ptr(i), value, order) }
            }

            #[doc = concat!("Adds `value` to element `i`, relaxed, at ", $scope, " scope, and returns the old value. Integers wrap around.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_add(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::add::<$space>(self.atomic_ptr(i), value) }
            }

            #[doc = concat!("Stores `value` in element `i`, relaxed, at ", $scope, " scope, and returns the old value.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_exchange(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::exchange::<$space>(self.atomic_ptr(i), value) }
            }
        }

        impl<T: AtomicInteger> $view {
            #[doc = concat!("Stores the minimum of element `i` and `value`, relaxed, at ", $scope, " scope, and returns the old value.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_min(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::min::<$space>(self.atomic_ptr(i), value) }
            }

            #[doc = concat!("Stores the maximum of element `i` and `value`, relaxed, at ", $scope, " scope, and returns the old value.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_max(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::max::<$space>(self.atomic_ptr(i), value) }
            }

            #[doc = concat!("Stores the bitwise and of element `i` and `value`, relaxed, at ", $scope, " scope, and returns the old value.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_and(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::and::<$space>(self.atomic_ptr(i), value) }
            }

            #[doc = concat!("Stores the bitwise or of element `i` and `value`, relaxed, at ", $scope, " scope, and returns the old value.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_or(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::or::<$space>(self.atomic_ptr(i), value) }
            }

            #[doc = concat!("Stores the bitwise exclusive or of element `i` and `value`, relaxed, at ", $scope, " scope, and returns the old value.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_xor(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::xor::<$space>(self.atomic_ptr(i), value) }
            }

            #[doc = concat!("Stores `new` in element `i` if it equals `current`, relaxed, at ", $scope, " scope. ")]
            /// Returns the old value: `Ok` if it was replaced, else `Err`.
            #[inline(always)]
            #[track_caller]
            pub fn atomic_compare_exchange(&self, i: usize, current: T, new: T) -> Result<T, T> {
                // SAFETY: see `atomic_load`.
                let old = unsafe { T::compare_exchange::<$space>(self.atomic_ptr(i), current, new) };
                if old == current { Ok(old) } else { Err(old) }
            }
        }
    };
}

impl ViewMut<'_, u64> {
    /// Reads elements `i` and `i + 1` in one access. `i` must be even, and the view 16-byte
    /// aligned. Each element is read atomically, relaxed, at device scope; the pair as a whole is
    /// not atomic.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn atomic_load_pair(&self, i: usize) -> [u64; 2] {
        #[cfg(target_arch = "nvptx64")]
        {
            let (first, second): (u64, u64);
            // SAFETY: the pointers refer to elements of this view, and the first is aligned as
            // documented.
            unsafe {
                self.atomic_ptr(i + 1);
                core::arch::asm!(
                    "ld.relaxed.gpu.global.v2.b64 {{{}, {}}}, [{}];",
                    out(reg64) first,
                    out(reg64) second,
                    in(reg64) self.atomic_ptr(i),
                    options(nostack)
                );
            }
            [first, second]
        }
        #[cfg(not(target_arch = "nvptx64"))]
        [
            self.atomic_load(i, Ordering::Relaxed),
            self.atomic_load(i + 1, Ordering::Relaxed),
        ]
    }
}

impl SharedView<u32> {
    /// Stores the bitwise or of element `i` and `value`, relaxed, at block scope. Unlike
    /// [`atomic_or`](Self::atomic_or) it returns nothing, which saves the device a reply.
    #[inline(always)]
    #[track_caller]
    pub fn atomic_or_no_return(&self, i: usize, value: u32) {
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: the pointer refers to an element of this view.
        unsafe {
            core::sync::atomic::AtomicU32::from_ptr(self.atomic_ptr(i))
                .fetch_or(value, Ordering::Relaxed);
        }
        #[cfg(not(target_arch = "nvptx64"))]
        self.atomic_or(i, value);
    }

    /// Stores the maximum of element `i` and `value`, relaxed, at block scope. Unlike
    /// [`atomic_max`](Self::atomic_max) it returns nothing.
    #[inline(always)]
    #[track_caller]
    pub fn atomic_max_no_return(&self, i: usize, value: u32) {
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: the pointer refers to an element of this view.
        unsafe {
            core::sync::atomic::AtomicU32::from_ptr(self.atomic_ptr(i))
                .fetch_max(value, Ordering::Relaxed);
        }
        #[cfg(not(target_arch = "nvptx64"))]
        self.atomic_max(i, value);
    }
}

atomic_operations!(ViewMut<'_, T>, Global, "device");
atomic_operations!(SharedView<T>, Shared, "block");
