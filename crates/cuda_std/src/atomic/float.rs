//! Atomic floats. On the device, addition is an instruction for both widths.

use super::mid;
use core::cell::UnsafeCell;
use core::sync::atomic::Ordering;
use pastey::paste;

macro_rules! atomic_float {
    ($($(#[$doc:meta])* $name:ident $word:ident $bits:literal $unsigned:ident $scope:ident $($unsafety:ident)?;)+) => {
        $(
            $(#[$doc])*
            ///
            /// It has the size and alignment of the float.
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
            }

            atomic_float!(@methods $name $word $bits $unsigned $scope $($unsafety)?);
        )+
    };
    (@methods $name:ident $word:ident $bits:literal $unsigned:ident $scope:ident) => {
        impl $name {
            atomic_float!(@body $word $bits $unsigned $scope () ());
        }
    };
    // Rust-CUDA's block-scoped methods are unsafe, because no type keeps an atomic within one
    // block.
    (@methods $name:ident $word:ident $bits:literal $unsigned:ident $scope:ident unsafe) => {
        impl $name {
            atomic_float!(@body $word $bits $unsigned $scope (unsafe) (
                #[doc = ""]
                #[doc = "# Safety"]
                #[doc = ""]
                #[doc = "Only the threads of one block may use the atomic at the same time."]
            ));
        }
    };
    (@body $word:ident $bits:literal $unsigned:ident $scope:ident ($($unsafety:ident)?) $safety:tt) => {
        atomic_float! { @fetch $word $scope ($($unsafety)?) $safety
            /// Adds `value` and returns the old value.
            fetch_add add;
            /// Subtracts `value` and returns the old value.
            fetch_sub sub;
            /// Stores the bitwise and of the bits and returns the old value.
            fetch_and and;
            /// Stores the bitwise or of the bits and returns the old value.
            fetch_or or;
            /// Stores the bitwise exclusive or of the bits and returns the old value.
            fetch_xor xor;
            /// Stores `value` and returns the old value.
            swap exch;
        }
        atomic_float! { @load_and_store $word $bits $unsigned $scope ($($unsafety)?) $safety }
    };
    (@fetch $word:ident $scope:ident $unsafety:tt $safety:tt $($(#[$doc:meta])* $method:ident $operation:ident;)+) => {
        $(atomic_float! { @fetch_one $word $scope $unsafety $safety $(#[$doc])* $method $operation })+
    };
    (@fetch_one $word:ident $scope:ident ($($unsafety:ident)?) ($($safety:tt)*) $(#[$doc:meta])* $method:ident $operation:ident) => {
        paste! {
            $(#[$doc])*
            $($safety)*
            #[inline(always)]
            #[track_caller]
            pub $($unsafety)? fn $method(&self, value: $word, order: Ordering) -> $word {
                // SAFETY: the pointer is that of `self`.
                unsafe { mid::[<atomic_fetch_ $operation _ $word _ $scope>](self.as_ptr(), order, value) }
            }
        }
    };
    (@load_and_store $word:ident $bits:literal $unsigned:ident $scope:ident ($($unsafety:ident)?) ($($safety:tt)*)) => {
        paste! {
            /// Returns the value. Panics if `order` is `Release` or `AcqRel`.
            $($safety)*
            #[inline(always)]
            #[must_use]
            #[track_caller]
            pub $($unsafety)? fn load(&self, order: Ordering) -> $word {
                // SAFETY: the pointer is that of `self`, and the float has the size and alignment
                // of its bits.
                let bits = unsafe { mid::[<atomic_load_ $bits _ $scope>](self.as_ptr().cast::<$unsigned>(), order) };
                $word::from_bits(bits)
            }

            /// Stores `value`. Panics if `order` is `Acquire` or `AcqRel`.
            $($safety)*
            #[inline(always)]
            #[track_caller]
            pub $($unsafety)? fn store(&self, value: $word, order: Ordering) {
                // SAFETY: as in `load`.
                unsafe { mid::[<atomic_store_ $bits _ $scope>](self.as_ptr().cast::<$unsigned>(), order, value.to_bits()) };
            }
        }
    };
}

atomic_float! {
    /// An `f32` shared by the threads of the device.
    AtomicF32 f32 32 u32 device;
    /// An `f64` shared by the threads of the device.
    AtomicF64 f64 64 u64 device;
    /// An `f32` shared by the threads of a block.
    BlockAtomicF32 f32 32 u32 block unsafe;
    /// An `f64` shared by the threads of a block.
    BlockAtomicF64 f64 64 u64 block unsafe;
    /// An `f32` shared by the devices and the host.
    SystemAtomicF32 f32 32 u32 system;
    /// An `f64` shared by the devices and the host.
    SystemAtomicF64 f64 64 u64 system;
}
