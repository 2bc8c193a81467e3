//! Derive macro of `cust`: [`macro@DeviceCopy`].
//!
//! Use it through `cust`, which re-exports it and defines the trait that its expansion implements.

mod expand;
mod layout;

use proc_macro::TokenStream;

/// Implements `cust::memory::DeviceCopy` for a struct, an enum or a union whose fields are all
/// `DeviceCopy`.
///
/// Requirements:
/// - The type is also `Copy`: `#[derive(Clone, Copy, DeviceCopy)]`.
/// - Its layout is fixed: `#[repr(C)]` or `#[repr(transparent)]`, for enums also `#[repr(u8)]` and
///   similar. Types without fields need neither.
///
/// Type parameters get the additional bound `DeviceCopy`. A violated requirement is a compile error
/// at the field or the type with the remedy. See the trait for examples.
#[proc_macro_derive(DeviceCopy)]
pub fn device_copy(item: TokenStream) -> TokenStream {
    expand::expand(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
