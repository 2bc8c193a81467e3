//! Paths in unparsed tokens: the arguments and the bodies of macros.

use proc_macro2::{TokenStream, TokenTree};

/// A path in a token stream.
pub struct PathInTokens {
    pub path: Vec<String>,
    pub line: usize,
    /// `true` if `!` follows.
    pub is_macro: bool,
}

/// Returns all paths in `tokens`, including nested groups. Excludes fields, methods, lifetimes and
/// paths that begin with `::`.
pub fn paths(tokens: TokenStream) -> Vec<PathInTokens> {
    let mut found = Vec::new();
    collect(tokens, &mut found);
    found
}

fn collect(tokens: TokenStream, found: &mut Vec<PathInTokens>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => collect(group.stream(), found),
            TokenTree::Ident(first) => {
                let line = first.span().start().line;
                let follows_another = at > 0 && [':', '.', '\''].iter().any(|&sign| is_sign(&tokens, at - 1, sign))
                    // `name: Type` has one colon, `::name` has two
                    && !(is_sign(&tokens, at - 1, ':') && (at < 2 || !is_sign(&tokens, at - 2, ':')))
                    // `a..b` is a range, `a.b` is not
                    && !(is_sign(&tokens, at - 1, '.') && at > 1 && is_sign(&tokens, at - 2, '.'));
                let mut path = vec![first.to_string()];
                while is_sign(&tokens, at + 1, ':') && is_sign(&tokens, at + 2, ':') {
                    let Some(TokenTree::Ident(next)) = tokens.get(at + 3) else {
                        break;
                    };
                    path.push(next.to_string());
                    at += 3;
                }
                let is_macro = is_sign(&tokens, at + 1, '!') && !is_sign(&tokens, at + 2, '=');
                if !follows_another {
                    found.push(PathInTokens {
                        path,
                        line,
                        is_macro,
                    });
                }
            }
            _ => {}
        }
        at += 1;
    }
}

fn is_sign(tokens: &[TokenTree], at: usize, sign: char) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}
