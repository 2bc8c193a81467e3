//! Types with the same representation on host and device.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroU128, Wrapping,
};

/// Types whose values can be copied between host and device byte by byte.
///
/// The derive macro of the same name implements it for structs, enums and unions if every field is
/// `DeviceCopy` and the layout is fixed (`#[repr(C)]`, `#[repr(transparent)]`, for enums
/// `#[repr(u8)]` and similar). Type parameters get the bound `DeviceCopy`.
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
/// Fields that are not `DeviceCopy` are rejected, and so are types without a fixed layout:
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
/// The features `impl_glam`, `impl_half` and `impl_vek` implement it for types of these crates.
///
/// # Safety
/// For implementations without the derive macro:
/// 1. The type contains no reference or pointer to host memory, directly or indirectly.
/// 2. Its layout is identical on both sides: `#[repr(C)]` or `#[repr(transparent)]` for your own
///    types.
///
/// Tuples, `Option` and `Result` have no guaranteed layout, so host and kernel may disagree.
/// Rust-CUDA accepts them; here they are rejected, except for `Option` of a `NonZero` integer. Use
/// a `#[repr(C)]` struct instead.
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
    note = "for your own type whose fields are numbers, arrays or such types, add `#[derive(Clone, Copy, cust::DeviceCopy)]` and `#[repr(C)]`",
    note = "instead of a reference, a `Vec` or a `Box`, pass a `DevicePointer` and a length",
    note = "instead of a tuple, an `Option` or a `Result`, use a `#[repr(C)]` struct"
)]
pub unsafe trait DeviceCopy: Copy {}

macro_rules! plain_values {
    ($($kind:ty)*) => {$(
        // SAFETY: a number, a boolean or a character: no pointers, the same layout on both sides.
        unsafe impl DeviceCopy for $kind {}
    )*};
}

// SAFETY: zero-sized.
unsafe impl DeviceCopy for () {}

plain_values! {
    u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char
    NonZeroU8 NonZeroU16 NonZeroU32 NonZeroU64 NonZeroU128 NonZeroI8 NonZeroI16 NonZeroI32 NonZeroI64 NonZeroI128
}

// SAFETY: as the element type; arrays have no padding of their own.
unsafe impl<T: DeviceCopy, const N: usize> DeviceCopy for [T; N] {}
// SAFETY: as the wrapped type.
unsafe impl<T: DeviceCopy> DeviceCopy for Wrapping<T> {}
// SAFETY: zero-sized.
unsafe impl<T: DeviceCopy> DeviceCopy for PhantomData<T> {}
// SAFETY: zero-sized.
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

/// Returns the address of a kernel argument's value, for [`launch!`](crate::launch!).
#[doc(hidden)]
pub fn argument_address<T: DeviceCopy>(value: &T) -> *mut c_void {
    (&raw const *value).cast::<c_void>().cast_mut()
}
