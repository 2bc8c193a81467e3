//! The derive macro of `cust`: [`macro@DeviceCopy`].
//!
//! Use it through `cust`, which re-exports it and holds the trait that its expansion names.

mod expand;
mod layout;

use proc_macro::TokenStream;

/// Implements `cust::memory::DeviceCopy` for a struct, an enum or a union of which every field is
/// `DeviceCopy`.
///
/// - The type is `Copy` as well: `#[derive(Clone, Copy, DeviceCopy)]`.
/// - Its layout is fixed: `#[repr(C)]` or `#[repr(transparent)]`, for enums also `#[repr(u8)]` and
///   the like. A type without fields needs neither.
/// - Type parameters get the bound `DeviceCopy`, beside the bounds that they have.
///
/// What does not hold is an error at the field or the type that says what to do. The examples are
/// at the trait.
#[proc_macro_derive(DeviceCopy)]
pub fn device_copy(item: TokenStream) -> TokenStream {
    expand::expand(item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
