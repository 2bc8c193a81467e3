//! The closures of a kernel's body.

use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprCall, ExprMethodCall, parse_quote};

/// Has the CPU's compiler put into the body every closure that is passed to a function there, as in
/// `rows.for_each_run(|run| ...)`.
///
/// The CPU's launches compile a body for several sets of instructions, and only what is inlined is
/// compiled for them. A closure's function is called from each version, so the compiler itself
/// would leave one of more than a few lines out of line, once for all.
pub fn inline(body: &mut Block) {
    Inline.visit_block_mut(body);
}

struct Inline;

impl Inline {
    fn argument(argument: &mut Expr) {
        if let Expr::Closure(closure) = argument
            && !closure.attrs.iter().any(|a| a.path().is_ident("inline"))
        {
            closure
                .attrs
                .push(parse_quote!(#[cfg_attr(not(target_arch = "nvptx64"), inline(always))]));
        }
    }
}

impl VisitMut for Inline {
    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        call.args.iter_mut().for_each(Self::argument);
        visit_mut::visit_expr_call_mut(self, call);
    }

    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        call.args.iter_mut().for_each(Self::argument);
        visit_mut::visit_expr_method_call_mut(self, call);
    }
}
