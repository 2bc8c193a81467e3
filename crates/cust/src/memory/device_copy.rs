//! Types that mean the same on the device as on the host.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroU128, Wrapping,
};

/// A type whose values may be copied to the device and back, byte for byte.
///
/// # Safety
/// 1. The type holds no reference or pointer to host memory, directly or inside.
/// 2. Its layout is the same on both sides: `#[repr(C)]` or `#[repr(transparent)]` for types of your own.
///
/// ```
/// use cust::memory::DeviceCopy;
///
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Voxel {
///     index: [u32; 3],
///     value: f32,
/// }
/// // SAFETY: numbers only, in C layout.
/// unsafe impl DeviceCopy for Voxel {}
/// ```
pub unsafe trait DeviceCopy: Copy {}

macro_rules! plain_values {
    ($($kind:ty)*) => {$(
        // SAFETY: a number, a truth value or a character: no pointers, the same layout on both sides.
        unsafe impl DeviceCopy for $kind {}
    )*};
}

// SAFETY: nothing to copy.
unsafe impl DeviceCopy for () {}

plain_values! {
    u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char
    NonZeroU8 NonZeroU16 NonZeroU32 NonZeroU64 NonZeroU128 NonZeroI8 NonZeroI16 NonZeroI32 NonZeroI64 NonZeroI128
}

// SAFETY: as its element; arrays have no padding of their own.
unsafe impl<T: DeviceCopy, const N: usize> DeviceCopy for [T; N] {}
// SAFETY: as its content.
unsafe impl<T: DeviceCopy> DeviceCopy for Option<T> {}
// SAFETY: as its contents.
unsafe impl<L: DeviceCopy, R: DeviceCopy> DeviceCopy for Result<L, R> {}
// SAFETY: as its content.
unsafe impl<T: DeviceCopy> DeviceCopy for Wrapping<T> {}
// SAFETY: nothing to copy.
unsafe impl<T: DeviceCopy> DeviceCopy for PhantomData<T> {}
// SAFETY: nothing to copy.
unsafe impl DeviceCopy for PhantomData<&()> {}

macro_rules! tuples {
    ($(($($part:ident)+))*) => {$(
        // SAFETY: as its parts. The layout is rustc's own, which host and device share when one compiler makes both.
        unsafe impl<$($part: DeviceCopy),+> DeviceCopy for ($($part,)+) {}
    )*};
}

tuples! { (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

/// The address of a kernel argument's value, for [`launch!`](crate::launch!).
#[doc(hidden)]
pub fn argument_address<T: DeviceCopy>(value: &T) -> *mut c_void {
    (&raw const *value).cast::<c_void>().cast_mut()
}
