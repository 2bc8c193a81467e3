//! Conditional compilation on the device's compute capability.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;

/// Compute capability of the CPU, times ten, as returned by
/// `ComputeCapability::from_cuda_arch_env`.
const CPU_COMPUTE_CAPABILITY: u32 = 70;

/// Makes each `target_feature = "compute_NN"` in the kernel, in attributes and in `cfg!`, `true` on
/// the CPU too if the CPU has that compute capability. No target of a CPU has these features, so
/// the compiler would omit the code.
pub fn enable_on_cpu(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    let mut next = 0;
    while next < tokens.len() {
        if is_supported_feature(&tokens[next..]) {
            let condition = tokens[next..next + 3].iter();
            out.extend(quote!(any(#(#condition)*, not(target_arch = "nvptx64"))));
            next += 3;
            continue;
        }
        out.extend([match &tokens[next] {
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), enable_on_cpu(group.stream()));
                inside.set_span(group.span());
                TokenTree::Group(inside)
            }
            other => other.clone(),
        }]);
        next += 1;
    }
    out
}

/// Returns `true` if the tokens begin with a `target_feature = "compute_NN"` that the CPU has.
fn is_supported_feature(tokens: &[TokenTree]) -> bool {
    let [
        TokenTree::Ident(name),
        TokenTree::Punct(equals),
        TokenTree::Literal(value),
        ..,
    ] = tokens
    else {
        return false;
    };
    let number = value
        .to_string()
        .strip_prefix("\"compute_")
        .and_then(|rest| rest.strip_suffix('"')?.parse::<u32>().ok());
    name == "target_feature"
        && equals.as_char() == '='
        && number.is_some_and(|number| number <= CPU_COMPUTE_CAPABILITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(tokens: TokenStream) -> String {
        enable_on_cpu(tokens)
            .to_string()
            .replace(char::is_whitespace, "")
    }

    #[test]
    fn supported_capabilities_hold_on_the_cpu() {
        let held = "any(target_feature=\"compute_70\",not(target_arch=\"nvptx64\"))";
        let attribute = text(quote!(#[cfg(not(target_feature = "compute_70"))] let x = 1;));
        assert_eq!(attribute, format!("#[cfg(not({held}))]letx=1;"));
        let inside = text(quote!({ if cfg!(target_feature = "compute_70") {} }));
        assert_eq!(inside, format!("{{ifcfg!({held}){{}}}}"));
    }

    #[test]
    fn other_features_are_unchanged() {
        for tokens in [
            quote!(#[cfg(target_feature = "compute_80")]),
            quote!(#[cfg(target_feature = "avx2")]),
            quote!(#[cfg(target_feature = "compute_90a")]),
            quote!(feature = "compute_60"),
        ] {
            let plain = tokens.to_string().replace(char::is_whitespace, "");
            assert_eq!(text(tokens), plain);
        }
    }
}
