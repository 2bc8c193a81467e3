//! Atomic operations on the elements of views.

use super::{SharedView, ViewMut};
use crate::atomic::spaces::{Global, Shared, SpaceInteger, SpaceWord};
use core::sync::atomic::Ordering;

mod sealed {
    pub trait Sealed {}
}

/// An element that atomic operations work on: `u32`, `i32`, `u64`, `i64`, `f32`, `f64`.
#[allow(
    private_bounds,
    reason = "how an operation is done is no one's business"
)]
pub trait AtomicElement: SpaceWord + sealed::Sealed {}

/// An element with the operations that only integers have: `u32`, `i32`, `u64`, `i64`.
#[allow(
    private_bounds,
    reason = "how an operation is done is no one's business"
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

/// The operations of one kind of view; past the end as its `read`.
macro_rules! atomic_operations {
    ($view:ty, $space:ident, $scope:literal) => {
        impl<T: AtomicElement> $view {
            #[doc = concat!("Element `i`, read atomically at ", $scope, " scope.")]
            ///
            /// # Panics
            ///
            /// Where `order` is neither `Relaxed` nor `Acquire`.
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
            /// Where `order` is neither `Relaxed` nor `Release`.
            #[inline(always)]
            #[track_caller]
            pub fn atomic_store(&self, i: usize, value: T, order: Ordering) {
                // SAFETY: see `atomic_load`.
                unsafe { T::store::<$space>(self.atomic_ptr(i), value, order) }
            }

            #[doc = concat!("Adds to element `i`, relaxed, at ", $scope, " scope; its value before. Integers wrap around.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_add(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::add::<$space>(self.atomic_ptr(i), value) }
            }

            #[doc = concat!("Puts `value` into element `i`, relaxed, at ", $scope, " scope; its value before.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_exchange(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::exchange::<$space>(self.atomic_ptr(i), value) }
            }
        }

        impl<T: AtomicInteger> $view {
            #[doc = concat!("Keeps the lesser of element `i` and `value`, relaxed, at ", $scope, " scope; its value before.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_min(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::min::<$space>(self.atomic_ptr(i), value) }
            }

            #[doc = concat!("Keeps the greater of element `i` and `value`, relaxed, at ", $scope, " scope; its value before.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_max(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::max::<$space>(self.atomic_ptr(i), value) }
            }

            #[doc = concat!("Bitwise and with element `i`, relaxed, at ", $scope, " scope; its value before.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_and(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::and::<$space>(self.atomic_ptr(i), value) }
            }

            #[doc = concat!("Bitwise or with element `i`, relaxed, at ", $scope, " scope; its value before.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_or(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::or::<$space>(self.atomic_ptr(i), value) }
            }

            #[doc = concat!("Bitwise exclusive or with element `i`, relaxed, at ", $scope, " scope; its value before.")]
            #[inline(always)]
            #[track_caller]
            pub fn atomic_xor(&self, i: usize, value: T) -> T {
                // SAFETY: see `atomic_load`.
                unsafe { T::xor::<$space>(self.atomic_ptr(i), value) }
            }

            #[doc = concat!("Puts `new` into element `i` where it is `current`, relaxed, at ", $scope, " scope: ")]
            /// `Ok` of its value before where it did, else `Err` of it.
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
    /// Elements `i` and `i + 1`, of which `i` is even in a view that begins at a multiple of 16
    /// bytes. Each is read atomically, relaxed, at device scope; the two together are not one
    /// atomic read. The device takes one access for both.
    #[inline(always)]
    #[track_caller]
    #[must_use]
    pub fn atomic_load_pair(&self, i: usize) -> [u64; 2] {
        #[cfg(target_arch = "nvptx64")]
        {
            let (first, second): (u64, u64);
            // SAFETY: the pointers are to elements of this view, and the first is aligned as the
            // method's documentation asks.
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
    /// Bitwise or with element `i`, relaxed, at block scope, as [`atomic_or`](Self::atomic_or), of
    /// whose value before nobody asks: the device need not send it back.
    #[inline(always)]
    #[track_caller]
    pub fn atomic_or_no_return(&self, i: usize, value: u32) {
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: the pointer is to an element of this view.
        unsafe {
            core::sync::atomic::AtomicU32::from_ptr(self.atomic_ptr(i))
                .fetch_or(value, Ordering::Relaxed);
        }
        #[cfg(not(target_arch = "nvptx64"))]
        self.atomic_or(i, value);
    }

    /// Keeps the greater of element `i` and `value`, as [`atomic_max`](Self::atomic_max), of whose
    /// value before nobody asks.
    #[inline(always)]
    #[track_caller]
    pub fn atomic_max_no_return(&self, i: usize, value: u32) {
        #[cfg(target_arch = "nvptx64")]
        // SAFETY: the pointer is to an element of this view.
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
