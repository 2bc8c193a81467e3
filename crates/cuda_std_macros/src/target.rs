//! The attributes `#[gpu_only]` and `#[externally_visible]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemFn;

/// Expands to the function on the device, and on the CPU to one that panics, so that host builds
/// still type-check calls.
pub fn gpu_only(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    no_options(&options, "gpu_only")?;
    let function: ItemFn = syn::parse2(item)?;
    let ItemFn {
        attrs,
        vis,
        modifiers,
        sig,
        block,
    } = &function;
    modifiers.require_empty()?;
    let cpu_signature = syn::Signature {
        abi: None,
        ..sig.clone()
    };
    let message = format!("`{}` runs only on the GPU", sig.ident);
    Ok(quote! {
        #[cfg(target_arch = "nvptx64")]
        #(#attrs)* #vis #sig #block

        #[cfg(not(target_arch = "nvptx64"))]
        #[allow(unused_variables, clippy::missing_const_for_fn)]
        #(#attrs)* #vis #cpu_signature {
            ::core::panic!(#message)
        }
    })
}

/// Checks that the function has an unmangled name, which suffices for the linker to keep it.
pub fn externally_visible(options: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    no_options(&options, "externally_visible")?;
    let function: ItemFn = syn::parse2(item)?;
    if !function.attrs.iter().any(keeps_symbol_name) {
        return Err(syn::Error::new_spanned(
            &function.sig.ident,
            "an #[externally_visible] function also needs #[unsafe(no_mangle)], because other PTX refers to it by name",
        ));
    }
    Ok(quote!(#function))
}

/// Returns `true` for `#[no_mangle]`, `#[unsafe(no_mangle)]`, and both forms of `export_name`.
pub fn keeps_symbol_name(attribute: &syn::Attribute) -> bool {
    let named = |path: &syn::Path| path.is_ident("no_mangle") || path.is_ident("export_name");
    if attribute.path().is_ident("unsafe") {
        return attribute
            .parse_args::<syn::Meta>()
            .is_ok_and(|inner| named(inner.path()));
    }
    named(attribute.path())
}

fn no_options(options: &TokenStream, name: &str) -> syn::Result<()> {
    if options.is_empty() {
        return Ok(());
    }
    Err(syn::Error::new_spanned(
        options,
        format!("#[{name}] takes no options"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpu_only_keeps_the_signature_on_the_cpu() {
        let text = gpu_only(
            quote!(),
            quote!(
                pub fn clock() -> u64 {
                    7
                }
            ),
        )
        .unwrap()
        .to_string();
        assert_eq!(text.matches("pub fn clock () -> u64").count(), 2);
        assert!(text.contains("runs only on the GPU"));
    }

    #[test]
    fn externally_visible_needs_an_unmangled_name() {
        let error = externally_visible(
            quote!(),
            quote!(
                fn helper() {}
            ),
        )
        .unwrap_err();
        assert!(error.to_string().contains("no_mangle"));
        for attribute in [quote!(#[no_mangle]), quote!(#[unsafe(no_mangle)])] {
            externally_visible(quote!(), quote!(#attribute fn helper() {})).unwrap();
        }
    }

    #[test]
    fn options_are_refused() {
        assert!(
            gpu_only(
                quote!(x),
                quote!(
                    fn f() {}
                )
            )
            .is_err()
        );
    }
}
