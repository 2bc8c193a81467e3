//! What the derive macro writes.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Field, Generics, Result, parse_quote};

use crate::layout;

/// The implementation, and a function that compiles only if every field is `DeviceCopy`.
///
/// # Errors
/// Where the item is no type, or its layout is not fixed.
pub(crate) fn expand(item: TokenStream) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(item)?;
    layout::check(&input)?;
    let name = &input.ident;
    let generics = with_bounds(&input.generics);
    let (impl_generics, type_generics, conditions) = generics.split_for_impl();
    let checks = fields(&input.data).into_iter().map(|field| {
        let kind = &field.ty;
        quote_spanned!(kind.span()=> is_device_copy::<#kind>();)
    });
    Ok(quote! {
        // SAFETY: every field is `DeviceCopy`, which the function below shows, and the layout is
        // fixed.
        #[automatically_derived]
        #[allow(clippy::multiple_bound_locations)]
        unsafe impl #impl_generics ::cust::memory::DeviceCopy for #name #type_generics #conditions {}

        const _: () = {
            fn is_device_copy<Field: ::cust::memory::DeviceCopy>() {}

            #[allow(dead_code, clippy::multiple_bound_locations, clippy::extra_unused_type_parameters, clippy::extra_unused_lifetimes)]
            fn every_field_is #impl_generics () #conditions {
                #(#checks)*
            }
        };
    })
}

/// The type's parameters, each type also `DeviceCopy`.
fn with_bounds(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in generics.type_params_mut() {
        parameter
            .bounds
            .push(parse_quote!(::cust::memory::DeviceCopy));
    }
    generics
}

/// The fields of all variants.
fn fields(data: &Data) -> Vec<&Field> {
    match data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|v| v.fields.iter()).collect(),
        Data::Union(data) => data.fields.named.iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(item: TokenStream) -> String {
        expand(item).unwrap().to_string()
    }

    fn refused(item: TokenStream) -> String {
        expand(item).unwrap_err().to_string()
    }

    #[test]
    fn every_field_of_every_variant_is_looked_at() {
        let text = text(quote! {
            #[repr(u8)]
            enum Shape { None, Ball(f32), Box { low: [f64; 3], high: u16 } }
        });
        for field in ["f32", "[f64 ; 3]", "u16"] {
            assert!(
                text.contains(&format!("is_device_copy :: < {field} >")),
                "{text}"
            );
        }
    }

    #[test]
    fn parameters_keep_their_bounds_and_get_one() {
        let text = text(quote! {
            #[repr(C)]
            struct Pair<'a, T: Default, const N: usize>([T; N], PhantomData<&'a ()>) where T: PartialEq;
        });
        assert!(
            text.contains(
                "impl < 'a , T : Default + :: cust :: memory :: DeviceCopy , const N : usize >"
            ),
            "{text}"
        );
        assert!(
            text.contains("for Pair < 'a , T , N > where T : PartialEq"),
            "{text}"
        );
    }

    #[test]
    fn a_layout_that_is_not_fixed_is_refused_with_the_remedy() {
        assert!(
            refused(quote!(
                struct Voxel {
                    index: u32,
                    value: f32,
                }
            ))
            .contains("add `#[repr(C)]`")
        );
        assert!(
            refused(quote!(
                #[repr(packed)]
                struct Voxel(u8, u32);
            ))
            .contains("`Voxel`")
        );
        // an integer fixes the layout of enums only
        assert!(refused(quote!(#[repr(u8)] union Bits { a: u8 })).contains("add `#[repr(C)]`"));
        assert!(
            refused(quote!(
                enum Axis {
                    X,
                    Y,
                }
            ))
            .contains("#[repr(u32)]")
        );
    }

    #[test]
    fn a_fixed_layout_is_taken() {
        for item in [
            quote!(
                #[repr(C)]
                struct Voxel {
                    index: u32,
                }
            ),
            quote!(
                #[repr(align(16), C)]
                struct Voxel(u32);
            ),
            quote!(
                #[repr(transparent)]
                struct Index(u32);
            ),
            quote!(
                #[repr(i16)]
                enum Axis {
                    X,
                    Y,
                }
            ),
            quote!(#[repr(C)] union Bits { a: u32, b: f32 }),
            quote!(
                struct Nothing;
            ),
            quote!(
                struct Nothing {}
            ),
        ] {
            assert!(text(item).contains("unsafe impl"));
        }
    }
}
