//! Lists of types that are named by a macro: `#[kernel(T = sample_types!)]`.
//!
//! An attribute cannot evaluate the macro, so it hands itself over: the kernel becomes an argument
//! of the macro, which passes it with its list to `cuda_std::kernel_for_types!`, which applies
//! `#[kernel(T = [...])]`.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

/// Returns the expansion if `options` name a list by a macro, and `None` otherwise. Only one list
/// of a kernel can be named; the attribute reports others as malformed.
pub fn expand(options: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    let mut options = split_at_commas(options);
    let position = options.iter().position(|option| is_named_list(option))?;
    let option = options.remove(position);
    let (parameter, list) = (&option[0], &option[2..]);
    let rest = options.into_iter().map(TokenStream::from_iter);
    Some(quote! { #(#list)* { [#parameter] [#(#rest),*] #item } })
}

/// Splits tokens at the commas outside of brackets.
fn split_at_commas(tokens: &TokenStream) -> Vec<Vec<TokenTree>> {
    let mut parts = vec![Vec::new()];
    for token in tokens.clone() {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == ',' => parts.push(Vec::new()),
            (_, Some(part)) => part.push(token),
            (_, None) => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns `true` for `T = path::to::list!`.
fn is_named_list(option: &[TokenTree]) -> bool {
    let is_punct = |token: Option<&TokenTree>, character| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == character);
    option.len() > 3
        && matches!(option[0], TokenTree::Ident(_))
        && is_punct(option.get(1), '=')
        && is_punct(option.last(), '!')
}

#[cfg(test)]
mod tests {
    use super::expand;
    use quote::quote;

    #[test]
    fn a_named_list_hands_the_kernel_to_its_macro() {
        let item = quote!(
            pub unsafe fn scale<T: Sample, I: Count>(x: View<T>) {}
        );
        let expansion = expand(&quote!(T = crate::types!, I = [u32, u64], fused), &item);
        let expected = quote! { crate::types! { [T] [I = [u32, u64], fused] #item } };
        assert_eq!(
            expansion.map(|tokens| tokens.to_string()),
            Some(expected.to_string())
        );
    }

    #[test]
    fn lists_in_brackets_are_left_to_the_attribute() {
        let item = quote!(
            pub unsafe fn scale<T: Sample>(x: View<T>) {}
        );
        assert!(expand(&quote!(T = [u8, f32], fused), &item).is_none());
        assert!(expand(&quote!(), &item).is_none());
    }
}
