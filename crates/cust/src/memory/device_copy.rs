//! Types that mean the same on the device as on the host.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroU128, Wrapping,
};

/// A type whose values may be copied to the device and back, byte for byte.
///
/// The derive macro of the same name implements it for structs, enums and unions, if every field is
/// `DeviceCopy` and the layout is fixed (`#[repr(C)]`, `#[repr(transparent)]`, for enums
/// `#[repr(u8)]` and the like). Type parameters get the bound `DeviceCopy`.
///
/// ```
/// use cust::DeviceCopy;
/// use cust::memory::DevicePointer;
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// #[repr(C)]
/// struct Voxel {
///     index: [u32; 3],
///     value: f32,
/// }
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// #[repr(transparent)]
/// struct Label(u16);
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// #[repr(C)]
/// struct Row<T: PartialEq, const N: usize> {
///     values: [T; N],
///     next: DevicePointer<u8>,
/// }
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// #[repr(u8)]
/// enum Side {
///     Inside,
///     Outside { distance: f32 },
/// }
///
/// fn may_be_copied<T: DeviceCopy>() {}
/// may_be_copied::<Voxel>();
/// may_be_copied::<Label>();
/// may_be_copied::<Row<f32, 4>>();
/// may_be_copied::<[Side; 2]>();
/// ```
///
/// A field that is not `DeviceCopy` is refused, and so is a layout that two compilers need not
/// agree on:
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy, cust::DeviceCopy)]
/// #[repr(C)]
/// struct Named {
///     name: &'static str,
/// }
/// ```
/// ```compile_fail,E0277
/// #[derive(Clone, Copy, cust::DeviceCopy)]
/// #[repr(C)]
/// struct Pointer(*const f32);
/// ```
/// ```compile_fail
/// #[derive(Clone, Copy, cust::DeviceCopy)]
/// struct NoLayout {
///     index: u32,
///     value: f32,
/// }
/// ```
/// ```compile_fail,E0277
/// #[derive(Clone, Copy, cust::DeviceCopy)]
/// #[repr(C)]
/// struct Any<T> {
///     value: T,
/// }
/// # fn may_be_copied<T: cust::DeviceCopy>() {}
/// may_be_copied::<Any<&u8>>(); // the type parameter has to be DeviceCopy
/// ```
/// ```compile_fail,E0277
/// #[derive(cust::DeviceCopy)]
/// #[repr(C)]
/// struct NotCopy(u8);
/// ```
///
/// With the features `impl_glam`, `impl_half` and `impl_vek` the types of these crates implement
/// it.
///
/// # Safety
/// For who implements it by hand:
/// 1. The type holds no reference or pointer to host memory, directly or inside.
/// 2. Its layout is the same on both sides: `#[repr(C)]` or `#[repr(transparent)]` for types of
///    your own.
///
/// Tuples, `Option` and `Result` have no layout that two compilers must agree on, and the kernel's
/// is another than the host's. The published crate lets them through; here they are refused, but
/// for `Option` of a `NonZero` number. Write a `#[repr(C)]` struct instead.
///
/// ```compile_fail,E0277
/// cust::memory::DeviceBuffer::from_slice(&[(1_u8, 2_u32)])?;
/// # Ok::<(), cust::error::CudaError>(())
/// ```
/// ```compile_fail,E0277
/// cust::memory::DeviceBuffer::from_slice(&[Some(1_u32), None])?;
/// # Ok::<(), cust::error::CudaError>(())
/// ```
/// ```compile_fail,E0277
/// cust::memory::DeviceBuffer::from_slice(&[Ok::<u32, u8>(1)])?;
/// # Ok::<(), cust::error::CudaError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be copied to the device byte for byte",
    label = "is not `DeviceCopy`",
    note = "a type of your own: `#[derive(Clone, Copy, cust::DeviceCopy)]` and `#[repr(C)]`, if its fields are numbers, arrays or such types",
    note = "a reference, a `Vec` or a `Box`: give the device a `DevicePointer` and a length instead",
    note = "a tuple, an `Option` or a `Result`: write a `#[repr(C)]` struct instead"
)]
pub unsafe trait DeviceCopy: Copy {}

macro_rules! plain_values {
    ($($kind:ty)*) => {$(
        // SAFETY: a number, a truth value or a character: no pointers, the same layout on both
        // sides.
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
unsafe impl<T: DeviceCopy> DeviceCopy for Wrapping<T> {}
// SAFETY: nothing to copy.
unsafe impl<T: DeviceCopy> DeviceCopy for PhantomData<T> {}
// SAFETY: nothing to copy.
unsafe impl DeviceCopy for PhantomData<&()> {}

macro_rules! options_of_non_zero {
    ($($kind:ty)*) => {$(
        // SAFETY: the standard library guarantees the layout of the number, in which 0 is `None`.
        unsafe impl DeviceCopy for Option<$kind> {}
    )*};
}

options_of_non_zero! {
    NonZeroU8 NonZeroU16 NonZeroU32 NonZeroU64 NonZeroU128 NonZeroI8 NonZeroI16 NonZeroI32 NonZeroI64 NonZeroI128
}

/// The address of a kernel argument's value, for [`launch!`](crate::launch!).
#[doc(hidden)]
pub fn argument_address<T: DeviceCopy>(value: &T) -> *mut c_void {
    (&raw const *value).cast::<c_void>().cast_mut()
}
