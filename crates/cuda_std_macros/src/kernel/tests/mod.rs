//! Tests of the macro's expansion, as text.

mod accepted;
mod bodies;
mod refused;

use super::expand;

/// Returns the expansion as text without spaces.
fn accept(options: proc_macro2::TokenStream, item: proc_macro2::TokenStream) -> String {
    let tokens = expand(options, item, None).expect("accepted");
    // Every expansion is a list of items.
    syn::parse2::<syn::File>(tokens.clone()).expect("items");
    tokens.to_string().replace(char::is_whitespace, "")
}

fn refuse(options: proc_macro2::TokenStream, item: proc_macro2::TokenStream) -> String {
    match expand(options, item, None) {
        Ok(tokens) => panic!("accepted: {tokens}"),
        Err(error) => error.to_string(),
    }
}
