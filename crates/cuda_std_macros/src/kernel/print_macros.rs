//! Resolution of printing and assertion macros in a kernel's body.

use syn::visit_mut::{self, VisitMut};
use syn::{Block, ExprConst, Item, Macro, parse_quote_spanned};

/// Macros of `cuda_std` with the names of `std`'s.
const MACROS: [&str; 7] = [
    "print",
    "println",
    "eprint",
    "eprintln",
    "assert",
    "assert_eq",
    "assert_ne",
];

/// Makes unqualified `println!` and similar macros in the body refer to `cuda_std`. A prelude
/// cannot do this: glob imports do not shadow macros of `core` and `std`.
pub fn qualify(body: &mut Block) {
    Qualify.visit_block_mut(body);
}

struct Qualify;

impl VisitMut for Qualify {
    fn visit_macro_mut(&mut self, call: &mut Macro) {
        if let Some(name) = call.path.get_ident()
            && MACROS.iter().any(|known| name == known)
        {
            let name = name.clone();
            call.path = parse_quote_spanned!(name.span()=> ::cuda_std::#name);
        }
        visit_mut::visit_macro_mut(self, call);
    }

    // Code evaluated at compile time cannot print.
    fn visit_expr_const_mut(&mut self, _: &mut ExprConst) {}

    fn visit_item_mut(&mut self, item: &mut Item) {
        if let Item::Fn(function) = item
            && function.sig.constness.is_none()
        {
            visit_mut::visit_item_fn_mut(self, function);
        }
    }
}
