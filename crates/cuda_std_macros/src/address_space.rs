//! The attribute `#[address_space(...)]` for statics.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, ItemStatic, StaticMutability};

/// Address space of a static.
enum Space {
    Global,
    Shared,
    Constant,
}

pub fn expand(space: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let space = parse_space(space)?;
    let item: ItemStatic = syn::parse2(item)?;
    Ok(match space {
        Space::Global => quote!(#item),
        Space::Shared => shared(&item),
        Space::Constant => constant(&item),
    })
}

fn parse_space(space: TokenStream) -> syn::Result<Space> {
    let name: Ident = syn::parse2(space).map_err(|error| {
        syn::Error::new(
            error.span(),
            "name one address space: #[address_space(shared)], (constant) or (global)",
        )
    })?;
    match name.to_string().as_str() {
        "global" => Ok(Space::Global),
        "shared" => Ok(Space::Shared),
        "constant" => Ok(Space::Constant),
        "local" => Err(syn::Error::new(
            name.span(),
            "a static cannot be in local memory; use a local variable",
        )),
        other => Err(syn::Error::new(
            name.span(),
            format!("unknown address space `{other}`; use shared, constant or global"),
        )),
    }
}

/// Wraps the value in a type that dereferences to the block's copy. On the device the static is
/// placed in the section that the linker lowers to addrspace(3), without the initialiser, which
/// shared memory cannot have.
fn shared(item: &ItemStatic) -> TokenStream {
    let ItemStatic {
        attrs,
        vis,
        mutability,
        ident,
        ty,
        expr,
        ..
    } = item;
    let is_mut = matches!(mutability, StaticMutability::Mut(_));
    quote! {
        #[cfg_attr(target_arch = "nvptx64", unsafe(link_section = ".nvptx.shared"))]
        #(#attrs)* #vis static #mutability #ident: ::cuda_std::shared::SharedStatic<#ty> =
            ::cuda_std::shared::SharedStatic::new(
                #expr,
                // SAFETY: it is the whole value of this static.
                unsafe { ::cuda_std::shared::InStatic::new(#is_mut) },
            );
    }
}

/// Wraps the value in a type with interior mutability on both targets, because the host writes it
/// after the compiler has seen the initialiser; a plain static would be constant-folded. On the
/// device the name is not mangled, so that the host finds the symbol.
fn constant(item: &ItemStatic) -> TokenStream {
    let ItemStatic {
        attrs,
        vis,
        mutability,
        ident,
        ty,
        expr,
        ..
    } = item;
    let symbol = ident.to_string();
    quote! {
        #[cfg_attr(target_arch = "nvptx64", unsafe(no_mangle), unsafe(link_section = ".nvptx.constant"))]
        #(#attrs)* #vis static #mutability #ident: ::cuda_std::constant::ConstantStatic<#ty> =
            ::cuda_std::constant::ConstantStatic::new(#symbol, #expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(space: TokenStream) -> String {
        expand(
            space,
            quote!(
                pub static mut TILE: [f32; 4] = [0.0; 4];
            ),
        )
        .unwrap()
        .to_string()
    }

    #[test]
    fn each_space_has_its_section() {
        assert!(text(quote!(shared)).contains(".nvptx.shared"));
        assert!(text(quote!(shared)).contains("SharedStatic < [f32 ; 4] >"));
        assert!(text(quote!(constant)).contains(".nvptx.constant"));
        assert!(text(quote!(constant)).contains("no_mangle"));
        assert!(!text(quote!(global)).contains("nvptx"));
    }

    #[test]
    fn unknown_spaces_are_refused_by_name() {
        let refuse = |space| {
            expand(
                space,
                quote!(
                    static X: u8 = 0;
                ),
            )
            .unwrap_err()
            .to_string()
        };
        assert!(refuse(quote!(texture)).contains("`texture`"));
        assert!(refuse(quote!(local)).contains("a local variable"));
        assert!(refuse(quote!()).contains("name one address space"));
        assert!(
            expand(
                quote!(shared),
                quote!(
                    fn f() {}
                )
            )
            .is_err()
        );
    }
}
