//! Expansion of the derive macro.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Field, Generics, Result, parse_quote};

use crate::layout;

/// Generates the implementation, and a function that compiles only if every field is `DeviceCopy`.
///
/// # Errors
/// If the item is not a type, or its layout is not fixed.
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

/// Adds the bound `DeviceCopy` to every type parameter.
fn with_bounds(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in generics.type_params_mut() {
        parameter
            .bounds
            .push(parse_quote!(::cust::memory::DeviceCopy));
    }
    generics
}

/// Returns the fields of all variants.
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

    fn expansion(item: TokenStream) -> String {
        expand(item).unwrap().to_string()
    }

    fn expansion_error(item: TokenStream) -> String {
        expand(item).unwrap_err().to_string()
    }

    #[test]
    fn fields_of_all_variants_are_checked() {
        let text = expansion(quote! {
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
    fn type_parameters_keep_their_bounds_and_get_device_copy() {
        let text = expansion(quote! {
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
    fn a_type_without_fixed_layout_is_an_error_with_the_remedy() {
        assert!(
            expansion_error(quote!(
                struct Voxel {
                    index: u32,
                    value: f32,
                }
            ))
            .contains("add `#[repr(C)]`")
        );
        assert!(
            expansion_error(quote!(
                #[repr(packed)]
                struct Voxel(u8, u32);
            ))
            .contains("`Voxel`")
        );
        // an integer fixes the layout of enums only
        assert!(
            expansion_error(quote!(#[repr(u8)] union Bits { a: u8 })).contains("add `#[repr(C)]`")
        );
        assert!(
            expansion_error(quote!(
                enum Axis {
                    X,
                    Y,
                }
            ))
            .contains("#[repr(u32)]")
        );
    }

    #[test]
    fn fixed_layouts_are_accepted() {
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
            assert!(expansion(item).contains("unsafe impl"));
        }
    }
}
