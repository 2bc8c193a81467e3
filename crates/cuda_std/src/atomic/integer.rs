//! Atomic integers, with the method names of `core`'s.

use super::mid;
use core::cell::UnsafeCell;
use core::sync::atomic::Ordering;
use pastey::paste;

macro_rules! atomic_integer {
    ($($(#[$doc:meta])* $name:ident $word:ident $bits:literal $unsigned:ident $scope:ident;)+) => {
        $(
            $(#[$doc])*
            ///
            /// It has the size and alignment of the integer.
            #[repr(transparent)]
            pub struct $name {
                value: UnsafeCell<$word>,
            }

            // SAFETY: every access through `&self` is atomic.
            unsafe impl Sync for $name {}

            impl From<$word> for $name {
                fn from(value: $word) -> Self {
                    Self::new(value)
                }
            }

            impl $name {
                /// Creates an atomic with this value.
                #[must_use]
                pub const fn new(value: $word) -> Self {
                    Self {
                        value: UnsafeCell::new(value),
                    }
                }

                /// Returns the value.
                #[must_use]
                pub const fn into_inner(self) -> $word {
                    self.value.into_inner()
                }

                /// Returns a reference to the value, which is exclusive.
                #[inline(always)]
                #[must_use]
                pub const fn get_mut(&mut self) -> &mut $word {
                    self.value.get_mut()
                }

                /// Returns the address of the value.
                #[inline(always)]
                #[must_use]
                pub const fn as_ptr(&self) -> *mut $word {
                    self.value.get()
                }

                /// Returns the atomic at `ptr`.
                ///
                /// # Safety
                ///
                /// `ptr` must be aligned and valid for `'a`, and the memory accessed only
                /// atomically meanwhile.
                #[inline(always)]
                #[must_use]
                pub const unsafe fn from_ptr<'a>(ptr: *mut $word) -> &'a Self {
                    // SAFETY: guaranteed by the caller; the layouts are the same.
                    unsafe { &*ptr.cast::<Self>() }
                }

                paste! {
                    /// Returns the value. Panics if `order` is `Release` or `AcqRel`.
                    #[inline(always)]
                    #[must_use]
                    #[track_caller]
                    pub fn load(&self, order: Ordering) -> $word {
                        // SAFETY: the pointer is that of `self`, here and below.
                        unsafe { mid::[<atomic_load_ $bits _ $scope>](self.as_ptr().cast::<$unsigned>(), order) as $word }
                    }

                    /// Stores `value`. Panics if `order` is `Acquire` or `AcqRel`.
                    #[inline(always)]
                    #[track_caller]
                    pub fn store(&self, value: $word, order: Ordering) {
                        // SAFETY: see `load`.
                        unsafe {
                            mid::[<atomic_store_ $bits _ $scope>](
                                self.as_ptr().cast::<$unsigned>(),
                                order,
                                value as $unsigned,
                            );
                        }
                    }

                    /// Stores `value` and returns the old value.
                    #[inline(always)]
                    #[track_caller]
                    pub fn swap(&self, value: $word, order: Ordering) -> $word {
                        // SAFETY: see `load`.
                        unsafe { mid::[<atomic_fetch_exch_ $word _ $scope>](self.as_ptr(), order, value) }
                    }

                    /// Adds `value`, wrapping around, and returns the old value.
                    #[inline(always)]
                    #[track_caller]
                    pub fn fetch_add(&self, value: $word, order: Ordering) -> $word {
                        // SAFETY: see `load`.
                        unsafe { mid::[<atomic_fetch_add_ $word _ $scope>](self.as_ptr(), order, value) }
                    }

                    /// Subtracts `value`, wrapping around, and returns the old value.
                    #[inline(always)]
                    #[track_caller]
                    pub fn fetch_sub(&self, value: $word, order: Ordering) -> $word {
                        // SAFETY: see `load`.
                        unsafe { mid::[<atomic_fetch_sub_ $word _ $scope>](self.as_ptr(), order, value) }
                    }

                    /// Stores the bitwise and, and returns the old value.
                    #[inline(always)]
                    #[track_caller]
                    pub fn fetch_and(&self, value: $word, order: Ordering) -> $word {
                        // SAFETY: see `load`.
                        unsafe { mid::[<atomic_fetch_and_ $word _ $scope>](self.as_ptr(), order, value) }
                    }

                    /// Stores the bitwise or, and returns the old value.
                    #[inline(always)]
                    #[track_caller]
                    pub fn fetch_or(&self, value: $word, order: Ordering) -> $word {
                        // SAFETY: see `load`.
                        unsafe { mid::[<atomic_fetch_or_ $word _ $scope>](self.as_ptr(), order, value) }
                    }

                    /// Stores the bitwise exclusive or, and returns the old value.
                    #[inline(always)]
                    #[track_caller]
                    pub fn fetch_xor(&self, value: $word, order: Ordering) -> $word {
                        // SAFETY: see `load`.
                        unsafe { mid::[<atomic_fetch_xor_ $word _ $scope>](self.as_ptr(), order, value) }
                    }

                    /// Stores the minimum and returns the old value.
                    #[inline(always)]
                    #[track_caller]
                    pub fn fetch_min(&self, value: $word, order: Ordering) -> $word {
                        // SAFETY: see `load`.
                        unsafe { mid::[<atomic_fetch_min_ $word _ $scope>](self.as_ptr(), order, value) }
                    }

                    /// Stores the maximum and returns the old value.
                    #[inline(always)]
                    #[track_caller]
                    pub fn fetch_max(&self, value: $word, order: Ordering) -> $word {
                        // SAFETY: see `load`.
                        unsafe { mid::[<atomic_fetch_max_ $word _ $scope>](self.as_ptr(), order, value) }
                    }

                    /// Stores `new` if the value equals `current`. Returns the old value: `Ok` if
                    /// it was replaced, else `Err`.
                    ///
                    /// PTX has a single ordering for both outcomes: the stronger of `success` and
                    /// `failure`.
                    #[inline(always)]
                    #[track_caller]
                    pub fn compare_exchange(
                        &self,
                        current: $word,
                        new: $word,
                        success: Ordering,
                        failure: Ordering,
                    ) -> Result<$word, $word> {
                        let order = super::merge_orderings(success, failure);
                        // SAFETY: see `load`.
                        let old = unsafe {
                            mid::[<atomic_fetch_cas_ $word _ $scope>](self.as_ptr(), order, current, new)
                        };
                        if old == current { Ok(old) } else { Err(old) }
                    }

                    /// Stores `new` if the value equals `current`, like
                    /// [`compare_exchange`](Self::compare_exchange). It does not fail spuriously on
                    /// the device.
                    #[inline(always)]
                    #[track_caller]
                    pub fn compare_exchange_weak(
                        &self,
                        current: $word,
                        new: $word,
                        success: Ordering,
                        failure: Ordering,
                    ) -> Result<$word, $word> {
                        self.compare_exchange(current, new, success, failure)
                    }

                    /// Replaces the value by the result of `update`, repeating until no other
                    /// thread has changed it meanwhile. Returns the old value: `Ok` if it was
                    /// replaced, or `Err` if `update` returned `None`.
                    #[inline(always)]
                    #[track_caller]
                    pub fn fetch_update(
                        &self,
                        set_order: Ordering,
                        fetch_order: Ordering,
                        mut update: impl FnMut($word) -> Option<$word>,
                    ) -> Result<$word, $word> {
                        let mut old = self.load(fetch_order);
                        while let Some(new) = update(old) {
                            match self.compare_exchange_weak(old, new, set_order, fetch_order) {
                                Ok(old) => return Ok(old),
                                Err(now) => old = now,
                            }
                        }
                        Err(old)
                    }
                }
            }
        )+
    };
}

atomic_integer! {
    /// A `u32` shared by the threads of the device.
    AtomicU32 u32 32 u32 device;
    /// An `i32` shared by the threads of the device.
    AtomicI32 i32 32 u32 device;
    /// A `u64` shared by the threads of the device.
    AtomicU64 u64 64 u64 device;
    /// An `i64` shared by the threads of the device.
    AtomicI64 i64 64 u64 device;
    /// A `u32` shared by the threads of a block.
    BlockAtomicU32 u32 32 u32 block;
    /// An `i32` shared by the threads of a block.
    BlockAtomicI32 i32 32 u32 block;
    /// A `u64` shared by the threads of a block.
    BlockAtomicU64 u64 64 u64 block;
    /// An `i64` shared by the threads of a block.
    BlockAtomicI64 i64 64 u64 block;
    /// A `u32` shared by the devices and the host.
    SystemAtomicU32 u32 32 u32 system;
    /// An `i32` shared by the devices and the host.
    SystemAtomicI32 i32 32 u32 system;
    /// A `u64` shared by the devices and the host.
    SystemAtomicU64 u64 64 u64 system;
    /// An `i64` shared by the devices and the host.
    SystemAtomicI64 i64 64 u64 system;
}
